import { z } from "zod";
import { headedDiff, historyChange, time } from "./change.ts";
import { author, id, line, lineRange, machine, method, name, path, position, version } from "./common.ts";
import { common, editResult } from "./edits.ts";

const agent = name.describe("Name or id of an agent; `disk` for changes of files.");

/** Most changes that one undo names. */
const MOST_CHANGES = 1000;

const changeIds = z.array(id).min(1).max(MOST_CHANGES).optional();
const undoing = z
  .strictObject({
    changeId: id.optional().describe("Change to undo or redo."),
    changeIds: changeIds.describe("Changes to undo or redo as one."),
    batchId: id.optional().describe("Batch to undo or redo as one."),
    agent: agent.optional(),
    path: path.optional().describe("Document whose changes are considered."),
    ack: common.ack,
    opId: common.opId,
    message: common.message,
  })
  .refine(
    ({ changeId, changeIds, batchId, agent, path }) =>
      (changeId ?? changeIds ?? batchId) === undefined ||
      [changeId, changeIds, batchId, agent, path].filter((given) => given !== undefined).length === 1,
    { error: "give changeId, changeIds or batchId alone; an agent and a path go without them" },
  );
/** The parameters of `undo`, which also undoes everything of an agent. */
const undoRequest = z
  .strictObject({
    changeId: id.optional().describe("Change to undo."),
    changeIds: changeIds.describe("Changes to undo as one."),
    batchId: id.optional().describe("Batch to undo as one."),
    agent: agent.optional(),
    since: z.iso
      .datetime({ offset: true })
      .optional()
      .describe("Everything of the agent since this time, ISO 8601, as one batch."),
    session: name
      .optional()
      .describe(
        "Everything of the agent in this session, as one batch: the session that `hello` named in `agent.session`, or a claim.",
      ),
    path: path.optional().describe("Document whose changes are considered."),
    ack: common.ack,
    opId: common.opId,
    message: common.message,
  })
  .refine(
    ({ changeId, changeIds, batchId, agent, path, since, session }) =>
      (changeId ?? changeIds ?? batchId) === undefined ||
      [changeId, changeIds, batchId, agent, path, since, session].filter((given) => given !== undefined)
        .length === 1,
    {
      error:
        "give changeId, changeIds or batchId alone; an agent, a time, a session and a path go without them",
    },
  );
const madeBatch = z
  .string()
  .optional()
  .describe(
    "Batch of these changes, which change.get, undo and redo take; missing for a change of no batch.",
  );

const undone = editResult.extend({
  batchId: madeBatch,
  files: z
    .array(editResult)
    .optional()
    .describe("Result of each document, after the undo or redo of a batch."),
});

const checkpoint = z.object({ name, time, author, machine, documents: z.int() });

/** Methods that list changes, undo them, and return to earlier versions. */
export const history = {
  "history.list": method(
    "Returns changes, newest first, of one document or of all, of every agent or of one.",
    "read",
    () =>
      z.strictObject({
        path: path.optional(),
        agent: agent.optional(),
        limit: z.int().min(1).max(1000).optional().describe("Most changes to return. Default: 50."),
        before: id.optional().describe("Change that all returned ones are older than."),
      }),
    () =>
      z.object({
        changes: z.array(historyChange).describe("Changes, newest first."),
        more: z.boolean().describe("True when there are older changes."),
      }),
  ),
  "history.diff": method(
    "Returns the unified diff between two versions of a document. Without a path, it is the document that has them.",
    "read",
    () =>
      z.strictObject({
        path: path.optional(),
        from: version.describe("Older version."),
        to: version.optional().describe("Newer version. Default: the newest."),
      }),
    () => z.object({ diff: headedDiff }),
  ),
  "history.restore": method(
    "Restores a document's text as of a version, by a new edit that keeps the history. A deleted document comes back.",
    "propose",
    () => z.strictObject({ path, version, ack: common.ack, opId: common.opId, message: common.message }),
    () => editResult,
  ),
  "history.prune": method(
    "Drops the changes before a time from the history of all documents. It preserves the changes that checkpoints, proposals and the present texts need.",
    "admin",
    () =>
      z.strictObject({
        before: z.iso.datetime({ offset: true }).describe("Time, ISO 8601, in the past."),
        dryRun: z.boolean().optional().describe("True to count only. Default: false."),
      }),
    () =>
      z.object({
        documents: z.int().describe("Number of documents with dropped changes."),
        changes: z.int().describe("Number of dropped changes."),
        bytes: z.int().describe("Approximate bytes of these changes in the store."),
        kept: z.int().describe("Number of documents in use, which keep theirs for now."),
      }),
    "all",
  ),
  undo: method(
    "Reverts one change, of any author, and keeps all later ones: the named change or batch, or the newest change of an agent. Default: your own newest change. With `since` or `session` it reverts everything of the agent since then, all or nothing.",
    "write",
    () => undoRequest,
    () => undone,
  ),
  redo: method(
    "Applies an undone change again: the named change or batch, or the last undone change of an agent. Default: the change that you undid last.",
    "write",
    () => undoing,
    () => undone,
  ),
  blame: method(
    "Returns the author of each stretch of a document's text.",
    "read",
    () =>
      z.strictObject({
        path,
        lines: lineRange.optional().describe("First and last line, from 1, inclusive."),
      }),
    () =>
      z.object({
        path,
        version,
        runs: z
          .array(
            z.object({
              from: position,
              to: position,
              line: line.describe("Line on which the stretch begins."),
              author: author
                .nullable()
                .describe("Author; null, as the other fields, for text older than the history."),
              agent: z.string().nullable(),
              machine,
              changeId: z.string().nullable(),
              time: time.nullable(),
              message: z.string().optional(),
            }),
          )
          .describe("Stretches of text with their authors, ascending."),
      }),
  ),
  "checkpoint.create": method(
    "Stores the versions of all text documents under a name.",
    "admin",
    () => z.strictObject({ name: name.describe("Name of the checkpoint.") }),
    () => checkpoint,
    "all",
  ),
  "checkpoint.list": method(
    "Returns the checkpoints, newest first.",
    "read",
    () => z.strictObject({}),
    () => z.object({ checkpoints: z.array(checkpoint).describe("Checkpoints, newest first.") }),
    "all",
  ),
  "checkpoint.restore": method(
    "Restores the texts of all documents at a checkpoint, by new edits. Documents deleted since come back; documents created since stay.",
    "admin",
    () =>
      z.strictObject({
        name: name.describe("Name of the checkpoint."),
        preview: z
          .boolean()
          .optional()
          .describe("True to answer the files that would be restored, and to restore nothing."),
      }),
    () =>
      z.object({
        name,
        restored: z.array(path).describe("Documents whose text had changed or that were deleted."),
        unchanged: z.int().describe("Number of files that had not changed."),
        newer: z.array(path).describe("Documents created after the checkpoint; they stay as they are."),
        failed: z
          .array(z.object({ path, message: z.string() }))
          .describe("Documents that could not be restored."),
        batchId: madeBatch,
      }),
    "all",
  ),
};
