import { ConfirmDialog } from "../parts/controls/confirm-dialog.tsx";
import { pageSession } from "../state/base/session.ts";
import { MessageList } from "./messages.tsx";
import { Shell } from "./shell.tsx";
import { SignInScreen } from "./welcome.tsx";

export function App() {
  return (
    <>
      {pageSession.value.is === "open" ? <Shell /> : <SignInScreen session={pageSession.value} />}
      <ConfirmDialog />
      <MessageList />
    </>
  );
}
