import { z } from "zod";
import { id, line, method, name, notes, path, sha256, text, version } from "./common.ts";
import { common, editResult, edits, lineChange, match, replacement } from "./edits.ts";
import { legacy } from "./legacy.ts";

/** Most files that one batch changes. */
const MOST_FILES = 100;

const label = text.max(1000);
const FORMS = ["changes", "patch", "replace", "text"] as const;

const file = z
  .strictObject({
    fileKey: name.optional(),
    docPath: path,
    originalSha256: sha256.optional(),
    version: version.optional(),
    fileLabel: label.optional(),
    ...notes,
    changes: z
      .array(lineChange)
      .min(1)
      .optional()
      .describe("Ordered top to bottom by line, never overlapping."),
    patch: text.min(1).optional().describe("A unified diff of this one document."),
    match,
    replace: z.strictObject(replacement).optional(),
    text: text.optional().describe("The whole new text, applied by the least difference."),
  })
  .refine((given) => FORMS.filter((form) => given[form] !== undefined).length === 1, {
    error: "give one of changes, patch, replace and text",
  })
  .refine(({ patch, match }) => patch !== undefined || match === undefined, {
    error: "match goes with patch",
    path: ["match"],
  })
  .refine(({ originalSha256, version }) => originalSha256 !== undefined || version !== undefined, {
    error: "give originalSha256, or the version that you read",
    path: ["originalSha256"],
  });

const batch = z.strictObject({
  batchKey: name.optional(),
  batchLabel: label.optional(),
  ...notes,
  files: z.array(file).min(1).max(MOST_FILES).describe("Each file once, by whatever name."),
  onStale: z
    .enum(["merge", "reject"])
    .optional()
    .describe("What to do with a file that has changed since the text that is named. Default: reject."),
  ack: common.ack,
  opId: common.opId,
  message: common.message,
});

const changeView = z.object({
  batchId: z.string().nullable().describe("Null for a change that no batch made."),
  batchKey: name.optional(),
  batchLabel: label.optional(),
  ...notes,
  author: z.string(),
  time: z.string().describe("ISO 8601."),
  message: z.string().optional(),
  files: z.array(
    z.object({
      filePatchId: z.string().nullable(),
      fileKey: name.optional(),
      fileLabel: label.optional(),
      ...notes,
      docPath: path.describe("As it was given."),
      path: path.describe("Where the document is now."),
      changeId: z
        .string()
        .nullable()
        .describe(
          "The file's change in the history, as doc.changed names it; null when nothing was to change.",
        ),
      version: version.describe("What the change left."),
      diff: z.string().nullable().describe("Unified; null when the texts are not kept any more."),
      mirrored: z.boolean().describe("The file on disk holds it."),
      merged: z.boolean().optional().describe("Others had changed the document since the base."),
      conflicts: z
        .int()
        .optional()
        .describe("In how many places others had changed the same characters; both texts stay."),
      applied: editResult.shape.applied,
      changes: z.array(
        z.object({
          changeId: z.string().describe("Of this change of the file; change.get finds it."),
          changeKey: name.optional(),
          operation: z.enum(["insert", "replace", "delete", "patch", "text"]),
          description: z.string().optional(),
          ...notes,
          afterLine: z.int().min(0).optional(),
          startLine: line.optional(),
          endLine: line.optional(),
        }),
      ),
    }),
  ),
});

const tokens = {
  patch_id: id,
  base_hash: text.min(1).max(128),
};

const single = { ...edits, ...legacy };
/** What can be looked at before it is made. */
const previewable = [...(Object.keys(single) as (keyof typeof single)[]), "batch.apply" as const];

/** Methods that change several documents as one, and tell of changes by their ids. */
export const batches = {
  "batch.apply": method(
    "Changes several files: all of them, or none. What it cannot do is told as a result.",
    "write",
    batch,
    z.object({
      successful: z.boolean(),
      result: changeView.optional(),
      errors: z.array(
        z.object({
          code: z.string(),
          message: z.string(),
          docPath: z.string().optional(),
          fileIndex: z.int().optional().describe("Of the file in the request, from 0."),
          changeIndex: z.int().optional().describe("Of the change in its file, from 0."),
          suggestion: z.string().optional(),
          details: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
  ),
  "change.get": method(
    "Tells of a batch, one file's part of it, one change in that, or the change that an edit made, by its id.",
    "read",
    z
      .strictObject({ batchId: id.optional(), filePatchId: id.optional(), changeId: id.optional() })
      .refine((given) => Object.values(given).filter((one) => one !== undefined).length === 1, {
        error: "give one of batchId, filePatchId and changeId",
      }),
    changeView,
  ),
};

/** A document's part in a preview. */
const previewFile = z.object({
  path,
  diff: z.string(),
  applied: editResult.shape.applied,
  warnings: z.array(z.string()),
});

const expires = z.string().describe("ISO 8601; after that it has to be shown again.");

/** Methods that show a change before it is made. */
export const previews = {
  "preview.create": method(
    "Shows what an edit or a batch would do, and changes nothing. A base that is not the newest is refused unless its onStale says merge; confirm and opId count for nothing.",
    "append",
    z.strictObject({
      method: z.enum(previewable),
      params: z.record(z.string(), z.unknown()).describe("Those of the method."),
    }),
    z.object({
      ...tokens,
      files: z.array(previewFile),
      confirmationRequired: z
        .boolean()
        .describe("A warning has to be looked at: apply it with confirm: true."),
      expires,
    }),
  ),
  "preview.apply": method(
    "Makes exactly what was shown, once, all of it or nothing; a document that changed since is CONFLICT with status 409. The change is that of who asked for it; where another applies it, its message names them.",
    "write",
    z.strictObject({ ...tokens, confirm: z.boolean().optional() }),
    z.object({
      patch_id: z.string(),
      files: z.array(editResult).describe("One result a file, as an edit has it."),
      batch: changeView.optional(),
    }),
  ),
  "preview.list": method(
    "Previews that wait for somebody to confirm them, newest first, as long as they can be applied.",
    "read",
    z.strictObject({}),
    z.object({
      previews: z.array(
        z.object({
          ...tokens,
          author: z.string().describe("The name of who asked for it."),
          agent_id: z.string().describe("The identity of who asked for it."),
          message: z.string().nullable().describe("Why, as its author said it."),
          created_at: z.string(),
          expires,
          files: z.array(previewFile),
        }),
      ),
      more: z.boolean().describe("There are older ones."),
    }),
  ),
};

/** What connections are told of a preview that has to be confirmed, once for each of its documents. */
export const previewChanged = z.object({
  path,
  patch_id: z.string(),
  status: z.enum(["waiting", "applied"]),
  author: z.string(),
  agent_id: z.string(),
  confirmer: z.string().nullable().describe("The name of who applied it."),
});
