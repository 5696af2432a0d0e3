import { confirmation } from "../protocol/schemas/edits.ts";
import { paint } from "./output.ts";

/** Lists the places that a person has to check, and the option that applies the edit; undefined for other details. */
export function confirmationHint(details: unknown): string | undefined {
  const read = confirmation.safeParse(details);
  if (!read.success) return undefined;
  const { patch_id, hunks = [] } = read.data;
  const places = hunks.flatMap(({ hunk, line, why, there }) => [
    paint("bold", `hunk ${hunk}, at line ${line}, ${why}:`, process.stderr),
    ...there.text.map((text, i) => `${String(there.line + i).padStart(6)}  ${text}`),
  ]);
  return [...places, `If this is right, run the command again with: --confirm ${patch_id}`].join("\n");
}
