import { Button } from "./button.tsx";
import { copy } from "./copy.ts";
import "./copy-line.css";

/** Shows a command with a button that copies it. */
export function CopyLine({ text }: { readonly text: string }) {
  return (
    <div class="copy-line">
      <code>{text}</code>
      <Button icon="copy" label={`Copy: ${text}`} onClick={() => void copy(text)} />
    </div>
  );
}
