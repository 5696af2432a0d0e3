import { execFile } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { Bench } from "../bench.ts";
import { startNode } from "../child.ts";
import { daemonArgs, startDaemon } from "../daemon.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Judge, type Line, lineOf } from "../line.ts";
import { FLOORS, PROJECT } from "../places.ts";
import { within } from "../scope.ts";
import { makeTree } from "../tree.ts";

const run = promisify(execFile);
/** The factor by which the ratio may grow with a hundred times as many files. */
const SAME = 1.2;

/** Measures how long processes of `spliced` take until they are of use, beside a process of Node that does nothing. */
export async function* p8(bench: Bench): AsyncGenerator<Line> {
  const small = await starts(bench, 1000);
  yield small;
  const most = (SAME * small.ours.p50) / small.peer!.p50;
  const same: Judge = ({ ours, peer }) => ({
    text: `≤ ${SAME}× the ratio of 1,000`,
    met: ours.p50 / peer!.p50 <= most,
  });
  yield await starts(bench, bench.quick ? 5000 : 100_000, same);

  const { root } = await startDaemon(bench, bench.scope.folder());
  writeFileSync(join(root, "a.md"), "one\n");
  const command = (...args: string[]) =>
    timeOf(() => run(process.execPath, [bench.bin, ...args], { cwd: root }));
  yield await compare(bench, { what: "spliced cat" }, () => command("cat", "a.md"), atMost(2));
  yield await compare(bench, { what: "spliced --version" }, () => command("--version"), atMost(2));
  const without = bench.scope.folder();
  const mcp = "spliced mcp until initialized";
  yield await compare(bench, { what: `${mcp}, no daemon runs` }, () => untilInitialized(bench, without));
  yield await compare(
    bench,
    { what: `${mcp}, a daemon runs` },
    () => untilInitialized(bench, root),
    atMost(3),
  );
}

/** Times the first start in a workspace without state, until `.spliced/daemon.json` exists and clients can connect. */
async function starts(bench: Bench, files: number, ...also: readonly Judge[]): Promise<Line> {
  const root = bench.scope.folder();
  await makeTree(root, files);
  const what = `ready on ${files.toLocaleString("en")} files`;
  const judges = [atMost(4), ...also];
  return compare(bench, { what, floor: untilListening }, () => untilReady(bench, root), ...judges);
}

/** Times the least start of a daemon. */
function untilListening(): Promise<number> {
  return within(async (scope) => {
    const folder = scope.folder();
    const started = performance.now();
    await startNode(scope, [join(FLOORS, "start.js"), folder], PROJECT).ready;
    return performance.now() - started;
  });
}

async function compare(
  bench: Bench,
  { what, floor }: { readonly what: string; readonly floor?: () => Promise<number> },
  ours: () => Promise<number>,
  ...judges: readonly Judge[]
): Promise<Line> {
  const samples = await interleave(
    bench,
    { name: `P8 ${what}`, rounds: 12, warmup: 1 },
    async () => [await ours()],
    async () => [await timeOf(() => run(process.execPath, ["-e", "0"]))],
    floor && (async () => [await floor()]),
  );
  return lineOf({ row: "P8", what, against: "node -e 0", ...samples }, ...judges);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function untilReady({ bin, nodeArgs }: Bench, root: string): Promise<number> {
  rmSync(join(root, ".spliced"), { recursive: true, force: true });
  return within(async (scope) => {
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
  });
}

/** The first message of a client of MCP. */
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};

/** Times an MCP server from its start until it answers its first message, for which it needs no daemon. */
function untilInitialized({ bin }: Bench, root: string): Promise<number> {
  return within(async (scope) => {
    const started = performance.now();
    await startNode(scope, [bin, "mcp", root], PROJECT, `${JSON.stringify(INITIALIZE)}\n`).ready;
    return performance.now() - started;
  });
}
