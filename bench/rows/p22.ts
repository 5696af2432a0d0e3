import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { floorMachines, share } from "../floors/machines.ts";
import { isInstalled } from "../installed.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { atChange, joinFolder, shareFolder } from "../machines.ts";
import { readStream, startNats } from "../peers/nats.ts";
import { pipeline } from "../pipeline.ts";
import { type Scope, within } from "../scope.ts";

const DOCUMENTS = 100;
/** Edits that are under way at a time. */
const WINDOW = 64;
const END = "the end\n";

const PATHS = [...Array.from({ length: DOCUMENTS }, (_, n) => `${n}.md`), "end.md"];

/** The machine that makes the changes. */
interface Maker {
  append(path: string, text: string): Promise<unknown>;
  /** Returns the number of messages that the NATS server does not have yet. */
  waiting(): Promise<number>;
}

/** Measures how a machine catches up that was away while another one made many changes. */
export async function* p22(bench: Bench): AsyncGenerator<Line> {
  if (!isInstalled("nats-server")) throw new Error("nats-server is not installed");
  const changes = bench.quick ? 5000 : 100_000;
  const { url } = await startNats(bench.scope);
  const shown = changes.toLocaleString("en");
  const ours = await within((scope) => ourTime({ ...bench, scope }, url, changes));
  const floor = await within((scope) => floorTime(scope, url, changes));
  yield lineOf(
    {
      row: "P22",
      what: `catching up ${shown} changes after a start`,
      against: "reading the stream",
      ours: [ours.took],
      peer: [ours.raw],
      floor: { values: [floor] },
    },
    atMost(3),
  );
}

async function ourTime(bench: Bench, url: string, changes: number) {
  const root = begun(bench.scope.folder());
  const a = await shareFolder(bench, root, url);
  const away = bench.scope.folder();
  await within((scope) => joinFolder({ ...bench, scope }, a, "b", away));
  await make(changes, {
    append: (path, text) => a.client.request("edit.append", { path, text }),
    waiting: async () => (await a.client.request("machine.list", {})).waiting,
  });
  const raw = await readStream(bench.scope, url);
  const took = await timeUntilSame(root, away, () => startDaemon(bench, away));
  return { raw, took };
}

async function floorTime(scope: Scope, url: string, changes: number): Promise<number> {
  const start = floorMachines(scope, url, ["a", "b"]);
  const a = await start(scope, "a", begun(scope.folder()));
  const away = scope.folder();
  await within(async (inner) => share(a, [await start(inner, "b", away)], PATHS));
  const { wire } = await a.wire("bench");
  await make(changes, {
    append: (path, text) => wire.request("edit.append", { path, text }),
    waiting: async () => (await wire.request<{ waiting: number }>("machine.list", {})).waiting,
  });
  return timeUntilSame(a.root, away, () => start(scope, "b", away));
}

function begun(root: string): string {
  for (const path of PATHS) writeFileSync(join(root, path), "begin\n");
  return root;
}

async function make(changes: number, { append, waiting }: Maker): Promise<void> {
  await pipeline("P22", changes, WINDOW, (n) => append(`${n % DOCUMENTS}.md`, `line ${n} of many\n`));
  await append("end.md", END);
  while ((await waiting()) > 0) await wait(50);
}

/** Returns the time from a start until the last change is in its file. @throws when the other files never are the same */
async function timeUntilSame(from: string, to: string, start: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await start();
  const isSame = (path: string) => existsSync(join(to, path)) && read(to, path) === read(from, path);
  await atChange(to, () => isSame("end.md"));
  const took = performance.now() - started;
  await atChange(to, () => PATHS.every(isSame));
  return took;
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8");
}
