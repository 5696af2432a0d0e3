import { z } from "zod";
import { RefusedError } from "../../client/errors.ts";
import { defineTool } from "../tool.ts";
import { ToolFailure } from "../tool-failure.ts";
import { id, message, pathArgument } from "./arguments.ts";

/** Tools that edit one document. */

export const editTool = defineTool({
  name: "edit",
  description:
    "Replaces text in a document. `old` is copied exactly from what read showed, with enough around it to occur " +
    "once. What others changed since you read is kept: the answer shows what was applied, and what they changed.",
  reads: false,
  schema: z.strictObject({
    path: pathArgument,
    old: z.string().min(1).describe("The text to replace, white space included."),
    new: z.string().describe("What takes its place; may be empty."),
    occurrence: z
      .union([z.enum(["unique", "first", "all"]), z.int().min(1)])
      .optional()
      .describe("Which match is meant where there are several; a number counts from 1. Default: unique."),
    message,
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
    "Applies a unified diff to one document: all hunks or none. Line numbers may be off by up to 50, and file headers " +
    "left out; where white space or outer lines of context differ, you are asked to confirm.",
  reads: false,
  schema: z.strictObject({
    path: pathArgument,
    patch: z.string().min(1).describe("Hunks, each with its @@ -line,count +line,count @@ header."),
    confirm: id.optional().describe("The patch_id of a CONFIRMATION_REQUIRED answer, to go ahead."),
    message,
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
    "Creates a document, or makes an existing one's text what is given. It is compared with what you read, and " +
    "only your differences go in: what others changed since stays. Prefer edit for small changes.",
  reads: false,
  schema: z.strictObject({ path: pathArgument, text: z.string().describe("The whole text."), message }),
  example: { path: "plans/week.md", text: "# This week\n\n- call Ada\n" },
  async run(agent, { path, text, message }) {
    try {
      return await agent.write({ path, text, ...(message !== undefined && { message }) });
    } catch (error) {
      if (!(error instanceof RefusedError) || !MISSING.has(error.code)) throw error;
    }
    const made = await agent.caller.request("doc.create", { path, text });
    agent.seen.sawText(made);
    return `${made.path}: created, version ${made.version}, ${made.lines} lines`;
  },
});

const MISSING = new Set(["NOT_FOUND", "DELETED"]);

export const undoTool = defineTool({
  name: "undo",
  description:
    "Takes one change or batch back, whoever made it, and keeps all that came after: your newest without an id, which " +
    "is how you take back your own edits one by one.",
  reads: false,
  schema: z.strictObject({
    changeId: id.optional().describe("As history and changes_since name it."),
    batchId: id.optional().describe("As batch named it."),
    message,
  }),
  example: { message: "that was the wrong list" },
  run: async (agent, { changeId, batchId, message }) => {
    const named = changeId === undefined ? batchId && { batchId } : { changeId };
    const meant = named || agent.newestEdit;
    if (meant === undefined)
      throw new ToolFailure("you have changed nothing in this session; history names what others did");
    return agent.undo(meant, message);
  },
});
