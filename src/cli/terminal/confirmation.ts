import { confirmation } from "../../protocol/schemas/edits.ts";
import { paint } from "./output.ts";

/** Returns lines with the places that a person has to check before an edit is confirmed; none for other details. */
export function placesToCheck(details: unknown): string[] {
  const { hunks = [] } = confirmation.safeParse(details).data ?? {};
  return hunks.flatMap(({ hunk, line, why, there }) => [
    paint("bold", `hunk ${hunk}, at line ${line}, ${why}:`, process.stderr),
    ...there.text.map((text, i) => `${String(there.line + i).padStart(6)}  ${text}`),
  ]);
}

/** Lists the places to check, and the option that applies the edit; undefined for details without a preview. */
export function confirmationHint(details: unknown): string | undefined {
  const read = confirmation.safeParse(details);
  if (!read.success) return undefined;
  const apply = `If this is right, run the command again with: --confirm ${read.data.patch_id}`;
  return [...placesToCheck(details), apply].join("\n");
}
