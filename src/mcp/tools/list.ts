import { z } from "zod";
import { MAX_GLOB } from "../../paths/glob.ts";
import { defineTool } from "../tool.ts";

/** Most documents in one answer. */
const MOST_DOCUMENTS = 500;

export const listTool = defineTool({
  name: "list",
  description:
    "Lists the documents of the workspace with their sizes in bytes: all, or the ones that match a glob.",
  reads: true,
  schema: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .max(MAX_GLOB)
      .optional()
      .describe("A glob. * matches within one folder, ** across folders."),
  }),
  example: { pattern: "**/*.md" },
  async run({ caller }, { pattern }) {
    const { docs } = await caller.request("doc.list", { ...(pattern !== undefined && { pattern }) });
    if (docs.length === 0)
      return pattern === undefined ? "The workspace has no documents." : `No document matches ${pattern}.`;
    const lines = docs
      .slice(0, MOST_DOCUMENTS)
      .map(
        ({ path, size, kind }) => `${path}  ${size}${kind === "text" ? "" : `  (${kind}: cannot be edited)`}`,
      );
    const more = docs.length - lines.length;
    if (more > 0) lines.push(`… ${more} more documents; use a narrower pattern.`);
    return lines.join("\n");
  },
});
