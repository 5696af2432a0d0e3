import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { isInstalled } from "../installed.ts";
import { type Line, lineOf, rateAtLeast } from "../line.ts";
import { atChange, joinFolder, type MachineDaemon, shareFolder } from "../machines.ts";
import { rawNats, startNats } from "../peers/nats.ts";
import { pipeline } from "../pipeline.ts";
import { progress } from "../progress.ts";

/** About the size of an envelope with one small edit. */
const BYTES = 500;
/** Edits of one machine that are under way at a time. */
const WINDOW = 16;
const END = "the end\n";

/** Measures edits that many machines make at once, until the last one of each is in the files of all machines. */
export async function* p21(bench: Bench): AsyncGenerator<Line> {
  if (!isInstalled("nats-server")) throw new Error("nats-server is not installed");
  const [machines, documents, edits] = bench.quick ? [4, 100, 400] : [20, 1000, 1000];
  const { url } = await startNats(bench.scope);
  const root = bench.scope.folder();
  const nameOf = (n: number) => `${n % documents}.md`;
  const endOf = (machine: number) => `end-${machine}.md`;
  for (let n = 0; n < documents; n++) writeFileSync(join(root, nameOf(n)), "begin\n");
  for (let n = 0; n < machines; n++) writeFileSync(join(root, endOf(n)), "begin\n");
  const all: MachineDaemon[] = [await shareFolder(bench, root, url)];
  while (all.length < machines) {
    all.push(await joinFolder(bench, all[0]!, `m${all.length}`));
    progress(`P21: ${all.length} of ${machines} machines`);
  }
  const peer = await rawNats(bench.scope, url, new Uint8Array(BYTES).fill(1), machines);
  const has = (file: string) => existsSync(file) && readFileSync(file, "utf8").includes(END);
  const each = edits / machines;
  const started = performance.now();
  const arrived = all.map(({ daemon }) =>
    atChange(daemon.root, () => all.every((_, machine) => has(join(daemon.root, endOf(machine))))),
  );
  const make = async ({ client }: MachineDaemon, machine: number) => {
    const edit = (n: number) => {
      const path = nameOf(machine * each + n);
      return client.request("edit.append", { path, text: `line ${n} of machine ${machine}\n` });
    };
    await pipeline("P21", each, WINDOW, edit);
    await client.request("edit.append", { path: endOf(machine), text: END });
  };
  await Promise.all([...all.map(make), ...arrived]);
  const ours = performance.now() - started;
  const before = performance.now();
  await peer.many(edits);
  const raw = performance.now() - before;
  const shown = edits.toLocaleString("en");
  const what = `${shown} edits by ${machines} machines, in ${documents.toLocaleString("en")} documents`;
  const rate = { ours: (1000 * edits) / ours, peer: (1000 * edits) / raw };
  const against = "JetStream with as many readers";
  yield lineOf({ row: "P21", what, against, ours: [ours], peer: [raw], rate }, rateAtLeast(0.5));
}
