import { useSignal } from "@preact/signals";
import { Button } from "../../parts/controls/button.tsx";
import { attempt, showMessage } from "../../state/base/messages.ts";
import { personName } from "../../state/base/person.ts";
import { signOut, theDaemon } from "../../state/base/session.ts";
import {
  notificationsExist,
  notificationsWanted,
  wantNotifications,
} from "../../state/health/notifications.ts";

/** Shows the person's name with a form to change it, and a button to sign out. */
export function Profile() {
  const { agent } = theDaemon().hello;
  const name = useSignal(agent.name);
  const rename = (event: Event) => {
    event.preventDefault();
    personName.value = name.value.trim() || undefined;
    location.reload();
  };
  return (
    <section aria-label="You">
      <h2>You</h2>
      <form class="health-profile" onSubmit={rename}>
        <input
          type="text"
          aria-label="Your name"
          maxLength={64}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="button plain" disabled={name.value.trim() === agent.name}>
          Save name
        </button>
        <Button onClick={() => void attempt("Could not sign out", signOut)}>Sign out</Button>
      </form>
      <p class="quiet">
        Others see your edits, approvals and undos under this name. You are signed in as{" "}
        {agent.id.split("/")[0]}.
      </p>
      <NotificationChoice />
    </section>
  );
}

/** Lets the person choose notifications of the browser. */
function NotificationChoice() {
  if (!notificationsExist) return null;
  const choose = async (box: HTMLInputElement) => {
    const wanted = box.checked;
    box.checked = await wantNotifications(wanted);
    if (box.checked === wanted) return;
    showMessage("bad", "The browser does not allow notifications of this page. Its settings can allow them.");
  };
  return (
    <label class="health-notify">
      <input
        type="checkbox"
        checked={notificationsWanted.value}
        onChange={(event) => void choose(event.currentTarget)}
      />
      Notify me of proposals, notices and problems while this window is hidden
    </label>
  );
}
