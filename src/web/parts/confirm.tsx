import { useEffect, useRef } from "preact/hooks";
import { asked } from "../state/confirm.ts";
import { Button } from "./button.tsx";
import "./confirm.css";

/** Where questions are shown; there is one. */
export function Confirm() {
  const dialog = useRef<HTMLDialogElement>(null);
  const question = asked.value;
  useEffect(() => {
    if (question === undefined) dialog.current!.close();
    else if (!dialog.current!.open) dialog.current!.showModal();
  }, [question]);
  return (
    <dialog
      class="confirm"
      ref={dialog}
      aria-labelledby="confirm-title"
      onClose={() => question?.answer(false)}
    >
      <h2 id="confirm-title">{question?.title}</h2>
      <p>{question?.text}</p>
      <div class="confirm-buttons">
        <Button onClick={() => question?.answer(false)}>Cancel</Button>
        <Button tone={question?.danger ? "danger" : "primary"} onClick={() => question?.answer(true)}>
          {question?.yes}
        </Button>
      </div>
    </dialog>
  );
}
