import { z } from "zod";
import { tool } from "../tool.ts";

/** Documents named at once. */
const MOST = 500;

export const list = tool({
  name: "list",
  description:
    "Lists the documents of the workspace with their sizes in bytes, all or those that match a glob.",
  reads: true,
  schema: z.strictObject({
    pattern: z.string().min(1).max(1000).optional().describe("A glob: * stays within a folder, ** does not."),
  }),
  example: { pattern: "**/*.md" },
  async run({ caller }, { pattern }) {
    const { docs } = await caller.request("doc.list", { ...(pattern !== undefined && { pattern }) });
    if (docs.length === 0) return pattern === undefined ? "no documents" : `nothing matches ${pattern}`;
    const lines = docs
      .slice(0, MOST)
      .map(
        ({ path, size, kind }) => `${path}  ${size}${kind === "text" ? "" : `  (${kind}: cannot be edited)`}`,
      );
    const more = docs.length - lines.length;
    if (more > 0) lines.push(`… ${more} more; narrow the pattern`);
    return lines.join("\n");
  },
});
