import { z } from "zod";
import { MAX_GLOB } from "../../paths/glob.ts";
import { defineTool } from "../tool.ts";

/** Most documents in one answer. */
const MOST_DOCUMENTS = 500;

export const listTool = defineTool({
  name: "list_documents",
  formerly: "list",
  title: "List documents",
  description:
    "Lists documents with their sizes in bytes. Paths are relative to the workspace, with / between folders.",
  reads: true,
  output: z.object({
    documents: z.array(z.object({ path: z.string(), bytes: z.int(), kind: z.string() })),
    more: z.int(),
  }),
  schema: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .max(MAX_GLOB)
      .optional()
      .describe("A glob, such as **/*.md. * stays within one folder. Default: all."),
  }),
  example: { pattern: "**/*.md" },
  async run({ caller }, { pattern }) {
    const { docs } = await caller.request("doc.list", { ...(pattern !== undefined && { pattern }) });
    const shown = docs.slice(0, MOST_DOCUMENTS);
    const more = docs.length - shown.length;
    const documents = shown.map(({ path, size, kind }) => ({ path, bytes: size, kind }));
    return { text: textOf(documents, more, pattern), data: { documents, more } };
  },
});

function textOf(
  documents: readonly { readonly path: string; readonly bytes: number; readonly kind: string }[],
  more: number,
  pattern: string | undefined,
): string {
  if (documents.length === 0)
    return pattern === undefined ? "The workspace has no documents." : `No document matches ${pattern}.`;
  const lines = documents.map(
    ({ path, bytes, kind }) => `${path}  ${bytes}${kind === "text" ? "" : `  (${kind}: cannot be edited)`}`,
  );
  if (more > 0) lines.push(`… ${more} more documents; use a narrower pattern.`);
  return lines.join("\n");
}
