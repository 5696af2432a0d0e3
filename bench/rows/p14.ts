import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../src/client/client.ts";
import { RefusedError } from "../../src/client/errors.ts";
import { unifiedDiff } from "../../src/text/diff/unified.ts";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { startEditFloor } from "../floors/edits.ts";
import { isInstalled, named } from "../installed.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { textOf } from "../texts.ts";
import type { Wire } from "../wire.ts";

const FILE = "patched.ts";
const BYTES = 1_000_000;
const HUNKS = 200;
const SHIFT = 20;

/** Measures a patch of many hunks whose lines have moved. spliced asks for a confirmation, which is timed, too. */
export async function* p14(bench: Bench): AsyncGenerator<Line> {
  const { text, patch, patched, back } = work();
  const daemon = await startDaemon(bench, bench.scope.folder());
  const file = join(daemon.root, FILE);
  writeFileSync(file, text);
  const client = await daemon.connect("bench");
  const folder = bench.scope.folder();
  writeFileSync(join(folder, "diff"), patch);
  const ours = async () => {
    const started = performance.now();
    const changeId = await confirmed(client, patch);
    const ms = performance.now() - started;
    check(file, patched);
    await client.request("undo", { changeId });
    return [ms];
  };
  const least = await startEditFloor(bench.scope);
  writeFileSync(join(least.root, FILE), text);
  const { wire } = await least.wire("bench");
  const floor = async () => {
    const started = performance.now();
    await confirmedByFloor(wire, patch);
    const ms = performance.now() - started;
    check(join(least.root, FILE), patched);
    await confirmedByFloor(wire, back);
    return [ms];
  };
  for (const [against, command, args] of PEERS) {
    const apply = async () => {
      writeFileSync(join(folder, FILE), text);
      const started = performance.now();
      const { status, error } = spawnSync(command, args, { cwd: folder, stdio: "ignore" });
      const ms = performance.now() - started;
      if (status !== 0) throw error ?? new Error(`${command} ended with ${status}`);
      check(join(folder, FILE), patched);
      return [ms];
    };
    const peer = isInstalled(command) ? apply : undefined;
    const what = `patch of ${HUNKS} hunks in 1 MB, off by ${SHIFT}, on disk`;
    const titles = { row: "P14", what, against: named(command, against) };
    const rounds = { name: `P14 ${command}`, rounds: 30, warmup: 5 };
    yield lineOf({ ...titles, ...(await interleave(bench, rounds, ours, peer, floor)) }, atMost(1));
  }
}

const PEERS: readonly (readonly [against: string, command: string, args: string[]])[] = [
  ["GNU patch, a process", "patch", ["-s", "--binary", FILE, "diff"]],
  ["git apply, a process", "git", ["apply", "diff"]],
];

/** Returns the text, a patch made before lines were added at the text's start, the patched text, and the way back. */
function work() {
  const before = textOf(BYTES);
  const lines = before.split("\n");
  const every = Math.floor((lines.length - 1) / HUNKS);
  for (let i = every >> 1; i < HUNKS * every; i += every) lines[i] = `changed ${i}`;
  const after = lines.join("\n");
  const ahead = Array.from({ length: SHIFT }, (_, i) => `ahead ${i}\n`).join("");
  const patch = unifiedDiff(before, after, { from: `a/${FILE}`, to: `b/${FILE}` });
  const back = unifiedDiff(after, before, { from: `a/${FILE}`, to: `b/${FILE}` });
  return { text: ahead + before, patch, patched: ahead + after, back };
}

/** Sends a patch, confirms it, and returns the id of the change. */
async function confirmed(client: Client, patch: string): Promise<string> {
  const request = { path: FILE, patch };
  const answer = await client.request("edit.patch", request).catch((error: unknown) => error);
  const id = answer instanceof RefusedError ? answer.details["patch_id"] : undefined;
  if (typeof id !== "string") throw answer;
  return (await client.request("edit.patch", { ...request, confirm: id })).changeId!;
}

/** The same with the least server. */
async function confirmedByFloor(wire: Wire, patch: string): Promise<void> {
  const request = { path: FILE, patch };
  const { confirm } = await wire.request<{ confirm: number }>("edit.patch", request);
  await wire.request("edit.patch", { ...request, confirm });
}

function check(file: string, text: string): void {
  if (readFileSync(file, "utf8") !== text) throw new Error(`${file} is not the patched text`);
}
