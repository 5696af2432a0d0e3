import { z } from "zod";
import { MOST_LINE_CHANGES, MOST_SPLICES } from "../../work/bounds.ts";
import {
  answering,
  baseVersion,
  conflicts,
  id,
  line,
  message,
  method,
  name,
  notes,
  path,
  placement,
  sha256,
  splice,
  text,
  version,
  view,
} from "./common.ts";

/** The parameters of every edit. */
export const common = {
  path,
  version: baseVersion.optional(),
  sha256: sha256.optional().describe("Base of the edit: SHA-256 of the file that you read, in hex."),
  onStale: z
    .enum(["merge", "reject"])
    .optional()
    .describe("Handling of a document that has changed since the base. Default: merge."),
  ack: z
    .enum(["mirrored", "durable"])
    .optional()
    .describe(
      "Time of the answer: when the file on disk contains the edit (mirrored, the default) or when the store does (durable).",
    ),
  opId: text
    .min(1)
    .max(200)
    .optional()
    .describe(
      "Id of the operation; a repeated request returns the first answer and makes no second edit. A different request needs another id.",
    ),
  message,
  confirm: id.optional().describe("patch_id of a CONFIRMATION_REQUIRED refusal."),
  ...answering,
};

const newLines = z.array(text).min(1);
const lineTarget = {
  startLine: line,
  endLine: line,
  expectedOriginalLines: z.array(text).min(1),
};
const described = {
  changeKey: name.optional(),
  description: text.max(1000).optional(),
  ...notes,
};
/** A change of whole lines. Numbers are from 1, inclusive, and refer to the text before all changes. */
export const lineChange = z.discriminatedUnion("operation", [
  z.strictObject({
    ...described,
    operation: z.literal("insert"),
    afterLine: z.int().min(0),
    newLines,
  }),
  z.strictObject({
    ...described,
    operation: z.literal("replace"),
    ...lineTarget,
    newLines,
  }),
  z.strictObject({
    ...described,
    operation: z.literal("delete"),
    ...lineTarget,
  }),
]);

/** The replacement of one text by another. */
export const replacement = {
  old: text.min(1).describe("Text to find."),
  new: text.describe("Replacement."),
  occurrence: z
    .union([z.enum(["unique", "first", "all"]), z.int().min(1)])
    .optional()
    .describe("Match to replace; a number counts from 1. Default: unique."),
  regex: z
    .boolean()
    .optional()
    .describe("True when `old` is an RE2 regex; `new` may use $1, $<name> and $&."),
};

export const editResult = z.object({
  changeId: z
    .string()
    .nullable()
    .describe("Id of the change; null when nothing changed or the edit became a proposal."),
  proposal: z.string().optional().describe("Id of the proposal that the edit became; it waits for approval."),
  path,
  version,
  sha256: sha256
    .nullable()
    .describe("SHA-256 of the document's bytes in hex; null for a document over 1 MiB with `ack: durable`."),
  summary: z.string().describe("Description of the change in a few words."),
  splices: z.array(splice).describe("Applied changes, in positions of the text before them."),
  durable: z.boolean().describe("True when the store contains the edit, or the proposal that it became."),
  mirrored: z
    .boolean()
    .describe(
      "True when the file contains the edit. False for one that became a proposal; else doc.status names the problem.",
    ),
  base: version
    .optional()
    .describe("Version that the edit was made from; missing in an answer that an earlier build stored."),
  merged: z.boolean().describe("True when the document had changed since the base."),
  conflicts: conflicts.describe(
    "Places where both sides changed the same words, or words beside each other, in positions of the base; both texts remain.",
  ),
  applied: placement
    .optional()
    .describe("Placement of a patch: its hunks, the lines they moved, the context lines ignored."),
});

/** Any JSON value whose strings UTF-8 can represent. */
const json = z
  .unknown()
  .refine(isCarried, { error: "is missing, or contains a lone surrogate, which is no text" });

function isCarried(value: unknown): boolean {
  const left = [value];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (typeof item === "string" && !item.isWellFormed()) return false;
    if (typeof item === "object" && item !== null)
      for (const [key, inner] of Object.entries(item)) left.push(key, inner);
  }
  return value !== undefined;
}

/** The rule for placing the hunks of a patch. */
export const match = z
  .enum(["strict", "tolerant"])
  .optional()
  .describe(
    "Placement of hunks. strict (default): lines match exactly. tolerant: hunks may differ in white space and blank lines, then in one or two outer lines of context; a difference needs confirmation.",
  );

/** The `details` of a CONFIRMATION_REQUIRED refusal of a patch. */
export const confirmation = z.object({
  patch_id: z.string(),
  hunks: z
    .array(
      z.object({
        hunk: z.int(),
        line: z.int(),
        offset: z.int(),
        fuzz: z.int(),
        why: z.string(),
        there: z.object({ line: z.int(), text: z.array(z.string()) }),
      }),
    )
    .optional(),
});

/** Methods that edit one document. */
export const edits = {
  "edit.replace": method(
    "Replaces one text by another.",
    "propose",
    () =>
      z.strictObject({
        ...common,
        ...replacement,
      }),
    () => editResult,
  ),
  "edit.patch": method(
    'Applies a unified diff: either all hunks or none. Also takes `target_file` or `block` for `path`, `diff` for `patch`, and `op` or `action: "patch"`.',
    "propose",
    () =>
      z
        .strictObject({
          ...common,
          patch: text
            .min(1)
            .optional()
            .describe("Unified diff of this document, also fenced, indented, or in the apply_patch format."),
          patch_lines: z.array(text).min(1).optional().describe("The diff as a list of its lines."),
          match,
          document_version: version.optional().describe("Alias of `version`."),
          snapshot_version: version.optional().describe("Alias of `version`."),
          document_digest: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe("Alias of `sha256` when it has 64 hex digits, else of `version`."),
        })
        .refine((p) => (p.patch === undefined) !== (p.patch_lines === undefined), {
          error: "give either patch or patch_lines",
        }),
    () => editResult,
  ),
  "edit.splice": method(
    "Replaces ranges of positions.",
    "propose",
    () =>
      z.strictObject({
        ...common,
        splices: z
          .array(splice)
          .min(1)
          .max(MOST_SPLICES, { error: `one edit takes at most ${MOST_SPLICES} splices; send several edits` })
          .describe("Ranges and their new texts, in positions of the base."),
      }),
    () => editResult,
  ),
  "edit.lines": method(
    "Inserts, replaces and deletes whole lines by number.",
    "propose",
    () =>
      z.strictObject({
        ...common,
        changes: z
          .array(lineChange)
          .min(1)
          .max(MOST_LINE_CHANGES, {
            error: `one edit takes at most ${MOST_LINE_CHANGES} changes; send several edits`,
          })
          .describe("Changes of whole lines, in line numbers of the base."),
      }),
    () => editResult,
  ),
  "edit.append": method(
    "Appends text to a document.",
    "propose",
    () => z.strictObject({ ...common, text: text.describe("Text to append.") }),
    () => editResult,
  ),
  "edit.write": method(
    "Replaces the whole text; the daemon applies the smallest difference.",
    "propose",
    () =>
      z.strictObject({
        ...common,
        text: text.describe("New text of the document, or of its view."),
        view: view.describe(
          "`markdown` when `text` is the edited Markdown view of a .toml document; the daemon applies its differences to the document. Default: text.",
        ),
      }),
    () => editResult,
  ),
  "edit.set": method(
    "Sets one field of a TOML, JSON or YAML document; all other bytes stay the same.",
    "propose",
    () =>
      z.strictObject({
        ...common,
        key: z
          .array(z.union([text.max(1000), z.int().min(0)]))
          .min(1)
          .max(100)
          .describe(
            "Names of fields and indexes of items from 0; an index equal to the length of the list appends an item.",
          ),
        value: json.describe(
          "New value. The daemon creates missing objects on the way. TOML has no null, keeps floats floats, and stores a string as a string, also over a date.",
        ),
      }),
    () => editResult,
  ),
};
