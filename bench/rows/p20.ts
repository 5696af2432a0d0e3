import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { floorMachines, share } from "../floors/machines.ts";
import { isInstalled } from "../installed.ts";
import { interleave, timed } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { atChange, joinFolder, shareFolder } from "../machines.ts";
import { MARKED } from "../marked.ts";
import { rawNats, startNats } from "../peers/nats.ts";
import { markerLine, textOf } from "../texts.ts";

/** About the size of an envelope with one small edit. */
const BYTES = 500;
const BLOCK = 50;

/** Measures an edit on one machine until the file of another machine has it. */
export async function* p20(bench: Bench): AsyncGenerator<Line> {
  if (!isInstalled("nats-server")) throw new Error("nats-server is not installed");
  const { url } = await startNats(bench.scope);
  const root = bench.scope.folder();
  writeFileSync(join(root, MARKED), textOf(10_000));
  const a = await shareFolder(bench, root, url);
  await a.client.request("doc.read", { path: MARKED });
  const b = await joinFolder(bench, a, "b");
  const start = floorMachines(bench.scope, url, ["a", "b"]);
  const [from, to] = [await start(bench.scope, "a"), await start(bench.scope, "b")];
  writeFileSync(join(from.root, MARKED), textOf(10_000));
  await share(from, [to], [MARKED]);
  const { wire } = await from.wire("bench");
  const peer = await rawNats(bench.scope, url, new Uint8Array(BYTES).fill(1));
  await atChange(b.daemon.root, () => existsSync(join(b.daemon.root, MARKED)));
  const ours = editing(b.daemon.root, (edit) => a.client.request("edit.replace", edit));
  const floor = editing(to.root, (edit) => wire.request("edit.replace", edit));
  const samples = await interleave(
    bench,
    { name: "P20", rounds: 8, warmup: 1, servers: { ours: b.daemon.pid, peer: process.pid, floor: to.pid } },
    () => timed(BLOCK, ours),
    () => timed(BLOCK, peer.one),
    () => timed(BLOCK, floor),
  );
  const what = "edit on one machine, in the file on another";
  yield lineOf({ row: "P20", what, against: "JetStream publish and consume", ...samples }, atMost(3));
}

/** Returns an edit that is over once the file in another machine's folder has it. */
function editing(
  root: string,
  replace: (edit: { path: string; old: string; new: string }) => Promise<unknown>,
): () => Promise<void> {
  let at = 0;
  return async () => {
    const [old, updated] = [markerLine(at), markerLine(++at)];
    const arrived = atChange(root, () => readFileSync(join(root, MARKED), "utf8").includes(updated));
    await replace({ path: MARKED, old, new: updated });
    await arrived;
  };
}
