import { useSignal } from "@preact/signals";
import { Button } from "../../parts/button.tsx";
import { attempt } from "../../state/messages.ts";
import { personName } from "../../state/person.ts";
import { signOut, theDaemon } from "../../state/session.ts";

/** Who one is to others, and leaving. */
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
      <form class="health-you" onSubmit={rename}>
        <input
          type="text"
          aria-label="The name that your edits are under"
          maxLength={64}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="button plain" disabled={name.value.trim() === agent.name}>
          Go by this name
        </button>
        <Button onClick={() => void attempt("This browser is signed in still", signOut)}>
          Sign this browser out
        </Button>
      </form>
      <p class="quiet">
        Your edits, approvals and undos are shown under it, with {agent.id.split("/")[0]}’s token.
      </p>
    </section>
  );
}
