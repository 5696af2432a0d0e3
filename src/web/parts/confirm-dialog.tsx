import { openQuestion } from "../state/confirm.ts";
import { Dialog } from "./dialog.tsx";

/** Where questions are shown; there is one. */
export function ConfirmDialog() {
  const question = openQuestion.value;
  if (question === undefined) return null;
  const { title, text, yes, no, danger, answer } = question;
  return (
    <Dialog
      title={title}
      does={yes}
      leaves={no}
      tone={danger ? "danger" : "primary"}
      onDo={() => answer(true)}
      onClose={() => answer(false)}
    >
      <p>{text}</p>
    </Dialog>
  );
}
