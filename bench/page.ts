import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "./places.ts";
import { circumstances, type Results } from "./results.ts";
import { markdownFloors, markdownTable } from "./table.ts";

const PAGE = join(PROJECT, "docs", "benchmarks.md");
const START = "<!-- This table is of a run: `npm run bench -- --docs` writes it. -->\n";
const END = "<!-- The end of the table. -->\n";

/**
 * Writes a run's table into docs/benchmarks.md, where the rest is written by hand. Returns the rows that miss a target
 * and have no reason there.
 * @throws when the page has no place for the table
 */
export function writePage(results: Results): string[] {
  const page = readFileSync(PAGE, "utf8");
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${PAGE} lacks the comments around the table`);
  const [before, after] = [page.slice(0, start), page.slice(end)];
  const failed = results.failed.map(({ row, reason }) => `\n${row} failed: ${reason}\n`);
  const table = [
    START,
    "\n",
    circumstances(results),
    "\n\n",
    markdownTable(results.lines),
    ...failed,
    "\nThe floors of the same run:\n\n",
    markdownFloors(results.lines),
    "\n",
  ].join("");
  writeFileSync(PAGE, before + table + after);
  const short = results.lines.filter(({ targets }) => targets.some(({ met }) => met === false));
  return [...new Set(short.map(({ row }) => row))].filter((row) => !hasReason(after, row));
}

/** Returns whether an item of the page's list of reasons names a row. */
function hasReason(reasons: string, row: string): boolean {
  return new RegExp(`^- \\*\\*[^*]*\\b${row}\\b[^*]*\\*\\*`, "m").test(reasons);
}
