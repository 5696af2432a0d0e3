import { Button } from "../parts/button.tsx";
import { said, unsay } from "../state/tell.ts";

/** What was said lately, for everybody: also read out. */
export function Messages() {
  return (
    <div class="messages" role="status" aria-live="polite">
      {said.value.map(({ id, tone, text, more, action }) => (
        <div key={id} class={`message ${tone}`}>
          <div>
            <p>{text}</p>
            {more && <p class="quiet">{more}</p>}
          </div>
          {action && <Button onClick={action.run}>{action.label}</Button>}
          <Button icon="close" label="Dismiss" onClick={() => unsay(id)} />
        </div>
      ))}
    </div>
  );
}
