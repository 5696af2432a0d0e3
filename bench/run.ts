import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Bench, Row } from "./bench.ts";
import type { Line } from "./line.ts";
import { BIN, RESULTS } from "./places.ts";
import { announce } from "./progress.ts";
import { p1 } from "./rows/p1.ts";
import { p2 } from "./rows/p2.ts";
import { p3 } from "./rows/p3.ts";
import { p4 } from "./rows/p4.ts";
import { p7 } from "./rows/p7.ts";
import { p8 } from "./rows/p8.ts";
import { p11 } from "./rows/p11.ts";
import { p12 } from "./rows/p12.ts";
import { p14 } from "./rows/p14.ts";
import { p16 } from "./rows/p16.ts";
import { p18 } from "./rows/p18.ts";
import { Scope } from "./scope.ts";
import { markdownTable, plainTable } from "./table.ts";

const ROWS: Readonly<Record<string, Row>> = {
  P1: p1,
  P2: p2,
  P3: p3,
  P4: p4,
  P7: p7,
  P8: p8,
  P11: p11,
  P12: p12,
  P14: p14,
  P16: p16,
  P18: p18,
};

const USAGE = `npm run bench [-- <row> …] [options]

Rows: ${Object.keys(ROWS).join(", ")} (default: all of them)
  --full        run P11 with 1,000,000 edits of history, which takes minutes
  --quick       run few repetitions, to check that every row works
  --bin <file>  measure another build's dist/bin/spliced.js
  --profile     write CPU profiles of the daemons to bench/results/profiles
  --markdown    print the table in Markdown
`;

process.exit(await main());

async function main(): Promise<number> {
  const given = options();
  if (given === undefined) return 2;
  const { values, positionals } = given;
  const names = positionals.map((name) => name.toUpperCase());
  const unknown = names.filter((name) => ROWS[name] === undefined);
  if (values.help || unknown.length > 0) {
    process.stderr.write(unknown.length > 0 ? `there is no row ${unknown.join(", ")}\n\n${USAGE}` : USAGE);
    return values.help ? 0 : 2;
  }
  const setup = {
    full: values.full,
    quick: values.quick,
    bin: values.bin === undefined ? BIN : resolve(process.env["INIT_CWD"] ?? ".", values.bin),
    nodeArgs: values.profile ? ["--cpu-prof", `--cpu-prof-dir=${join(RESULTS, "profiles")}`] : [],
  };
  const on = machine();
  const lines: Line[] = [];
  const failed: { row: string; reason: string }[] = [];
  for (const name of names.length > 0 ? names : Object.keys(ROWS)) {
    const problem = await measure(ROWS[name]!, setup, lines);
    if (problem !== undefined) failed.push({ row: name, reason: problem });
  }
  process.stdout.write(`\n${values.markdown ? markdownTable(lines) : plainTable(lines)}\n${describe(on)}`);
  for (const { row, reason } of failed) process.stdout.write(`${row} failed: ${reason}\n`);
  save({ machine: on, quick: setup.quick, full: setup.full, lines, failed });
  return failed.length === 0 ? 0 : 1;
}

/** Returns the options; for invalid ones prints the usage and returns undefined. */
function options() {
  try {
    return parse();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return undefined;
  }
}

function parse() {
  return parseArgs({
    allowPositionals: true,
    options: {
      full: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      bin: { type: "string" },
      profile: { type: "boolean", default: false },
      markdown: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
}

/** Adds a row's lines as they come. Returns the reason if the row failed. */
async function measure(row: Row, setup: Omit<Bench, "scope">, lines: Line[]): Promise<string | undefined> {
  const scope = new Scope();
  try {
    for await (const line of row({ ...setup, scope })) {
      lines.push(line);
      announce(
        `${line.row} ${line.what}: ${line.ours.p50.toFixed(2)} ms, ${line.against}: ${line.peer.p50.toFixed(2)} ms`,
      );
    }
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    announce(reason);
    return error instanceof Error ? error.message : reason;
  } finally {
    await scope.close();
  }
}

/** Returns the machine's properties that the times depend on. `load` is the mean of busy processes over a minute. */
function machine() {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    load: loadavg()[0]!,
  };
}

function describe({ node, platform, cores, load }: ReturnType<typeof machine>): string {
  return `Node ${node}, ${platform}, ${cores} cores, load ${load.toFixed(1)} at the start. Ratios are ours over the peer's.
`;
}

function save(results: object): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, "latest.json"), `${JSON.stringify(results, null, 2)}\n`);
}
