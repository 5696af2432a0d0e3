import { z } from "zod";
import { method, position, range, sha256, text, version } from "./common.ts";
import { common, editResult } from "./edits.ts";

const selection = z
  .union([range, z.strictObject({ from: position, to: position })])
  .optional()
  .describe("From and to, half-open.");
const base = version.optional().describe("Another name of `version`; a SHA-256 is one, too.");

/** The operations of agents that think in cursors and selections. */
export const legacy = {
  "edit.legacy": method(
    "Inserts at a cursor, replaces or deletes a selection, or puts a comment line above one, for agents that do not write patches. Names what it was made against: a version, or the hash of the selection.",
    "propose",
    z.strictObject({
      ...common,
      document_version: base,
      snapshot_version: base,
      document_digest: base,
      op: z.enum(["insert", "replace", "delete", "annotate"]),
      content: text.optional().describe("What is put there; of annotate the remark, without comment signs."),
      cursor: z
        .union([position, z.strictObject({ pos: position })])
        .optional()
        .describe("Where insert and annotate work; the start of the range without it."),
      target_range: selection,
      selection: selection.describe("Another name of `target_range`."),
      document: z.literal(true).optional().describe("replace: the whole text."),
      selection_fingerprint: sha256
        .optional()
        .describe("SHA-256 of the text in the range, as doc.read's `selection_hash`."),
    }),
    editResult,
  ),
};
