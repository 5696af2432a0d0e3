import { attempt, say } from "../state/tell.ts";
import { Button } from "./button.tsx";
import "./copy-line.css";

/** A command to run, and a button that copies it. */
export function CopyLine({ text }: { readonly text: string }) {
  const copy = async () => {
    const done = await attempt("It could not be copied", () =>
      navigator.clipboard.writeText(text).then(() => true),
    );
    if (done) say("good", `Copied: ${text}`);
  };
  return (
    <div class="copy-line">
      <code>{text}</code>
      <Button icon="copy" label={`Copy: ${text}`} onClick={() => void copy()} />
    </div>
  );
}
