import { openQuestion } from "../../state/base/confirm.ts";
import { Dialog } from "./dialog.tsx";

/** Shows the open question, if there is one. */
export function ConfirmDialog() {
  const question = openQuestion.value;
  if (question === undefined) return null;
  const { title, text, yes, no, danger, answer } = question;
  return (
    <Dialog
      title={title}
      action={yes}
      cancel={no}
      tone={danger ? "danger" : "primary"}
      onAction={() => answer(true)}
      onClose={() => answer(false)}
    >
      <p>{text}</p>
    </Dialog>
  );
}
