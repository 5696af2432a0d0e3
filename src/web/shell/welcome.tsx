import { Icon } from "../parts/controls/icon.tsx";
import { sentence } from "../state/base/sentence.ts";
import type { PageSession } from "../state/base/session.ts";
import { Logo } from "./logo.tsx";
import { UnsentTexts } from "./unsent-text.tsx";

/** The page until it is signed in and connected: the reason, and the next step. */
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
    case "unreachable":
      return (
        <>
          <h1>Cannot reach spliced</h1>
          <p>
            Run <code>npx spliced start</code> in a terminal, in the workspace folder. This page then
            reconnects.
          </p>
          <p class="quiet">{sentence(session.reason)}</p>
        </>
      );
    case "signed-out":
      return (
        <>
          <h1>Sign in to this workspace</h1>
          {session.failed && (
            <p class="warning">
              <Icon name="alert" /> This link has already been used or has expired.
            </p>
          )}
          {session.again && !session.failed && (
            <p class="warning">
              <Icon name="alert" /> Your sign-in has expired. Sign in again.
            </p>
          )}
          <p>
            Run <code>npx spliced open</code> in a terminal, in the workspace folder. The command opens this
            page and signs this browser in.
          </p>
          <UnsentTexts />
        </>
      );
  }
}
