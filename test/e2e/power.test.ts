import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { unable } from "./able.ts";
import { startDaemon } from "./daemon.ts";
import { type Disk, makeDisk, noLoops } from "./faulty-disk.ts";
import { Ledger, NOTHING_AMISS } from "./ledger.ts";
import { times } from "./long.ts";
import { chosenSeed, type Random, seeded } from "./seed.ts";
import { until } from "./until.ts";

/** Agents edit some all the time, one sometimes and one only once. */
const BUSY = ["a.md", "sub/b.md"] as const;
const RARE = "rare.md";
const ONCE = "once.md";
const PATHS = [...BUSY, RARE, ONCE];
const LINES = Array.from({ length: 40 }, (_, i) => `line ${i}:\n`).join("");
const LONGEST_MS = 1_500;
/** Cuts from one run of a daemon. */
const CUTS_A_RUN = 10;

/** The acknowledged state at a moment: edits by document, and the existing files. */
interface Noted {
  readonly ledgers: ReadonlyMap<string, Ledger>;
  readonly there: ReadonlyMap<string, boolean>;
}

/** Agents that edit several documents, each with its own ledger. Other documents are created, renamed and deleted. */
class Work {
  readonly #ledgers = new Map(PATHS.map((path) => [path, new Ledger()]));
  /** Whether each file exists, without files that have an operation under way. */
  readonly #there = new Map<string, boolean>();
  readonly #random: Random;
  #ended = false;

  constructor(random: Random) {
    this.#random = random;
  }

  async edit(client: Client, path: string): Promise<void> {
    const ledger = this.#ledgers.get(path)!;
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
    const files = async () => {
      for (let i = 0; !this.#ended; i++) await this.#comeAndGo(client, `made/${i}.md`, `moved/${i}.md`);
    };
    await Promise.all([...busy, rarely(), files(), this.edit(client, ONCE)]);
  }

  async #comeAndGo(client: Client, path: string, to: string): Promise<void> {
    await client.request("doc.create", { path, text: LINES });
    this.#there.set(path, true);
    await pause(this.#random.below(200));
    if (this.#random.below(2) === 0) return;
    this.#there.delete(path);
    await client.request("doc.rename", { path, to });
    this.#there.set(path, false).set(to, true);
    if (this.#random.below(2) === 0) return;
    this.#there.delete(to);
    await client.request("doc.delete", { path: to });
    this.#there.set(to, false);
  }

  noted(): Noted {
    const ledgers = [...this.#ledgers].map(([path, ledger]) => [path, ledger.copy()] as const);
    return { ledgers: new Map(ledgers), there: new Map(this.#there) };
  }

  end(): void {
    this.#ended = true;
  }
}

/** Runs rounds: copies the state after a power cut while agents work, and checks it. */
async function cutAgainAndAgain(cuts: number, random: Random): Promise<void> {
  let [audited, logged] = [0, 0];
  while (audited < cuts) {
    const disk = makeDisk(Object.fromEntries(PATHS.map((path) => [path, LINES])));
    const daemon = await startDaemon(disk.folder.root);
    const work = new Work(random);
    const running = work.run(await daemon.connect({ name: "ann" }));
    for (let i = 0; i < CUTS_A_RUN && audited < cuts; i++) {
      await pause(1 + random.below(LONGEST_MS));
      daemon.signal("SIGSTOP");
      const noted = work.noted();
      const left = disk.cut();
      daemon.signal("SIGCONT");
      if (left === undefined) continue;
      if (readdirSync(left.folder.at(".spliced/store")).some((name) => name.startsWith("front."))) logged++;
      await audit(left, noted, `seed ${random.seed}, cut ${audited++}`);
    }
    work.end();
    await running;
    await daemon.kill();
    disk.remove();
  }
  console.info(`power: ${logged} of ${cuts} images have a log`);
  expect(logged).toBeGreaterThan(0);
}

/** Checks that memory and file contain each acknowledged edit exactly once. */
async function audit(disk: Disk, { ledgers, there }: Noted, which: string): Promise<void> {
  const { folder } = disk;
  rmSync(folder.at(".spliced/daemon.lock"), { force: true }); // the process that holds it still runs on this machine
  for (const [path, is] of there) expect(existsSync(folder.at(path)), `${which}, ${path} is there`).toBe(is);
  const daemon = await startDaemon(folder.root);
  const client = await daemon.connect();
  for (const [path, ledger] of ledgers) {
    const { text } = await client.request("doc.read", { path });
    expect(ledger.audit(text), `${which}, ${path} in memory`).toEqual(NOTHING_AMISS);
    expect(text.replace(/ «\w+:\d+»/g, ""), `${which}, ${path} otherwise`).toBe(LINES);
    const same = () => folder.read(path) === text;
    await until(`${which}: ${path} on disk is as in memory`, same);
  }
  await daemon.kill();
  disk.remove();
}

/** Edits files that a lane has, too, cuts the power, and checks the next daemon, for which the machine was restarted. */
async function cutBesideLane(random: Random, which: string): Promise<void> {
  const disk = makeDisk(Object.fromEntries(PATHS.map((path) => [`w/${path}`, LINES])));
  const { root } = disk.folder;
  const daemon = await startDaemon(join(root, "w"));
  const client = await daemon.connect({ name: "ann" });
  await client.request("lane.add", { name: "bob", folder: join(root, "lane") });
  execFileSync("sync", ["-f", root]); // the lane itself is older than the last moment
  const work = new Work(random);
  const edits = 5 + random.below(40);
  for (let i = 0; i < edits; i++) await work.edit(client, random.pick(PATHS));
  daemon.signal("SIGSTOP");
  const { ledgers } = work.noted();
  const left = disk.cut();
  await daemon.kill();
  if (left === undefined) return disk.remove();
  rmSync(left.folder.at("w/.spliced/daemon.lock"), { force: true });
  const boot = disk.folder.at("boot");
  disk.folder.write("boot", `${which}\n`);
  const shown = `mount --bind "$1" /proc/sys/kernel/random/boot_id && mount --bind "$2" "$3" && shift 3 && exec "$@"`;
  const through = ["unshare", "-m", "sh", "-c", shown, "sh", boot, left.folder.root, root];
  const next = await startDaemon(join(root, "w"), { through, seenAt: left.folder.at("w") });
  const reader = await next.connect();
  for (const [path, ledger] of ledgers) {
    const { text } = await reader.request("doc.read", { path });
    const inLane = () =>
      existsSync(left.folder.at(`lane/${path}`)) && left.folder.read(`lane/${path}`) === text;
    await until(`${which}: the lane's ${path} is as in memory`, inLane);
    const last = await reader.request("doc.read", { path });
    expect(ledger.audit(last.text), `${which}, ${path} in memory`).toEqual(NOTHING_AMISS);
    expect(last.text.replace(/ «\w+:\d+»/g, ""), `${which}, ${path} otherwise`).toBe(LINES);
  }
  await next.kill();
  left.remove();
  disk.remove();
}

describe.skipIf(unable("power cuts", noLoops()))("a power cut", () => {
  const cuts = times(2, 1000);
  test(
    `[I2] at a random moment, ${cuts} times: what was acknowledged is in memory and in the file`,
    {
      timeout: 60_000 + cuts * 10_000,
    },
    () => cutAgainAndAgain(cuts, seeded(chosenSeed(20_261_121))),
  );

  const laneCuts = times(2, 100);
  test(`[LV86] beside a lane, ${laneCuts} times: what the lane lost takes back no edit, and comes again`, {
    timeout: 60_000 + laneCuts * 20_000,
  }, async () => {
    const random = seeded(chosenSeed(20_261_128));
    for (let cut = 0; cut < laneCuts; cut++) await cutBesideLane(random, `seed ${random.seed}, cut ${cut}`);
  });
});
