import { Button } from "../parts/button.tsx";
import { type Said, said, unsay } from "../state/messages.ts";

/** What was said lately, for everybody: also read out. */
export function Messages() {
  return (
    <div class="messages" role="status" aria-live="polite">
      {said.value.map((each) => (
        <Message key={each.id} {...each} />
      ))}
    </div>
  );
}

function Message({ id, tone, text, more, action }: Said) {
  const act = () => {
    unsay(id); // what it offers is taken once
    action?.run();
  };
  return (
    <div class={`message ${tone}`}>
      <div>
        <p>{text}</p>
        {more && <p class="quiet">{more}</p>}
      </div>
      {action && <Button onClick={act}>{action.label}</Button>}
      <Button icon="close" label="Dismiss" onClick={() => unsay(id)} />
    </div>
  );
}
