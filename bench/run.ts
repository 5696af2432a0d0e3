// `npm run bench`: measures the rows of docs/benchmarks.md.
import { parseArgs } from "node:util";
import { comparisonTable } from "./compare.ts";
import type { Line } from "./line.ts";
import { measure } from "./measure.ts";
import { writePage } from "./page.ts";
import { circumstances, loadResults, type Results, saveResults, thisMachine } from "./results.ts";
import { NAMES, rowsOf } from "./rows.ts";
import { fromHere, SETTINGS, settingsOf } from "./settings.ts";
import { markdownFloors, markdownTable, plainFloors, plainTable } from "./table.ts";

const USAGE = `npm run bench [-- <row> …] [options]

Rows: ${NAMES.join(", ")} (default: all of them)
  --quick            run few repetitions on smaller folders, to check that every row works: all rows in four minutes
  --full             run P11 with 1,000,000 edits of history, which takes minutes
  --bin <file>       measure another build's dist/bin/spliced.js
  --traces <folder>  replay the *.json.gz of josephg/editing-traces there in P7 and P15, not a made-up trace
  --markdown         print the table in Markdown
  --from <file>      measure nothing, and show the results in this file, such as bench/results/latest.json
  --compare <file>   set the results beside those in this file
  --docs             write the table into docs/benchmarks.md
`;

process.exit(await main());

async function main(): Promise<number> {
  const given = options();
  if (given === undefined) return 2;
  const { values, rows, before, from } = given;
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const results = from ?? (await run(rows, { ...settingsOf(values), quick: values.quick, nodeArgs: [] }));
  const { lines, failed } = results;
  const tables = values.markdown
    ? [markdownTable(lines), markdownFloors(lines)]
    : [plainTable(lines), plainFloors(lines)];
  process.stdout.write(
    `\n${tables.join("\n")}\n${circumstances(results)} Ratios are ours over the peer's, but for those beside a floor.\n`,
  );
  for (const { row, reason } of failed) process.stdout.write(`${row} failed: ${reason}\n`);
  if (before !== undefined)
    process.stdout.write(`\n${comparisonTable(before, results)}\nBefore: ${circumstances(before)}\n`);
  if (values.docs)
    for (const row of writePage(results))
      process.stdout.write(`docs/benchmarks.md gives no reason why ${row} falls short\n`);
  return failed.length === 0 ? 0 : 1;
}

type Rows = ReturnType<typeof rowsOf>;

async function run(rows: Rows, setup: Parameters<typeof measure>[1]): Promise<Results> {
  const machine = thisMachine();
  const lines: Line[] = [];
  const failed: { row: string; reason: string }[] = [];
  for (const [name, row] of rows) {
    const problem = await measure(row, setup, (line) => lines.push(line));
    if (problem !== undefined) failed.push({ row: name, reason: problem });
  }
  const results = { machine, quick: setup.quick, full: setup.full, lines, failed };
  saveResults(results);
  return results;
}

/** Returns the options and what they name; for invalid ones prints the usage and returns undefined. */
function options() {
  try {
    const { values, positionals } = parse();
    const load = (file: string | undefined) => (file === undefined ? undefined : loadResults(fromHere(file)));
    const rows = rowsOf(positionals.length > 0 ? positionals : NAMES);
    return { values, rows, before: load(values.compare), from: load(values.from) };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return undefined;
  }
}

function parse() {
  return parseArgs({
    allowPositionals: true,
    options: {
      ...SETTINGS,
      quick: { type: "boolean", default: false },
      markdown: { type: "boolean", default: false },
      from: { type: "string" },
      compare: { type: "string" },
      docs: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
}
