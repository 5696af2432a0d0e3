import { z } from "zod";
import { method, position, range, sha256, text, version } from "./common.ts";
import { common, editResult } from "./edits.ts";

const selection = z
  .union([range, z.strictObject({ from: position, to: position })])
  .optional()
  .describe("Start and end position, half-open.");
const base = version.optional().describe("Alias of `version`, or a SHA-256.");

/** The method for agents that work with a cursor and a selection. */
export const legacy = {
  "edit.legacy": method(
    "Inserts at a cursor, replaces or deletes a selection, or adds a comment line above one. The request names its base: a version, or the hash of the selection.",
    "propose",
    () =>
      z.strictObject({
        ...common,
        document_version: base,
        snapshot_version: base,
        document_digest: base,
        op: z.enum(["insert", "replace", "delete", "annotate"]).describe("Operation."),
        content: text.optional().describe("New text; for annotate the remark, without comment signs."),
        cursor: z
          .union([position, z.strictObject({ pos: position })])
          .optional()
          .describe("Position of insert and annotate. Default: the start of the range."),
        target_range: selection,
        selection: selection.describe("Alias of `target_range`."),
        document: z.literal(true).optional().describe("True when replace covers the whole text."),
        selection_fingerprint: sha256
          .optional()
          .describe("SHA-256 of the text in the range, the `selection_hash` of doc.read."),
      }),
    () => editResult,
  ),
};
