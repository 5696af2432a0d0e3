import { z } from "zod";
import { RefusedError } from "../../client/errors.ts";
import { defineTool } from "../tool.ts";
import { ToolFailure } from "../tool-failure.ts";
import { idArgument, messageArgument, pathArgument } from "./arguments.ts";

export const editTool = defineTool({
  name: "edit",
  description:
    "Replaces text in a document. Copy `old` exactly from an answer of read, with enough text around it to be " +
    "unique. Changes that others made since you read stay. The answer shows your change and theirs.",
  reads: false,
  schema: z.strictObject({
    path: pathArgument,
    old: z.string().min(1).describe("The text to replace, whitespace included."),
    new: z.string().describe("The replacement; may be empty."),
    occurrence: z
      .union([z.enum(["unique", "first", "all"]), z.int().min(1)])
      .optional()
      .describe("Which match to replace if there are several; the first is 1. Default: unique."),
    message: messageArgument,
  }),
  example: { path: "notes.md", old: "Monday", new: "Tuesday", message: "meeting moved" },
  run: (agent, { path, old, new: updated, occurrence, message }) =>
    agent.edit("edit.replace", {
      path,
      old,
      new: updated,
      ...(occurrence !== undefined && { occurrence }),
      ...(message !== undefined && { message }),
    }),
});

export const patchTool = defineTool({
  name: "patch",
  description:
    "Applies a unified diff to one document: all hunks or none. Line numbers may be off by up to 50; file headers are " +
    "optional. If whitespace or outer context lines differ, the answer asks you to confirm.",
  reads: false,
  schema: z.strictObject({
    path: pathArgument,
    patch: z.string().min(1).describe("Hunks, each with its @@ -line,count +line,count @@ header."),
    confirm: idArgument
      .optional()
      .describe("The patch_id of a CONFIRMATION_REQUIRED answer, to apply the patch anyway."),
    message: messageArgument,
  }),
  example: { path: "notes.md", patch: "@@ -1,2 +1,2 @@\n # Notes\n-Monday at ten\n+Tuesday at ten\n" },
  run: (agent, { path, patch, confirm, message }) =>
    agent.edit("edit.patch", {
      path,
      patch,
      match: "tolerant",
      ...(confirm !== undefined && { confirm }),
      ...(message !== undefined && { message }),
    }),
});

export const writeTool = defineTool({
  name: "write",
  description:
    "Creates a document, or replaces the whole text of one that you have read. The daemon applies only the differences " +
    "between your text and the text that you read, so changes of others stay. Prefer edit for small changes.",
  reads: false,
  schema: z.strictObject({
    path: pathArgument,
    text: z.string().describe("The whole text."),
    message: messageArgument,
  }),
  example: { path: "plans/week.md", text: "# This week\n\n- call Ada\n" },
  async run(agent, { path, text, message }) {
    try {
      return await agent.write({ path, text, ...(message !== undefined && { message }) });
    } catch (error) {
      if (!(error instanceof RefusedError) || !MISSING.has(error.code)) throw error;
    }
    const created = await agent.caller.request("doc.create", { path, text });
    return `${created.path}: created, version ${created.version}, ${created.lines} lines`;
  },
});

const MISSING = new Set(["NOT_FOUND", "DELETED"]);

export const undoTool = defineTool({
  name: "undo",
  description:
    "Undoes one change or batch of any author; later changes stay. Without an id, it undoes your newest change that " +
    "is not undone yet, so repeated calls undo your changes one by one.",
  reads: false,
  schema: z.strictObject({
    changeId: idArgument.optional().describe("The id of a change from history or changes_since."),
    batchId: idArgument.optional().describe("The id of a batch from an answer of batch."),
    message: messageArgument,
  }),
  example: { message: "that was the wrong list" },
  run: async (agent, { changeId, batchId, message }) => {
    const named = changeId === undefined ? batchId && { batchId } : { changeId };
    const target = named || agent.newestEdit;
    if (target === undefined)
      throw new ToolFailure(
        "You have made no change in this session. To undo another author's change, pass its changeId from history.",
      );
    return agent.undo(target, message);
  },
});
