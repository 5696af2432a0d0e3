import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { startDaemon } from "./daemon.ts";
import { type Disk, makeDisk, noLoops, unable } from "./faulty-disk.ts";
import { Ledger, NOTHING_AMISS } from "./ledger.ts";
import { times } from "./long.ts";
import { chosenSeed, type Random, seeded } from "./seed.ts";
import { until } from "./until.ts";

/** Some are edited all the time, one now and then, one only once. */
const BUSY = ["a.md", "sub/b.md"] as const;
const RARE = "rare.md";
const ONCE = "once.md";
const PATHS = [...BUSY, RARE, ONCE];
const LINES = Array.from({ length: 40 }, (_, i) => `line ${i}:\n`).join("");
const LONGEST_MS = 1_500;
/** Cuts from one run of a daemon. */
const CUTS_A_RUN = 10;

/** Agents at work on several documents, each with a ledger of its own. */
class Work {
  readonly ledgers = new Map(PATHS.map((path) => [path, new Ledger()]));
  readonly #random: Random;
  #ended = false;

  constructor(random: Random) {
    this.#random = random;
  }

  async edit(client: Client, path: string): Promise<void> {
    const ledger = this.ledgers.get(path)!;
    const marker = ledger.marker("ann");
    const old = `line ${this.#random.below(40)}:`;
    const ack = this.#random.pick(["durable", "mirrored"] as const);
    await client.request("edit.replace", { path, old, new: `${old} ${marker}`, ack });
    ledger.note(marker);
  }

  async run(client: Client): Promise<void> {
    const busy = BUSY.map(async (path) => {
      while (!this.#ended) await this.edit(client, path);
    });
    const rarely = async () => {
      while (!this.#ended) {
        await this.edit(client, RARE);
        await pause(this.#random.below(300));
      }
    };
    await Promise.all([...busy, rarely(), this.edit(client, ONCE)]);
  }

  end(): void {
    this.#ended = true;
  }
}

/** Takes what a power cut would leave while agents work, and audits it; so often. */
async function cutAgainAndAgain(cuts: number, random: Random): Promise<void> {
  let audited = 0;
  while (audited < cuts) {
    const disk = makeDisk(Object.fromEntries(PATHS.map((path) => [path, LINES])));
    const daemon = await startDaemon(disk.folder.root);
    const work = new Work(random);
    const running = work.run(await daemon.connect({ name: "ann" }));
    for (let i = 0; i < CUTS_A_RUN && audited < cuts; i++) {
      await pause(1 + random.below(LONGEST_MS));
      daemon.signal("SIGSTOP");
      const noted = new Map([...work.ledgers].map(([path, ledger]) => [path, ledger.copy()]));
      const left = disk.cut();
      daemon.signal("SIGCONT");
      if (left === undefined) continue;
      await audit(left, noted, `seed ${random.seed}, cut ${audited++}`);
    }
    work.end();
    await running;
    await daemon.kill();
    disk.remove();
  }
}

/** Everything acknowledged is in memory and in the file, and nothing is there twice. */
async function audit(disk: Disk, noted: ReadonlyMap<string, Ledger>, which: string): Promise<void> {
  const { folder } = disk;
  const daemon = await startDaemon(folder.root);
  const client = await daemon.connect();
  for (const [path, ledger] of noted) {
    const { text } = await client.request("doc.read", { path });
    expect(ledger.audit(text), `${which}, ${path} in memory`).toEqual(NOTHING_AMISS);
    expect(text.replace(/ «\w+:\d+»/g, ""), `${which}, ${path} otherwise`).toBe(LINES);
    const same = () => folder.read(path) === text;
    await until(`${which}: ${path} on disk is as in memory`, same);
  }
  await daemon.kill();
  disk.remove();
}

describe.skipIf(unable("power cuts", noLoops()))("a power cut", () => {
  const cuts = times(4, 1000);
  test(
    `[I2] at a random moment, ${cuts} times: what was acknowledged is in memory and in the file`,
    {
      timeout: 60_000 + cuts * 10_000,
    },
    () => cutAgainAndAgain(cuts, seeded(chosenSeed(20_261_121))),
  );
});
