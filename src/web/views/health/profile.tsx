import { useSignal } from "@preact/signals";
import { Button } from "../../parts/button.tsx";
import { attempt } from "../../state/messages.ts";
import { personName } from "../../state/person.ts";
import { signOut, theDaemon } from "../../state/session.ts";

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
    </section>
  );
}
