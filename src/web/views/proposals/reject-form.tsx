import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";

interface RejectFormProps {
  /** The rejected thing, as `it`. */
  readonly what: string;
  /** The name of the button. */
  readonly act: string;
  readonly onReject: (reason: string) => void;
  readonly onCancel: () => void;
}

/** Asks for an optional reason. Enter rejects, Escape cancels. */
export function RejectForm({ what, act, onReject, onCancel }: RejectFormProps) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  // A layout effect sets the focus at once, so that the next key goes into the reason.
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
        Why do you reject {what}? <span class="quiet">Optional. The author can read it.</span>
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
        <Button tone="danger" label={`${act} (Enter)`} onClick={() => onReject(reason)}>
          {act}
        </Button>
        <Button label="Cancel (Escape)" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
