import { z } from "zod";
import { MOST_LINE_CHANGES, MOST_SPLICES } from "../../work/bounds.ts";
import { MESSAGE_UNITS } from "../../workspace/outcome/message.ts";
import {
  conflicts,
  id,
  line,
  method,
  name,
  notes,
  path,
  sha256,
  splice,
  text,
  version,
  view,
} from "./common.ts";

/** What every edit may say. */
export const common = {
  path,
  version: version.optional(),
  sha256: sha256.optional(),
  onStale: z
    .enum(["merge", "reject"])
    .optional()
    .describe("What to do when the document has changed since the base. Default: merge."),
  ack: z
    .enum(["mirrored", "durable"])
    .optional()
    .describe(
      "When to answer: once the file on disk holds the edit (default), or once it is fsynced in the store.",
    ),
  opId: text
    .min(1)
    .max(200)
    .optional()
    .describe("The same id again gets the first answer again, not a second edit."),
  message: text.max(MESSAGE_UNITS).optional().describe("Why, as in a commit; shown in the history."),
  confirm: id.optional().describe("The patch_id of a CONFIRMATION_REQUIRED answer."),
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
/** One of whole lines; numbers are 1-based, inclusive, and of the text before any change. */
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

/** Text by text. */
export const replacement = {
  old: text.min(1),
  new: text,
  occurrence: z
    .union([z.enum(["unique", "first", "all"]), z.int().min(1)])
    .optional()
    .describe("Which match is meant; a number counts from 1. Default: unique."),
  regex: z.boolean().optional().describe("`old` is an RE2 regex; $1, $<name> and $& work in `new`."),
};

export const editResult = z.object({
  changeId: z.string().nullable().describe("Null when nothing was left to change, or it was only proposed."),
  proposal: z.string().optional().describe("The proposal that the edit became: it waits for approval."),
  path,
  version,
  sha256: sha256
    .nullable()
    .describe("Null for a document over 1 MiB whose file was not waited for (ack: durable)."),
  summary: z.string(),
  splices: z.array(splice).describe("In the positions of the text they were applied to."),
  durable: z.boolean(),
  mirrored: z.boolean().describe("False when the file could not be written yet; doc.status tells why."),
  merged: z.boolean().describe("Others had changed the document since the base."),
  conflicts: conflicts.describe("Both sides changed the same characters (base positions); both texts stay."),
  applied: z.object({ hunks: z.int(), offset: z.int(), fuzz: z.int() }).optional(),
});

/** Any JSON whose strings UTF-8 can carry. */
const json = z
  .unknown()
  .refine(isCarried, { error: "is missing, or holds a lone surrogate, which is no text" });

function isCarried(value: unknown): boolean {
  const left = [value];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (typeof item === "string" && !item.isWellFormed()) return false;
    if (typeof item === "object" && item !== null)
      for (const [key, inner] of Object.entries(item)) left.push(key, inner);
  }
  return value !== undefined;
}

/** How a patch is placed. */
export const match = z
  .enum(["strict", "tolerant"])
  .optional()
  .describe(
    "strict (default): lines match as they are. tolerant: what does not is looked for without regard to white space and blank lines, then without one or two outer lines of context. What is allowed for has to be confirmed.",
  );

/** What `details` of a CONFIRMATION_REQUIRED answer says of a patch. */
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
    "Replaces text by text.",
    "propose",
    z.strictObject({
      ...common,
      ...replacement,
    }),
    editResult,
  ),
  "edit.patch": method(
    "Applies a unified diff: all hunks or none.",
    "propose",
    z
      .strictObject({
        ...common,
        patch: text
          .min(1)
          .optional()
          .describe(
            "A unified diff of this one document; may be fenced or indented, or as apply_patch takes it.",
          ),
        patch_lines: z.array(text).min(1).optional().describe("The same, a string a line."),
        match,
        document_version: version.optional().describe("The same as `version`."),
        snapshot_version: version.optional().describe("The same as `version`."),
        document_digest: z
          .string()
          .min(1)
          .max(64)
          .optional()
          .describe("64 hex digits: the same as `sha256`; else the same as `version`."),
      })
      .refine((p) => (p.patch === undefined) !== (p.patch_lines === undefined), {
        error: "give either patch or patch_lines",
      }),
    editResult,
  ),
  "edit.splice": method(
    "Replaces ranges by position.",
    "propose",
    z.strictObject({
      ...common,
      splices: z
        .array(splice)
        .min(1)
        .max(MOST_SPLICES, { error: `one edit takes up to ${MOST_SPLICES} splices; send several edits` }),
    }),
    editResult,
  ),
  "edit.lines": method(
    "Inserts, replaces and deletes whole lines by number.",
    "propose",
    z.strictObject({
      ...common,
      changes: z
        .array(lineChange)
        .min(1)
        .max(MOST_LINE_CHANGES, {
          error: `one edit takes up to ${MOST_LINE_CHANGES} changes; send several edits`,
        }),
    }),
    editResult,
  ),
  "edit.append": method("Adds text at the end.", "propose", z.strictObject({ ...common, text }), editResult),
  "edit.write": method(
    "Makes the text what is given, by the least difference.",
    "propose",
    z.strictObject({
      ...common,
      text,
      view: view.describe(
        "`markdown`: `text` is the Markdown view of a .toml document, edited; what differs from the view of the base is changed in the document. Default: text.",
      ),
    }),
    editResult,
  ),
  "edit.set": method(
    "Sets one field of a TOML, JSON or YAML document; all else stays byte for byte.",
    "propose",
    z.strictObject({
      ...common,
      key: z
        .array(z.union([text.max(1000), z.int().min(0)]))
        .min(1)
        .max(100)
        .describe(
          "Names of fields and indexes of items, from 0; an index equal to the list's length appends.",
        ),
      value: json.describe(
        "Missing objects on the way are made. In TOML there is no null, a float stays a float, and a string is a string, also in place of a date.",
      ),
    }),
    editResult,
  ),
};
