import { z } from "zod";
import { MOST_FILES } from "../../work/bounds.ts";
import { MESSAGE_UNITS } from "../../workspace/outcome/message.ts";
import { CONFIDENCES, EDIT_OPERATIONS, OPERATIONS, STATUSES } from "../../workspace/proposals/proposal.ts";
import { editForms, FILE_OPERATIONS, ONE_FORM, oneForm } from "./batches.ts";
import { answered } from "./change.ts";
import {
  answering,
  id as anyId,
  lineRange,
  machine,
  method,
  path,
  text,
  version,
  versionOrNone,
} from "./common.ts";
import { common, editResult } from "./edits.ts";

const id = anyId.describe("Id of the proposal.");

const proposedFile = z.object({
  path: path.describe("Present path of the document, or of the file to create."),
  docId: z.string().describe("Id of the document; empty for a file to create."),
  to: path.optional().describe("New path, for a rename."),
  operation: z
    .enum([...OPERATIONS, "edit"])
    .describe(
      "Kind of change. In a proposal of several files each edit of a text is `edit`, as in the request.",
    ),
  current_value: z
    .string()
    .describe("Text to replace: the snippet, the whole text (full_replace), or nothing."),
  proposed_value: z.string().describe("New text; the diff of a patch."),
  base: versionOrNone.describe("Version that the proposal was made against; empty for a file to create."),
  version: version
    .nullable()
    .describe("Version that the diff is against; null unless the proposal is pending."),
  stale: z.boolean().describe("True when the document has changed since the base."),
  diff: z
    .string()
    .describe("Effect of an approval on the present text; after a review, the last approved change."),
  hunks: z
    .array(z.object({ number: z.int(), diff: z.string() }))
    .describe(
      "Hunks of an edit's diff, with the numbers that proposal.approve accepts. A hunk has its number until the proposal is closed. Hunks that grew together or fell apart get new numbers, which need `version`.",
    ),
  conflicts: z
    .array(z.object({ lines: lineRange, was: z.string(), now: z.string(), proposed: z.string() }))
    .describe("Places that later edits changed, too, as whole lines; they prevent the approval."),
  problem: z
    .string()
    .nullable()
    .describe("Reason why this cannot be approved now, such as a deleted document."),
});

const proposal = z.object({
  ...proposedFile.shape,
  id: z.string(),
  files: z
    .array(
      proposedFile.extend({
        status: z
          .enum(STATUSES)
          .describe("superseded: nothing is left to do in this file; `problem` says why."),
      }),
    )
    .optional()
    .describe(
      "Files of a proposal of several. The fields beside it are then of the first file; `diff`, `stale` and `problem` are of all.",
    ),
  field: z.string().nullable(),
  reasoning: z.string(),
  confidence: z.enum(CONFIDENCES),
  source_query: z.string().nullable(),
  status: z.enum(STATUSES),
  created_at: z.string().describe("Time of the proposal, ISO 8601 as all times here."),
  reviewed_at: z
    .string()
    .nullable()
    .describe("Time of the last review, or of the detection that it is superseded or expired."),
  applied_change: z
    .string()
    .nullable()
    .describe("changeId of the last approval; set on a pending proposal after a partial approval."),
  applied_batch: z
    .string()
    .nullable()
    .describe("batchId of the last approval, which undo takes back as one; null for a single edit."),
  approvals: z
    .array(
      z.object({
        change: z.string().describe("The first of its changes."),
        batch: z.string().optional().describe("Batch of its changes."),
        user_id: z.string(),
        reviewer: z.string(),
        reviewed_at: z.string(),
      }),
    )
    .describe("All approvals, oldest first; several after partial approvals."),
  agent_id: z.string().describe("Identity of the author."),
  author: z.string().describe("Name of the author."),
  machine,
  answers: answered.optional().describe("Message of a thread that the proposal answers."),
  user_id: z.string().nullable().describe("Identity of the last reviewer."),
  reviewer: z.string().nullable().describe("Name of the last reviewer."),
  reason: z.string().nullable().describe("Reason of the rejection."),
  withdrawn: z.literal(true).optional().describe("True for a rejected proposal that its author withdrew."),
});

const fileToPropose = z
  .strictObject({
    path,
    operation: z
      .enum(FILE_OPERATIONS)
      .describe("edit takes one of changes, patch, replace and text; create takes text; rename takes to."),
    to: path.optional().describe("New path, for rename."),
    ...editForms,
    version: common.version,
    sha256: common.sha256,
  })
  .refine(oneForm, { error: ONE_FORM });

/** The fields of a proposal of one edit that a proposal of several has in its files. */
const SINGLE = ["path", "operation", "old_content", "proposed_value", "patch", "version", "sha256"] as const;

const context = z
  .int()
  .min(0)
  .max(3)
  .optional()
  .describe("Unchanged lines around the changes of a hunk; 0 makes a hunk of each change. Default: 3.");

/** Methods about proposals: changes that wait for approval. */
export const proposals = {
  "proposal.create": method(
    "Proposes an edit, or changes of several files. Documents change only after an approval; until then the proposal follows their later edits.",
    "propose",
    () =>
      z
        .strictObject({
          path: path.optional(),
          operation: z
            .enum(EDIT_OPERATIONS)
            .optional()
            .describe(
              "Kind of edit. append adds whole lines at the end; replace changes the first match of old_content.",
            ),
          files: z
            .array(fileToPropose)
            .min(1)
            .max(MOST_FILES)
            .optional()
            .describe(
              "Changes of several files, which an approval makes as one. Instead of path and operation.",
            ),
          old_content: text.optional().describe("Exact text to replace, for replace."),
          proposed_value: text.optional().describe("Text to append, or the new text."),
          patch: text.min(1).optional().describe("Unified diff of this document, for patch."),
          reasoning: text
            .max(10_000)
            .optional()
            .describe(`Reason; its first ${MESSAGE_UNITS} characters become the message of the change.`),
          confidence: z.enum(CONFIDENCES).optional().describe("Confidence of the author. Default: medium."),
          source_query: text.max(10_000).optional().describe("Question or task that led to the proposal."),
          field: text.max(200).optional().describe("Name of the affected field, in the author's words."),
          version: common.version,
          sha256: common.sha256,
          opId: common.opId,
          ...answering,
        })
        .refine(
          ({ path, operation, files }) =>
            (files === undefined) === (path !== undefined && operation !== undefined),
          {
            error: "give path and operation, or files",
          },
        )
        .refine((asked) => asked.files === undefined || SINGLE.every((field) => asked[field] === undefined), {
          error: `with files, ${SINGLE.join(", ")} stand in the files`,
        }),
    () => proposal,
  ),
  "proposal.list": method(
    "Returns proposals, newest first. Default: of all documents and of every status.",
    "read",
    () =>
      z.strictObject({
        path: path.optional(),
        status: z.enum(STATUSES).optional().describe("Status of the proposals to return."),
        own: z.literal(true).optional().describe("Return only proposals by the caller's identity."),
        limit: z.int().min(1).max(1000).optional().describe("Most proposals to return. Default: 200."),
        before: id.optional().describe("Proposal that all returned ones are older than."),
      }),
    () =>
      z.object({
        proposals: z.array(proposal).describe("Proposals of up to 8 MB, and at least one."),
        more: z.boolean().describe("True when there may be older proposals; ask again with `before`."),
      }),
  ),
  "proposal.get": method(
    "Returns one proposal with its effect on the present text.",
    "read",
    () => z.strictObject({ id, context }),
    () => proposal,
  ),
  "proposal.approve": method(
    "Makes the proposed changes in their author's name, all of them or none. After a partial approval the rest stays pending under the same id.",
    "write",
    () =>
      z
        .strictObject({
          id,
          context,
          hunks: z
            .array(z.int().min(1))
            .min(1)
            .optional()
            .describe("Numbers of the hunks to approve, for a proposal of one file. Default: all."),
          files: z
            .array(
              z.strictObject({
                path: path.describe("Path of a file of the proposal."),
                operation: z
                  .enum(FILE_OPERATIONS)
                  .optional()
                  .describe("Which change of a file that the proposal names twice. Default: all of them."),
                hunks: z
                  .array(z.int().min(1))
                  .min(1)
                  .optional()
                  .describe("Hunks of this file. Default: all."),
                version: version.optional().describe("Version of this file that the reviewer saw."),
              }),
            )
            .min(1)
            .max(MOST_FILES)
            .optional()
            .describe("Files to approve. Default: all."),
          version: version
            .optional()
            .describe(
              "Version that the reviewer saw; refused with CONFLICT (409) when the document has another by now.",
            ),
          confirm: id
            .optional()
            .describe(
              "patch_id of a CONFIRMATION_REQUIRED refusal: the approval would drop most of the document.",
            ),
          ack: common.ack,
        })
        .refine(({ files, hunks, version }) => files === undefined || (hunks ?? version) === undefined, {
          error: "with files, hunks and version stand in the files",
        }),
    () =>
      proposal.extend({
        edit: editResult.describe("Result of the edit, or of the first of several changes."),
        edits: z
          .array(editResult)
          .optional()
          .describe("Results of all changes of a proposal of several files."),
        obsolete: z
          .array(proposal.pick({ id: true, path: true, author: true, status: true, problem: true }))
          .describe("Other proposals that this approval superseded, or that conflict with the text now."),
      }),
  ),
  "proposal.reject": method(
    "Closes a proposal without changing the document. Its author withdraws it with `propose` alone; for others it takes `write`.",
    "propose",
    () => z.strictObject({ id, reason: text.max(10_000).optional().describe("Reason of the rejection.") }),
    () => proposal,
  ),
};

/** The notification about a proposal, one for each of its documents. */
export const proposalChanged = proposal.pick({
  path: true,
  id: true,
  status: true,
  author: true,
  agent_id: true,
  answers: true,
  reviewer: true,
  reason: true,
  applied_change: true,
});
