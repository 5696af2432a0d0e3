import { z } from "zod";
import { MOST_FILES } from "../../work/bounds.ts";
import {
  answering,
  baseVersion,
  id,
  line,
  method,
  name,
  notes,
  path,
  sha256,
  text,
  version,
  versionOrNone,
} from "./common.ts";
import { common, editResult, edits, lineChange, match, replacement } from "./edits.ts";
import { legacy } from "./legacy.ts";

const label = text.max(1000);
const FORMS = ["changes", "patch", "replace", "text"] as const;

/** The forms of an edit of one of several files. */
export const editForms = {
  changes: z
    .array(lineChange)
    .min(1)
    .optional()
    .describe("Changes of whole lines, ascending by line and without overlaps."),
  patch: text.min(1).optional().describe("Unified diff of this document."),
  match,
  replace: z.strictObject(replacement).optional(),
  text: text
    .optional()
    .describe(
      "Whole new text, of which the daemon applies the smallest difference; for create, the file's text.",
    ),
};

type Forms = { readonly [form in (typeof FORMS)[number]]?: unknown } & {
  readonly operation?: FileOperation | undefined;
  readonly to?: string | undefined;
};

/** The change of one of several files. */
export const FILE_OPERATIONS = ["edit", "create", "delete", "rename"] as const;
type FileOperation = (typeof FILE_OPERATIONS)[number];

export const ONE_FORM =
  "an edit takes one of changes, patch, replace and text; create takes text alone, rename takes `to` alone, delete nothing";

/** Returns true for one of several files that has exactly the fields of its operation. */
export function oneForm({ operation = "edit", to, ...given }: Forms): boolean {
  const forms = FORMS.filter((form) => given[form] !== undefined);
  if ((to !== undefined) !== (operation === "rename")) return false;
  if (operation === "edit") return forms.length === 1;
  return operation === "create" ? forms.length === 1 && forms[0] === "text" : forms.length === 0;
}

const file = z
  .strictObject({
    fileKey: name.optional(),
    docPath: path,
    operation: z
      .enum(FILE_OPERATIONS)
      .optional()
      .describe(
        "create makes the file with `text`, delete removes it, rename moves it to `to`. Default: edit.",
      ),
    to: path.optional().describe("New path, for rename."),
    originalSha256: sha256.optional(),
    version: baseVersion.optional(),
    fileLabel: label.optional(),
    ...notes,
    ...editForms,
  })
  .refine(oneForm, { error: ONE_FORM })
  .refine(({ patch, match }) => patch !== undefined || match === undefined, {
    error: "match requires patch",
    path: ["match"],
  });

const batch = z.strictObject({
  batchKey: name.optional().describe("Key of the caller, returned with the batch."),
  batchLabel: label.optional().describe("Label of the caller, returned with the batch."),
  ...notes,
  files: z
    .array(file)
    .min(1)
    .max(MOST_FILES)
    .describe("Files to change; each document once, but a rename may stand beside an edit."),
  onStale: z
    .enum(["merge", "reject"])
    .optional()
    .describe("Handling of a file that has changed since its base. Default: reject."),
  ack: common.ack,
  opId: common.opId,
  ...answering,
  message: common.message,
});

const changeView = z.object({
  batchId: z.string().nullable().describe("Batch of the change; null when no batch made it."),
  proposal: z.string().optional().describe("Proposal that the batch became; it changed nothing yet."),
  batchKey: name.optional(),
  batchLabel: label.optional(),
  ...notes,
  author: z.string(),
  time: z.string().describe("Time of the change, ISO 8601."),
  message: z.string().optional(),
  files: z.array(
    z.object({
      filePatchId: z.string().nullable(),
      fileKey: name.optional(),
      fileLabel: label.optional(),
      ...notes,
      operation: z
        .enum(FILE_OPERATIONS)
        .optional()
        .describe("Set when the file was created, deleted or renamed."),
      docPath: path.describe("Path that the request named."),
      path: path.describe("Present path of the document."),
      changeId: z
        .string()
        .nullable()
        .describe(
          "Change of the file in the history, as in doc.changed; null when there was nothing to change.",
        ),
      version: versionOrNone.describe(
        "Version after the change; empty for a file that a proposal would create.",
      ),
      base: version.optional().describe("Version that the edit was made from."),
      diff: z
        .string()
        .nullable()
        .describe(
          "Unified diff; null when the history no longer has the texts, and in a batch of more than 200 changes.",
        ),
      mirrored: z
        .boolean()
        .describe(
          "True when the file on disk contains the change; false for a change that became a proposal, and in a batch of more than 200 changes.",
        ),
      merged: z.boolean().optional().describe("True when the document had changed since the base."),
      conflicts: z
        .int()
        .optional()
        .describe("Number of places where the other changes overlap this one; both texts remain."),
      applied: editResult.shape.applied,
      changes: z.array(
        z.object({
          changeId: z.string().describe("Id of this change within the file; change.get finds it."),
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
  patch_id: id.describe("Id of the preview."),
  base_hash: text.min(1).max(128).describe("Hash of the previewed documents' base."),
};

const single = { ...edits, ...legacy };
/** The methods that preview.create can preview. */
const previewable = [
  ...(Object.keys(single) as (keyof typeof single)[]),
  "batch.apply" as const,
  "undo" as const,
];

/** Methods that change several documents as one, and that find changes by their ids. */
export const batches = {
  "batch.apply": method(
    "Changes several files: either all of them or none. A refusal is a result with `errors`. With `propose` alone it becomes a proposal.",
    "propose",
    () => batch,
    () =>
      z.object({
        successful: z
          .boolean()
          .describe("True when the batch was applied, or proposed by a token that may only propose."),
        result: changeView.optional().describe("The applied batch, as change.get returns it."),
        errors: z
          .array(
            z.object({
              code: z.string(),
              message: z.string(),
              docPath: z.string().optional(),
              fileIndex: z.int().optional().describe("Index of the file in the request, from 0."),
              changeIndex: z.int().optional().describe("Index of the change in its file, from 0."),
              suggestion: z.string().optional(),
              details: z.record(z.string(), z.unknown()).optional(),
            }),
          )
          .describe("Reasons for a refusal; empty after success."),
      }),
  ),
  "change.get": method(
    "Returns a batch, the change of one file in it, one change in a file, or the change of a single edit, by its id.",
    "read",
    () =>
      z
        .strictObject({
          batchId: id.optional().describe("Id of a batch."),
          filePatchId: id.optional().describe("Id of one file's part of a batch."),
          changeId: id.optional().describe("Id of a change."),
        })
        .refine((given) => Object.values(given).some((one) => one !== undefined), {
          error: "give a batchId, a filePatchId or a changeId, or several of them that name one change",
        }),
    () => changeView,
  ),
};

/** One document of a preview. */
const previewFile = z.object({
  path,
  diff: z.string(),
  applied: editResult.shape.applied,
  warnings: z.array(z.string()),
});

const expires = z.string().describe("Time after which the preview cannot be applied, ISO 8601.");

/** The methods that show a change before a client applies it. */
export const previews = {
  "preview.create": method(
    "Returns the effect of an edit or a batch and changes nothing. A stale base is refused unless its `onStale` is `merge`; `confirm` and `opId` have no effect.",
    "propose",
    () =>
      z.strictObject({
        method: z.enum(previewable).describe("Method to preview."),
        params: z.record(z.string(), z.unknown()).describe("Parameters of that method."),
      }),
    () =>
      z.object({
        ...tokens,
        files: z.array(previewFile).describe("Documents that the change would affect."),
        confirmationRequired: z
          .boolean()
          .describe("True when warnings need review: preview.apply then takes confirm: true."),
        expires,
      }),
  ),
  "preview.apply": method(
    "Applies a preview exactly as shown, once; a document that changed since is refused with CONFLICT and status 409. The change belongs to the preview's author; when another applies it, its message names them. With `propose` alone it becomes a proposal.",
    "propose",
    () =>
      z.strictObject({
        ...tokens,
        confirm: z.boolean().optional().describe("Confirmation of the preview's warnings."),
      }),
    () =>
      z.object({
        patch_id: z.string().describe("Id of the preview."),
        files: z.array(editResult).describe("Result of each document, as an edit returns it."),
        batch: changeView
          .optional()
          .describe("The applied batch, when the preview was of a batch; missing above 200 changes."),
      }),
  ),
  "preview.list": method(
    "Returns the previews that wait for a confirmation, newest first.",
    "read",
    () => z.strictObject({}),
    () =>
      z.object({
        previews: z.array(
          z.object({
            ...tokens,
            author: z.string().describe("Name of the preview's author."),
            agent_id: z.string().describe("Identity of the preview's author."),
            message: z.string().nullable().describe("The author's reason."),
            created_at: z.string(),
            expires,
            files: z.array(previewFile),
          }),
        ),
        more: z.boolean().describe("True when there are older previews."),
      }),
  ),
};

/** The notification about a preview that needs a confirmation, one for each of its documents. */
export const previewChanged = z.object({
  path,
  patch_id: z.string(),
  status: z.enum(["waiting", "applied"]),
  author: z.string(),
  agent_id: z.string(),
  confirmer: z.string().nullable().describe("Name of the agent or person that applied it."),
});
