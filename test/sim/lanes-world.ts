import { createHash } from "node:crypto";
import { type LaneRecord, laneShelf, shelvedFile } from "../../src/lanes/record.ts";
import { isFileProblem } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { partOf, Seeded } from "../helpers/seeded.ts";
import { LANE, LaneProcess } from "./lane-process.ts";
import { MachinesLedger } from "./machines-ledger.ts";

const FILES = ["a.md", "b.md", "c.md", "notes/d.md", "notes/e.md"] as const;
/** The turns of the event loop after an action, in which the daemon works. */
const TURNS = 4;

/** The folders of a simulated machine: the workspace, and the folder of its lane. */
export type Side = "main" | "lane";

/** A machine with a workspace and a lane of it: time, disks, store, and the daemon while it runs. */
export class LanesWorld {
  readonly random: Seeded;
  readonly ledger = new MachinesLedger();
  readonly clock = new FakeClock();
  readonly disks: Readonly<Record<Side, FakeDisk>>;
  readonly trace: string[] = [];
  readonly problems: string[] = [];
  /** True where all writes in the lane wait for a review. */
  readonly proposes: boolean;
  process: LaneProcess | undefined;
  /** True when the daemon died in a swap, and nobody has noticed yet. */
  isDying = false;
  readonly #seed: number;
  #store = new MemoryStore({ atOnce: false });
  #starts = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.random = new Seeded(seed);
    this.proposes = seed % 3 === 0;
    const tellsReads = seed % 2 === 0;
    this.disks = {
      main: new FakeDisk(this.clock, { tellsReads }),
      lane: new FakeDisk(this.clock, { tellsReads }),
    };
    const record: LaneRecord = {
      name: LANE,
      token: "owner",
      tokenName: "owner",
      propose: this.proposes,
      folder: this.disks.lane.root,
      createdAt: new Date(0).toISOString(),
      ready: true,
    };
    void this.#store.shelve({ shelf: laneShelf, id: LANE, record });
    for (const path of FILES) this.#begin(path as DocPath);
    this.#store.flush();
    this.disks.main.onChange = (path) =>
      this.process?.process.watcher.changed(`${this.disks.main.root}/${path}`);
    this.disks.lane.onChange = (path) => this.process?.changedInLane(`${this.disks.lane.root}/${path}`);
  }

  /** Makes a file that the lane begins with. */
  #begin(path: DocPath): void {
    const text = Array.from({ length: this.random.between(1, 6) }, (_, n) => `line ${n} of ${path}\n`).join(
      "",
    );
    for (const side of ["main", "lane"] as const) this.disks[side].save(path, text);
    const image = new FakeFiles(this.disks.lane).look(path);
    if (isFileProblem(image)) throw new Error(image.message);
    const sha256 = createHash("sha256").update(text).digest("hex");
    void this.#store.shelve(shelvedFile({ lane: LANE, path, status: "live", sha256, image }));
  }

  readonly say = (line: string): void => {
    this.trace.push(line);
  };

  wrong(problem: string): void {
    this.say(`WRONG ${problem}`);
    this.problems.push(problem);
  }

  get store(): MemoryStore {
    return this.#store;
  }

  /** The files of a folder, in the order of their paths. */
  paths(side: Side): string[] {
    return this.disks[side].paths();
  }

  start(): void {
    if (this.process !== undefined) return;
    this.say("start");
    const drawn = new Seeded(partOf(this.#seed, -2 - this.#starts++));
    this.process = new LaneProcess({
      clock: this.clock,
      disk: this.disks.main,
      laneDisk: this.disks.lane,
      store: this.#store,
      random: drawn.bytes,
      copies: () => 1,
      before: (what) => this.say(`      ${what}`),
      swapBlindly: false,
      diesInSwap: () => {
        this.isDying = drawn.chance(0.3);
        if (this.isDying) this.say("the daemon dies in a swap");
        return this.isDying;
      },
      workers: false,
      covers: true,
      report: (event, details) => {
        this.say(`report ${event} ${JSON.stringify(details)}`);
        if (
          event === "lane.defect" ||
          event === "house.ended" ||
          event === "document.broken" ||
          event === "document.failed"
        )
          this.wrong(`${event}: ${String(details["reason"])}`);
      },
      listen: (event) =>
        this.say(`event ${event.type} ${event.path}${event.type === "renamed" ? ` to ${event.to}` : ""}`),
    });
  }

  async crash(): Promise<void> {
    if (this.process === undefined) return;
    const kept = this.random.int(this.#store.waiting + 1);
    this.say(`crash, ${kept} of ${this.#store.waiting} writes come through`);
    const { process } = this;
    this.process = undefined;
    this.#store = await process.kill(kept);
    this.isDying = false;
  }

  /** Lets the daemon work for some turns of the event loop. */
  async work(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await drained();
    if (this.isDying) await this.crash();
  }

  /** Continues all waiting work, and lets some time pass. */
  async pump(ms = 100): Promise<void> {
    if (this.process === undefined) this.start();
    this.#store.flush();
    while ((this.process?.gates ?? 0) > 0) this.process!.openGate();
    while ((this.process?.hints ?? 0) > 0) this.process!.deliver();
    this.clock.step(ms);
    this.process?.lane.tend();
    await this.work();
  }
}
