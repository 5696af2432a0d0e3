import { Confirm } from "../parts/confirm-dialog.tsx";
import { session } from "../state/session.ts";
import { Messages } from "./messages.tsx";
import { Shell } from "./shell.tsx";
import { Welcome } from "./welcome.tsx";

export function App() {
  return (
    <>
      {session.value.is === "open" ? <Shell /> : <Welcome session={session.value} />}
      <Confirm />
      <Messages />
    </>
  );
}
