import { attempt, showMessage } from "../state/messages.ts";

/** Puts a text on the clipboard, and says so. */
export async function copy(text: string): Promise<void> {
  const copied = await attempt("It could not be copied", async () => {
    await navigator.clipboard.writeText(text);
    return true;
  });
  if (copied) showMessage("good", text.length < 200 ? `Copied: ${text}` : "Copied.");
}
