import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { floorMachines, share } from "../floors/machines.ts";
import { isInstalled } from "../installed.ts";
import { type Line, lineOf, rateAtLeast } from "../line.ts";
import { atChange, joinFolder, type MachineDaemon, shareFolder } from "../machines.ts";
import { rawNats, startNats } from "../peers/nats.ts";
import { pipeline } from "../pipeline.ts";
import { progress } from "../progress.ts";
import { type Scope, within } from "../scope.ts";

/** About the size of an envelope with one small edit. */
const BYTES = 500;
/** Edits of one machine that are under way at a time. */
const WINDOW = 16;
const END = "the end\n";
const PATIENCE_MS = 60_000;

/** A machine that makes edits. */
interface Maker {
  readonly root: string;
  append(path: string, text: string): Promise<unknown>;
}

interface Size {
  readonly machines: number;
  readonly documents: number;
  readonly edits: number;
}

/** Measures edits that many machines make at once, until the last one of each is in the files of all machines. */
export async function* p21(bench: Bench): AsyncGenerator<Line> {
  if (!isInstalled("nats-server")) throw new Error("nats-server is not installed");
  const size = bench.quick
    ? { machines: 4, documents: 100, edits: 400 }
    : { machines: 20, documents: 1000, edits: 1000 };
  const { machines, documents, edits } = size;
  const { url } = await startNats(bench.scope);
  const { ours, peer } = await within((scope) => timeOfOurs({ ...bench, scope }, url, size));
  const floor = await within((scope) => timeOfFloor(scope, url, size));
  const rateOf = (ms: number) => (1000 * edits) / ms;
  yield lineOf(
    {
      row: "P21",
      what: `${edits.toLocaleString("en")} edits by ${machines} machines, in ${documents.toLocaleString("en")} documents`,
      against: "JetStream with as many readers",
      ours: [ours],
      peer: [peer],
      rate: { ours: rateOf(ours), peer: rateOf(peer) },
      floor: { values: [floor], rate: rateOf(floor) },
    },
    rateAtLeast(0.5),
  );
}

async function timeOfOurs(bench: Bench, url: string, size: Size) {
  const root = bench.scope.folder();
  begin(root, size);
  const all: MachineDaemon[] = [await shareFolder(bench, root, url)];
  while (all.length < size.machines) {
    all.push(await joinFolder(bench, all[0]!, `m${all.length}`));
    progress(`P21: ${all.length} of ${size.machines} machines`);
  }
  const raw = await rawNats(bench.scope, url, new Uint8Array(BYTES).fill(1), size.machines);
  const makers = all.map(({ daemon, client }) => ({
    root: daemon.root,
    append: (path: string, text: string) => client.request("edit.append", { path, text }),
  }));
  const ours = await timeOf(makers, size);
  const before = performance.now();
  await raw.many(size.edits);
  return { ours, peer: performance.now() - before };
}

async function timeOfFloor(scope: Scope, url: string, size: Size): Promise<number> {
  const names = Array.from({ length: size.machines }, (_, n) => `m${n}`);
  const start = floorMachines(scope, url, names);
  const [first, ...others] = await Promise.all(names.map((name) => start(scope, name)));
  await share(first!, others, begin(first!.root, size));
  const makers = [first!, ...others].map(async (floor) => {
    const { wire } = await floor.wire("bench");
    const append = (path: string, text: string) => wire.request("edit.append", { path, text });
    return { root: floor.root, append };
  });
  return timeOf(await Promise.all(makers), size);
}

/** Writes the first files; returns their paths. */
function begin(root: string, { machines, documents }: Size): string[] {
  const paths = Array.from({ length: documents }, (_, n) => nameOf(n));
  for (let n = 0; n < machines; n++) paths.push(endOf(n));
  for (const path of paths) writeFileSync(join(root, path), "begin\n");
  return paths;
}

/** Has all machines make their edits. Returns the time until the last one of each is in the files of all. */
async function timeOf(all: readonly Maker[], { documents, edits }: Size): Promise<number> {
  const has = (file: string) => existsSync(file) && readFileSync(file, "utf8").includes(END);
  const each = edits / all.length;
  const started = performance.now();
  const arrived = all.map(({ root }) => atChange(root, () => all.every((_, n) => has(join(root, endOf(n))))));
  const make = async ({ append }: Maker, machine: number) => {
    const edit = (n: number) => {
      const path = nameOf((machine * each + n) % documents);
      return append(path, `line ${n} of machine ${machine}\n`);
    };
    await pipeline("P21", each, WINDOW, edit);
    await append(endOf(machine), END);
  };
  await Promise.all([...all.map(make), ...arrived]);
  const took = performance.now() - started;
  const roots = all.map(({ root }) => root);
  for (let n = 0; n < documents; n++) await whenSame(roots, nameOf(n));
  return took;
}

/** Resolves once a file is the same in all folders. @throws when it is not after a while */
async function whenSame([first, ...others]: readonly string[], path: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  const textIn = (root: string) => readFileSync(join(root, path), "utf8");
  while (!others.every((root) => textIn(root) === textIn(first!))) {
    if (performance.now() > until) throw new Error(`${path} differs between machines`);
    await wait(50);
  }
}

function nameOf(document: number): string {
  return `${document}.md`;
}

function endOf(machine: number): string {
  return `end-${machine}.md`;
}
