import { z } from "zod";
import { RefusedError } from "../../client/errors.ts";
import { PATCH_NAMES } from "../../protocol/params/parameter-names.ts";
import { type Answer, edited } from "../answer.ts";
import { proposedSentence } from "../answer-text.ts";
import { defineTool } from "../tool.ts";
import { ToolFailure } from "../tool-failure.ts";
import { baseArgument, idArgument, messageArgument, occurrence, pathArgument } from "./arguments.ts";

export const editTool = defineTool({
  name: "edit_document",
  formerly: "edit",
  title: "Edit a document",
  description:
    "Replaces text in a document. Copy `old` exactly from your read, with enough around it to be unique. The answer " +
    "shows your change, and the changes of others since your read.",
  reads: false,
  output: edited,
  schema: z.strictObject({
    path: pathArgument,
    old: z.string().min(1),
    new: z.string(),
    occurrence,
    version: baseArgument,
    message: messageArgument,
  }),
  example: { path: "notes.md", old: "Monday", new: "Tuesday", message: "meeting moved" },
  run: (agent, { path, old, new: updated, occurrence, version, message }) =>
    agent.edit("edit.replace", {
      path,
      old,
      new: updated,
      ...(version !== undefined && { version }),
      ...(occurrence !== undefined && { occurrence }),
      ...(message !== undefined && { message }),
    }),
});

export const patchTool = defineTool({
  name: "patch_document",
  formerly: "patch",
  title: "Patch a document",
  description:
    "Applies a unified diff to one document: all hunks or none. Line numbers may be off by up to 50. If context " +
    "differs, the answer asks you to confirm.",
  reads: false,
  output: edited,
  schema: z.strictObject({
    path: pathArgument,
    patch: z.string().min(1).describe("Hunks with their @@ headers."),
    confirm: idArgument
      .optional()
      .describe("The id in an answer that asked you to confirm, to apply the patch anyway."),
    version: baseArgument,
    message: messageArgument,
  }),
  otherNames: PATCH_NAMES,
  example: { path: "notes.md", patch: "@@ -1,2 +1,2 @@\n # Notes\n-Monday at ten\n+Tuesday at ten\n" },
  run: (agent, { path, patch, confirm, version, message }) =>
    agent.edit("edit.patch", {
      path,
      patch,
      ...(version !== undefined && { version }),
      match: "tolerant",
      ...(confirm !== undefined && { confirm }),
      ...(message !== undefined && { message }),
    }),
});

export const writeTool = defineTool({
  name: "write_document",
  formerly: "write",
  title: "Write a document",
  description:
    "Creates a document, or replaces the whole text of one that you have read. Only the differences to your read are " +
    "applied, so changes of others stay.",
  reads: false,
  output: edited,
  schema: z.strictObject({
    path: pathArgument,
    text: z.string(),
    version: baseArgument,
    message: messageArgument,
  }),
  example: { path: "plans/week.md", text: "# This week\n\n- call Ada\n" },
  async run(agent, { path, text, version, message }): Promise<Answer> {
    try {
      return await agent.write({
        path,
        text,
        ...(version !== undefined && { version }),
        ...(message !== undefined && { message }),
      });
    } catch (error) {
      if (!(error instanceof RefusedError) || !MISSING.has(error.code)) throw error;
    }
    const created = await agent.caller.request("doc.create", {
      path,
      text,
      ...(message !== undefined && { message }),
    });
    if ("proposal" in created) {
      const { path: at, proposal } = created;
      const report = `${at}: ${proposedSentence(proposal)}`;
      return { text: report, data: { path: at, proposal, report } };
    }
    await agent.rememberFile(created.path, "create");
    const report = `${created.path}: created, version ${created.version}, ${created.lines} lines`;
    const data = { path: created.path, version: created.version, report };
    return { text: report, data, created: created.path };
  },
});

const MISSING = new Set(["NOT_FOUND", "DELETED"]);

export const undoTool = defineTool({
  name: "undo_change",
  formerly: "undo",
  title: "Undo a change",
  description:
    "Undoes one change or batch of any author; later changes stay. Without an id, it undoes your newest change that " +
    "is not undone yet.",
  reads: false,
  schema: z.strictObject({
    changeId: idArgument.optional().describe("From list_changes."),
    batchId: idArgument.optional(),
    message: messageArgument,
  }),
  example: { message: "that was the wrong list" },
  run: async (agent, { changeId, batchId, message }) => {
    const named = { ...(changeId !== undefined && { changeId }), ...(batchId !== undefined && { batchId }) };
    const target = Object.keys(named).length > 0 ? named : agent.newestEdit;
    if (target === undefined)
      throw new ToolFailure(
        "You have made no change in this session. To undo another author's change, pass its changeId from list_changes.",
      );
    return agent.undo(target, message);
  },
});
