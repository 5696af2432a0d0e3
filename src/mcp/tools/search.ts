import { z } from "zod";
import { glob } from "../../protocol/schemas/common.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { defineTool } from "../tool.ts";

/** Most matches in one answer, and most UTF-16 units of their lines. */
const MOST_MATCHES = 100;
const MOST_UNITS = 40_000;

type Page = Result<"search">;
type Match = Page["matches"][number];

export const searchTool = defineTool({
  name: "search_documents",
  formerly: "search",
  title: "Search documents",
  description: "Finds a text or a regex in the documents. Each match is path:line: and the line.",
  reads: true,
  schema: z.strictObject({
    query: z.string().min(1).max(10_000),
    regex: z.boolean().optional().describe("True for RE2; ^ and $ match at lines."),
    ignore_case: z.boolean().optional(),
    pattern: glob.optional().describe("Glob of paths. Default: all."),
    context: z.int().min(0).max(10).optional().describe("Lines around each match. Default: 0."),
  }),
  example: { query: "Monday", pattern: "**/*.md", context: 1 },
  async run({ caller }, { query, regex, ignore_case, pattern, context = 0 }) {
    const matches: Match[] = [];
    const tooLong: string[] = [];
    let page: Page | undefined;
    while (page === undefined || (page.next !== null && matches.length < MOST_MATCHES)) {
      page = await caller.request("search", {
        query,
        context,
        limit: MOST_MATCHES - matches.length,
        ...(regex !== undefined && { regex }),
        ...(ignore_case !== undefined && { ignoreCase: ignore_case }),
        ...(pattern !== undefined && { pattern }),
        ...(page?.next && { after: page.next }),
      });
      matches.push(...page.matches);
      tooLong.push(...page.tooLong);
    }
    const shown: string[] = [];
    let units = 0;
    for (const match of matches) {
      const lines = linesOf(match, context > 0);
      units += lines.length;
      if (units > MOST_UNITS) break;
      shown.push(lines);
    }
    if (shown.length === 0) shown.push("No document has a match.");
    if (page.more || (matches.length > 0 && shown.length < matches.length))
      shown.push("… there may be more matches; use a narrower query or pattern.");
    for (const path of tooLong) shown.push(`${path} was not searched: the regex needs too many steps in it.`);
    return shown.join("\n");
  },
});

function linesOf({ path, line, text, before, after }: Match, separates: boolean): string {
  const around = (lines: readonly string[], first: number) =>
    lines.map((shown, i) => `${path}-${first + i}- ${shown}`);
  return [
    ...around(before, line - before.length),
    `${path}:${line}: ${text}`,
    ...around(after, line + 1),
    ...(separates ? ["--"] : []),
  ].join("\n");
}
