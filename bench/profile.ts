// `npm run profile -- <row>`: profiles the daemons of a row, and prints where their processor time goes.
import { mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { type SelfTimes, selfTimes, type Times } from "./cpu-profile.ts";
import { measure } from "./measure.ts";
import { PROJECT, RESULTS } from "./places.ts";
import { NAMES, rowsOf } from "./rows.ts";
import { SETTINGS, settingsOf } from "./settings.ts";

const USAGE = `npm run profile -- <row> … [options]

Rows: ${NAMES.join(", ")}
  --long             run all repetitions
  --bin <file>       profile another build's dist/bin/spliced.js
  --traces <folder>  replay the *.json.gz of josephg/editing-traces there in P7 and P15

The profiles go to bench/results/profiles/<row>, for the developer tools of Chromium.
`;
const COSTLIEST = 20;

process.exit(await main());

async function main(): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { ...SETTINGS, long: { type: "boolean", default: false } },
    });
    if (positionals.length === 0) throw new RangeError("name a row");
    for (const [name, row] of rowsOf(positionals)) {
      const folder = join(RESULTS, "profiles", name);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      const nodeArgs = ["--cpu-prof", `--cpu-prof-dir=${folder}`];
      const problem = await measure(
        row,
        { ...settingsOf(values), quick: !values.long, nodeArgs },
        () => undefined,
      );
      if (problem !== undefined) return 1;
      process.stdout.write(report(name, folder, selfTimes(folder)));
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return 2;
  }
}

function report(name: string, folder: string, { functions, files, packages, busyMs }: SelfTimes): string {
  const by = (what: string, times: Times) => `\n${what}\n${costliest(times, busyMs)}\n`;
  return [
    `\n${name}: the daemons were busy for ${(busyMs / 1000).toFixed(1)} s, with their starts and stops.`,
    ` Times are without the functions that were called.\n`,
    by("Packages and folders", packages),
    by("Files", files),
    by("Functions", functions),
    `\nprofiles: ${relative(PROJECT, folder)}\n`,
  ].join("");
}

function costliest(times: Times, busyMs: number): string {
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, COSTLIEST)
    .map(
      ([name, ms]) =>
        `${ms.toFixed(0).padStart(8)} ms ${((100 * ms) / busyMs).toFixed(1).padStart(5)} %  ${name}`,
    )
    .join("\n");
}
