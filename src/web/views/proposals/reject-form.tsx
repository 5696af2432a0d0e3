import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";

interface RejectFormProps {
  readonly onReject: (reason: string) => void;
  readonly onCancel: () => void;
}

/** Asks for a reason, which may be left out. Enter rejects, Escape does not. */
export function RejectForm({ onReject, onCancel }: RejectFormProps) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  // At once: the next key that is pressed is part of the reason.
  useLayoutEffect(() => field.current!.focus(), []);
  return (
    <form
      class="reject card"
      onSubmit={(event) => {
        event.preventDefault();
        onReject(reason);
      }}
    >
      <label>
        Why is it not wanted? <span class="quiet">Its author can read this; it may be left out.</span>
        <textarea
          ref={field}
          rows={2}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") onCancel();
            else if (event.key === "Enter" && !event.shiftKey) onReject(reason);
            else return;
            event.preventDefault();
          }}
        />
      </label>
      <div class="actions">
        <Button tone="danger" label="Reject it (Enter)" onClick={() => onReject(reason)}>
          Reject it
        </Button>
        <Button label="Keep it (Escape)" onClick={onCancel}>
          Keep it
        </Button>
      </div>
    </form>
  );
}
