import { attempt, showMessage } from "../../state/base/messages.ts";

/** Copies a text to the clipboard and shows a message. */
export async function copy(text: string): Promise<void> {
  const copied = await attempt("Could not copy the text", async () => {
    await navigator.clipboard.writeText(text);
    return true;
  });
  if (copied) showMessage("good", text.length < 200 ? `Copied: ${text}` : "Copied.");
}
