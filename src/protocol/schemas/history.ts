import { z } from "zod";
import { author, id, line, lineRange, method, name, path, position, version } from "./common.ts";
import { common, editResult } from "./edits.ts";
import { time, told } from "./told.ts";

const agent = name.describe("The name of an agent, or its id; `disk` for what came from files.");

const undoing = z
  .strictObject({
    changeId: id.optional(),
    batchId: id.optional(),
    agent: agent.optional(),
    path: path.optional().describe("Only changes of this document."),
    ack: common.ack,
    opId: common.opId,
    message: common.message,
  })
  .refine(
    ({ changeId, batchId, agent, path }) =>
      (changeId ?? batchId) === undefined ||
      [changeId, batchId, agent, path].filter((given) => given !== undefined).length === 1,
    { error: "give a changeId or a batchId alone, or an agent, a path, or neither" },
  );
const undone = editResult.extend({
  files: z.array(editResult).optional().describe("All results, where a batch was taken back as one."),
});

const checkpoint = z.object({ name, time, author, documents: z.int() });

/** Methods about what was done, by whom, and about taking it back. */
export const history = {
  "history.list": method(
    "Changes, newest first: of one document or of all, of everybody or of one agent.",
    "read",
    z.strictObject({
      path: path.optional(),
      agent: agent.optional(),
      limit: z.int().min(1).max(1000).optional().describe("Default: 50."),
      before: id.optional().describe("Only changes older than this one."),
    }),
    z.object({ changes: z.array(told), more: z.boolean().describe("There are older ones.") }),
  ),
  "history.diff": method(
    "The unified diff between two versions of a document; to the newest one by default. Of a document in memory without a path.",
    "read",
    z.strictObject({ path: path.optional(), from: version, to: version.optional() }),
    z.object({ diff: z.string() }),
  ),
  "history.restore": method(
    "Makes the text what it was at a version, by a new edit: nothing is erased. Brings a deleted document back.",
    "propose",
    z.strictObject({ path, version, ack: common.ack, opId: common.opId, message: common.message }),
    editResult,
  ),
  undo: method(
    "Takes one change back, whoever made it, and keeps all that came after: the one named, all of a batch, or the newest of an agent; your own newest without any.",
    "write",
    undoing,
    undone,
  ),
  redo: method(
    "Makes again what was undone: the change or batch named, or what was last undone by or of an agent; by you without any.",
    "write",
    undoing,
    undone,
  ),
  blame: method(
    "Who put each stretch of the text there.",
    "read",
    z.strictObject({ path, lines: lineRange.optional().describe("From and to, 1-based, inclusive.") }),
    z.object({
      path,
      version,
      runs: z.array(
        z.object({
          from: position,
          to: position,
          line: line.describe("The line on which it begins."),
          author: author.nullable().describe("Null, as the rest, for what is older than the history kept."),
          agent: z.string().nullable(),
          changeId: z.string().nullable(),
          time: time.nullable(),
          message: z.string().optional(),
        }),
      ),
    }),
  ),
  "checkpoint.create": method(
    "Notes the versions of all text documents under a name.",
    "admin",
    z.strictObject({ name }),
    checkpoint,
    "all",
  ),
  "checkpoint.list": method(
    "Checkpoints, newest first.",
    "read",
    z.strictObject({}),
    z.object({ checkpoints: z.array(checkpoint) }),
    "all",
  ),
  "checkpoint.restore": method(
    "Makes all documents what they were at a checkpoint, by new edits; what was deleted since comes back, what was made since stays.",
    "admin",
    z.strictObject({ name }),
    z.object({
      name,
      restored: z.array(path).describe("Documents whose text was another, or that were deleted."),
      unchanged: z.int(),
      newer: z.array(path).describe("Documents that are not in the checkpoint; they stay as they are."),
      failed: z.array(z.object({ path, message: z.string() })),
    }),
    "all",
  ),
};
