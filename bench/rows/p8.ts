import { existsSync, readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { startNode } from "../child.ts";
import { daemonArgs } from "../daemon.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Judge, type Line, lineOf } from "../line.ts";
import { PEERS, PROJECT } from "../places.ts";
import { Scope } from "../scope.ts";
import { makeTree } from "../tree.ts";

/** The factor by which the ratio may grow with a hundred times as many files. */
const SAME = 1.2;

/** Measures the time from the start of the process until `.spliced/daemon.json` exists, when clients can connect. */
export async function* p8(bench: Bench): AsyncGenerator<Line> {
  const packages = await importedPackages(bench);
  const small = await starts(bench, 1000, packages, []);
  yield small;
  const most = (SAME * small.ours.p50) / small.peer.p50;
  const same: Judge = (ours, peer) => ({
    text: `≤ ${SAME}× the ratio of 1,000`,
    met: ours.p50 / peer.p50 <= most,
  });
  yield await starts(bench, bench.quick ? 5000 : 100_000, packages, [same]);
}

async function starts(
  bench: Bench,
  files: number,
  packages: readonly string[],
  also: readonly Judge[],
): Promise<Line> {
  const root = bench.scope.folder();
  await makeTree(root, files);
  const shown = files.toLocaleString("en");
  const samples = await interleave(
    bench,
    { name: `P8 ${shown} files`, rounds: 12, warmup: 1 },
    async () => [await untilReady(bench, root)],
    async () => [await untilImported(packages)],
  );
  const named = {
    row: "P8",
    what: `ready on ${shown} files`,
    against: `node + import of ${packages.length} packages`,
  };
  return lineOf({ ...named, ...samples }, atMost(1.5), ...also);
}

/** Times a first start, in a workspace without state. */
async function untilReady({ bin, nodeArgs }: Bench, root: string): Promise<number> {
  const scope = new Scope();
  rmSync(join(root, ".spliced"), { recursive: true, force: true });
  try {
    const file = join(root, ".spliced", "daemon.json");
    const started = performance.now();
    const child = startNode(scope, [...nodeArgs, ...daemonArgs(bin, root)], PROJECT);
    let ended: unknown;
    child.ready.catch((error: unknown) => {
      ended = error;
    });
    while (!existsSync(file)) {
      if (ended !== undefined) throw ended;
      await wait(1);
    }
    const ms = performance.now() - started;
    await child.ready; // a daemon that is stopped earlier ends with an error
    return ms;
  } finally {
    await scope.close();
  }
}

async function untilImported(packages: readonly string[]): Promise<number> {
  const scope = new Scope();
  const imports = packages.map((name) => `import ${JSON.stringify(name)};`).join("");
  const script = `${imports}process.stdout.write("imported\\n");`;
  try {
    const started = performance.now();
    await startNode(scope, ["--input-type=module", "-e", script], PROJECT).ready;
    return performance.now() - started;
  } finally {
    await scope.close();
  }
}

/** Returns the packages that the daemon imports until it is ready. */
async function importedPackages({ bin, scope }: Bench): Promise<string[]> {
  const record = join(scope.folder(), "imports");
  const own = new Scope();
  process.env["RECORD_IMPORTS"] = record;
  try {
    const args = ["--import", join(PEERS, "record-imports.js"), ...daemonArgs(bin, own.folder())];
    await startNode(own, args, PROJECT).ready;
  } finally {
    delete process.env["RECORD_IMPORTS"];
    await own.close();
  }
  const names = new Set(readFileSync(record, "utf8").trim().split("\n"));
  return [...names].filter((name) => !isBuiltin(name)).sort();
}
