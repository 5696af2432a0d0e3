import { Icon } from "../parts/icon.tsx";
import type { PageSession } from "../state/session.ts";
import { Logo } from "./logo.tsx";
import { UnsentTexts } from "./unsent-text.tsx";

/** What is shown until the page is open: why it is not, and what to do. */
export function SignInScreen({ session }: { readonly session: Exclude<PageSession, { is: "open" }> }) {
  return (
    <main class="welcome">
      <Logo size={40} />
      <Explanation session={session} />
    </main>
  );
}

function Explanation({ session }: { readonly session: Exclude<PageSession, { is: "open" }> }) {
  switch (session.is) {
    case "starting":
      return <p class="quiet">Connecting …</p>;
    case "away":
      return (
        <>
          <h1>The daemon does not answer</h1>
          <p>
            Start it in the workspace with <code>spliced start</code>. This page goes on by itself.
          </p>
          <p class="quiet">{session.reason}</p>
        </>
      );
    case "signed-out":
      return (
        <>
          <h1>Sign in to this workspace</h1>
          {session.failed && (
            <p class="warning">
              <Icon name="alert" /> That link is not good any more: it opens one browser, once.
            </p>
          )}
          {session.again && !session.failed && (
            <p class="warning">
              <Icon name="alert" /> This browser’s sign-in no longer counts: sign in again.
            </p>
          )}
          <p>
            In a terminal, anywhere in the workspace, run <code>spliced open</code>. It opens this page signed
            in, and this browser stays so.
          </p>
          <UnsentTexts />
        </>
      );
  }
}
