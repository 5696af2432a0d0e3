import { Button } from "../parts/controls/button.tsx";
import { dismissMessage, messages, type PageMessage } from "../state/base/messages.ts";

/** Shows the current messages. Screen readers read them out. */
export function MessageList() {
  return (
    <div class="messages" role="status" aria-live="polite">
      {messages.value.map((message) => (
        <MessageCard key={message.id} {...message} />
      ))}
    </div>
  );
}

function MessageCard({ id, tone, text, more, action }: PageMessage) {
  const act = () => {
    dismissMessage(id); // the action runs once
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
