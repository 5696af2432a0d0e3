import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { type EditFloor, startEditFloor } from "../floors/edits.ts";
import { inTime } from "../in-time.ts";
import { interleave } from "../interleave.ts";
import { type Judge, type Line, lineOf } from "../line.ts";
import { type Hocuspocus, startHocuspocus } from "../peers/hocuspocus.ts";
import { textOf } from "../texts.ts";

const PAIRS = 10;
const BLOCK_MS = 2000;
const PATIENCE_MS = 10_000;
const START = textOf(10_000);

interface Setup {
  readonly row: string;
  readonly what: string;
  /** One for all pairs, or one for each. */
  readonly documents: 1 | typeof PAIRS;
}

/** A writer, and a reader of the same document. */
interface Pair {
  readonly document: string;
  /** Types a character. Resolves once the reader has the keystroke, and our writer its durable answer. */
  type(): Promise<unknown>;
}

/** Compares keystrokes with Hocuspocus's. Each writer types the next character once its reader has the last. */
export async function* keystrokes(
  bench: Bench,
  { row, what, documents }: Setup,
  ...judges: readonly Judge[]
): AsyncGenerator<Line> {
  const daemon = await startDaemon(bench, bench.scope.folder());
  const least = await startEditFloor(bench.scope);
  const hocuspocus = await startHocuspocus(bench.scope);
  const names = Array.from({ length: PAIRS }, (_, i) => (documents === 1 ? "typed.ts" : `typed-${i}.ts`));
  const ours = new Typing(await Promise.all(names.map((name, i) => pairOf(daemon, name, i))));
  const floor = new Typing(await Promise.all(names.map((name, i) => pairOf(least, name, i))));
  const seeds = new Map(names.map((name) => [name, hocuspocus.open(name)]));
  for (const seed of seeds.values()) (await seed).insert(0, START);
  const peer = new Typing(await Promise.all(names.map((name, i) => hocuspocusPair(hocuspocus, name, i))));
  for (const seed of seeds.values()) (await seed).close();
  const servers = { ours: daemon.pid, peer: hocuspocus.pid, floor: least.pid };
  const samples = await interleave(
    bench,
    { name: row, rounds: 5, warmup: 1, rated: true, servers },
    () => ours.block(),
    () => peer.block(),
    () => floor.block(),
  );
  for (const [typing, server] of [
    [ours, daemon],
    [floor, least],
  ] as const) {
    const { wire } = await server.wire("checker");
    await typing.check(async (path) => {
      await wire.request("doc.save", { path });
      return readFileSync(join(server.root, path), "utf8");
    });
  }
  await peer.check(async (name) => (await hocuspocus.open(name)).text);
  yield lineOf({ row, what, against: "Hocuspocus, nothing stored", ...samples }, ...judges);
}

/** Pairs that type at the same time. */
class Typing {
  readonly #pairs: readonly Pair[];
  #typed = new Map<string, number>();

  constructor(pairs: readonly Pair[]) {
    this.#pairs = pairs;
  }

  /** Types for a while. Returns the milliseconds of each keystroke. */
  async block(): Promise<number[]> {
    const took: number[] = [];
    const until = performance.now() + BLOCK_MS;
    const one = async ({ document, type }: Pair) => {
      for (let started = performance.now(); started < until; ) {
        await type();
        const now = performance.now();
        took.push(now - started);
        started = now;
        this.#typed.set(document, (this.#typed.get(document) ?? 0) + 1);
      }
    };
    await inTime(
      Promise.all(this.#pairs.map(one)),
      BLOCK_MS + PATIENCE_MS,
      () => "a keystroke did not arrive",
    );
    return took;
  }

  /** Checks the documents. @throws when one lacks a keystroke */
  async check(textOfDocument: (document: string) => Promise<string>): Promise<void> {
    for (const [document, typed] of this.#typed) {
      const lacks = START.length + typed - (await textOfDocument(document)).length;
      if (lacks !== 0) throw new Error(`${document} lacks ${lacks} of ${typed} keystrokes`);
    }
  }
}

interface Answer {
  readonly version: string;
  readonly splices: readonly { readonly from: number }[];
}

/** Each writer types at a place of its own, and bases each keystroke on the answer to its last. */
async function pairOf(daemon: Pick<EditFloor, "root" | "wire">, path: string, i: number): Promise<Pair> {
  writeFileSync(join(daemon.root, path), START);
  const writer = await daemon.wire(`writer ${i}`);
  const reader = await daemon.wire(`reader ${i}`);
  await reader.wire.request("subscribe", { path });
  let { version } = await writer.wire.request<{ version: string }>("doc.open", { path });
  let at = placeOf(i);
  let count = 0;
  let seen: () => void = () => undefined;
  reader.wire.notified = (method, { agent }) => {
    if (method === "doc.changed" && agent === writer.agent) seen();
  };
  return {
    document: path,
    async type() {
      const isSeen = new Promise<void>((done) => {
        seen = done;
      });
      const splices = [{ from: at, to: at, insert: "x" }];
      const opId = `${i}-${count++}`;
      const edit = { path, version, splices, ack: "durable", opId };
      const answer = await writer.wire.request<Answer>("edit.splice", edit);
      version = answer.version;
      at = answer.splices[0]!.from + 1;
      await isSeen;
    },
  };
}

async function hocuspocusPair(hocuspocus: Hocuspocus, document: string, i: number): Promise<Pair> {
  const writer = await hocuspocus.open(document);
  const reader = await hocuspocus.open(document);
  let at = placeOf(i);
  let seen: () => void = () => undefined;
  reader.updated = (id) => {
    if (id === writer.id) seen();
  };
  return {
    document,
    type() {
      const isSeen = new Promise<void>((done) => {
        seen = done;
      });
      writer.insert(at++, "x");
      return isSeen;
    },
  };
}

function placeOf(i: number): number {
  return Math.floor((START.length * i) / PAIRS);
}
