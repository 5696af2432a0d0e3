import { z } from "zod";
import { proposedSentence } from "../answer-text.ts";
import { defineTool } from "../tool.ts";
import { pathArgument } from "./arguments.ts";

export const deleteTool = defineTool({
  name: "delete_document",
  title: "Delete a document",
  description: "Deletes a document. Its history stays; write_document brings it back.",
  reads: false,
  destroys: true,
  schema: z.strictObject({ path: pathArgument }),
  example: { path: "notes.md" },
  async run(agent, { path }) {
    const { path: at, proposal } = await agent.caller.request("doc.delete", { path });
    if (proposal !== undefined) return `${at}: ${proposedSentence(proposal)}`;
    await agent.rememberFile(at, "delete");
    return `${at}: deleted`;
  },
});

export const renameTool = defineTool({
  name: "rename_document",
  title: "Rename a document",
  description: "Moves a document to another path. Its history goes along.",
  reads: false,
  schema: z.strictObject({ path: pathArgument, to: pathArgument }),
  example: { path: "notes.md", to: "archive/notes.md" },
  async run(agent, { path, to }) {
    const moved = await agent.caller.request("doc.rename", { path, to });
    if (moved.proposal !== undefined) return `${moved.path}: ${proposedSentence(moved.proposal)}`;
    await agent.rememberFile(moved.path, "rename");
    return { text: `${path}: is now ${moved.path}`, created: moved.path };
  },
});
