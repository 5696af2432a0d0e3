import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
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
  const file = join(b.daemon.root, MARKED);
  const peer = await rawNats(bench.scope, url, new Uint8Array(BYTES).fill(1));
  let at = 0;
  await atChange(b.daemon.root, () => existsSync(file));
  const edit = async () => {
    const [old, updated] = [markerLine(at), markerLine(++at)];
    const arrived = atChange(b.daemon.root, () => readFileSync(file, "utf8").includes(updated));
    await a.client.request("edit.replace", { path: MARKED, old, new: updated });
    await arrived;
  };
  const samples = await interleave(
    bench,
    { name: "P20", rounds: 8, warmup: 1, servers: { ours: b.daemon.pid, peer: process.pid } },
    () => timed(BLOCK, edit),
    () => timed(BLOCK, peer.one),
  );
  const what = "edit on one machine, in the file on another";
  yield lineOf({ row: "P20", what, against: "JetStream publish and consume", ...samples }, atMost(3));
}
