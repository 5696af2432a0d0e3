import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../../src/client/client.ts";
import type { Params } from "../../src/protocol/schemas/schemas.ts";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { interleave, timed } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { pipeline } from "../pipeline.ts";
import { seeded, under } from "../random.ts";
import { textOf } from "../texts.ts";

const BYTES = 10_000;
const SHORT = 1000;
const BLOCK = 50;
/** The most unanswered requests. The daemon reads fewer at a time, so it never waits for the next request. */
const WINDOW = 2048;

/** Compares an edit of a document with a long history with an edit of a document with a short one. */
export async function* p11(bench: Bench): AsyncGenerator<Line> {
  const long = bench.quick ? 5000 : bench.full ? 1_000_000 : 100_000;
  const daemon = await startDaemon(bench, bench.scope.folder());
  const client = await daemon.connect("bench");
  const [ours, peer] = [
    new Overtyped("long.ts", daemon.root, client),
    new Overtyped("short.ts", daemon.root, client),
  ];
  await ours.grow(long);
  await peer.grow(SHORT);
  await wait(1000);
  const samples = await interleave(
    bench,
    { name: "P11", rounds: 10, warmup: 2 },
    () => ours.block(),
    () => peer.block(),
  );
  const what = `splice after ${long.toLocaleString("en")} edits, durable`;
  yield lineOf(
    { row: "P11", what, against: `after ${SHORT.toLocaleString("en")} edits`, ...samples },
    atMost(1.2),
  );
}

/** A document in which each edit replaces one character, so that its size stays the same. */
class Overtyped {
  readonly #path: string;
  readonly #client: Client;
  readonly #random = seeded(11);

  constructor(path: string, root: string, client: Client) {
    this.#path = path;
    this.#client = client;
    writeFileSync(join(root, path), textOf(BYTES));
  }

  async grow(edits: number): Promise<void> {
    await pipeline(`P11 ${this.#path}`, edits, WINDOW, () =>
      this.#client.request("edit.splice", this.#next()),
    );
    await this.#client.request("doc.save", { path: this.#path });
  }

  async block(): Promise<number[]> {
    const took = await timed(BLOCK, () => this.#client.request("edit.splice", this.#next()));
    await this.#client.request("doc.save", { path: this.#path });
    return took;
  }

  #next(): Params<"edit.splice"> {
    const from = under(this.#random, BYTES);
    const insert = String.fromCharCode(97 + under(this.#random, 26));
    return { path: this.#path, version: "latest", splices: [{ from, to: from + 1, insert }], ack: "durable" };
  }
}
