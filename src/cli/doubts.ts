import { confirmation } from "../protocol/schemas/edits.ts";
import { paint } from "./output.ts";

/** What has to be looked at before an edit is made, and how to have it made; undefined when that is not told. */
export function doubtsOf(details: unknown): string | undefined {
  const read = confirmation.safeParse(details);
  if (!read.success) return undefined;
  const { patch_id, hunks = [] } = read.data;
  const places = hunks.flatMap(({ hunk, line, why, there }) => [
    paint("bold", `hunk ${hunk}, at line ${line}, ${why}:`, process.stderr),
    ...there.text.map((text, i) => `${String(there.line + i).padStart(6)}  ${text}`),
  ]);
  return [...places, `If that is right, run it again with: --confirm ${patch_id}`].join("\n");
}
