import { Button } from "../parts/button.tsx";
import { dismissMessage, messages, type PageMessage } from "../state/messages.ts";

/** What was said lately, for everybody: also read out. */
export function MessageList() {
  return (
    <div class="messages" role="status" aria-live="polite">
      {messages.value.map((each) => (
        <MessageCard key={each.id} {...each} />
      ))}
    </div>
  );
}

function MessageCard({ id, tone, text, more, action }: PageMessage) {
  const act = () => {
    dismissMessage(id); // what it offers is taken once
    action?.run();
  };
  return (
    <div class={`message ${tone}`}>
      <div>
        <p>{text}</p>
        {more && <p class="quiet">{more}</p>}
      </div>
      {action && <Button onClick={act}>{action.label}</Button>}
      <Button icon="close" label="Dismiss" onClick={() => dismissMessage(id)} />
    </div>
  );
}
