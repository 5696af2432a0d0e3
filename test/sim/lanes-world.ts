import { createHash } from "node:crypto";
import {
  type LaneRecord,
  laneFileShelf,
  laneShelf,
  shelvedFile,
  shelvedLane,
} from "../../src/lanes/records/record.ts";
import { isFileProblem } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { partOf, Seeded } from "../helpers/seeded.ts";
import { LaneFolders } from "./lane-folders.ts";
import { type LaneProcess, LanesProcess, OneLaneProcess } from "./lane-process.ts";
import { MachinesLedger, marksIn } from "./machines-ledger.ts";

const FILES = ["a.md", "b.md", "c.md", "notes/d.md", "notes/e.md"] as const;
/** The turns of the event loop after an action, in which the daemon works. */
const TURNS = 4;
/** The reports of a defect. */
const DEFECTS = new Set([
  "lane.defect",
  "lane.not_opened",
  "lane.not_removed",
  "lanes.not_started",
  "house.ended",
  "document.broken",
  "document.failed",
]);

/** A folder of the machine: the workspace, or that of the lane of this name. */
export type Side = "main" | (string & {});

export interface LanesConditions {
  /** Two or three lanes, which may come and go; one lane by default. */
  readonly several?: boolean | undefined;
  /** The machine may lose power: unsynced writes are lost, or half done. */
  readonly power?: boolean | undefined;
}

/** A machine with a workspace and lanes of it: time, disks, store, and the daemon while it runs. */
export class LanesWorld {
  readonly random: Seeded;
  readonly ledger = new MachinesLedger();
  readonly clock = new FakeClock();
  readonly main: FakeDisk;
  readonly folders: LaneFolders;
  /** The names of the lanes at the start. */
  readonly names: readonly string[];
  readonly several: boolean;
  readonly power: boolean;
  readonly trace: string[] = [];
  readonly problems: string[] = [];
  process: LaneProcess | undefined;
  /** True when the daemon died in a swap, and nobody has noticed yet. */
  isDying = false;
  /** The texts of files before each power cut that damaged them, by their absolute paths. */
  readonly #cut = new Map<string, string>();
  readonly #seed: number;
  #store = new MemoryStore({ atOnce: false });
  #starts = 0;

  constructor(seed: number, { several = false, power = false }: LanesConditions = {}) {
    this.#seed = seed;
    this.several = several;
    this.power = power;
    this.random = new Seeded(seed);
    const tellsReads = seed % 2 === 0;
    this.main = new FakeDisk(this.clock, { tellsReads });
    this.main.onChange = (path) => this.process?.process.watcher.changed(`${this.main.root}/${path}`);
    this.folders = new LaneFolders(this.clock, { tellsReads, losesNew: power }, (path) =>
      this.process?.changedInLane(path),
    );
    const drawn = new Seeded(partOf(seed, -1));
    this.names = ["lane", "lane-2", "lane-3"].slice(0, several ? drawn.between(2, 3) : 1);
    for (const [n, name] of this.names.entries())
      this.#beginLane(name, n === 0 ? seed % 3 === 0 : drawn.chance(0.25));
    for (const path of FILES) this.#begin(path as DocPath);
    this.#store.flush();
  }

  #beginLane(name: string, propose: boolean): void {
    const folder = `/lanes/${name}`;
    const of = { token: "owner", tokenName: "owner" };
    const createdAt = new Date(0).toISOString();
    const record: LaneRecord = {
      name,
      ...of,
      propose,
      folder,
      createdAt,
      boot: this.folders.boot,
      ready: true,
    };
    this.folders.mark(folder, name);
    void this.#store.shelve(shelvedLane(record));
  }

  /** Makes a file that the lanes begin with. */
  #begin(path: DocPath): void {
    const text = Array.from({ length: this.random.between(1, 6) }, (_, n) => `line ${n} of ${path}\n`).join(
      "",
    );
    this.main.save(path, text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    for (const lane of this.names) {
      const disk = this.folders.disk(`/lanes/${lane}`);
      disk.save(path, text);
      const image = new FakeFiles(disk).look(path);
      if (isFileProblem(image)) throw new Error(image.message);
      void this.#store.shelve(shelvedFile({ lane, path, status: "live", sha256, image }));
    }
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

  /** The lanes that have all files, and that nobody removes. */
  get lanes(): readonly LaneRecord[] {
    return [...this.#store.shelf(laneShelf)].filter(({ ready }) => ready);
  }

  /** The workspace and the lanes. */
  get sides(): readonly Side[] {
    return ["main", ...this.lanes.map(({ name }) => name)];
  }

  /** Returns the disk of a side; `lane` must be on the shelf. */
  disk(side: Side): FakeDisk {
    if (side === "main") return this.main;
    return this.folders.disk([...this.#store.shelf(laneShelf)].find(({ name }) => name === side)!.folder);
  }

  /** The files of a folder, in the order of their paths. */
  paths(side: Side): string[] {
    return this.disk(side).paths();
  }

  /** The texts of the files of a folder, in the order of their paths. */
  texts(side: Side): string[] {
    return this.paths(side).map((path) => this.disk(side).text(path)!);
  }

  /** The texts that stayed in the folders of removed lanes. */
  leftTexts(): string[] {
    const disks = this.folders.allBut(new Set(this.lanes.map(({ folder }) => folder)));
    return disks.flatMap((disk) => disk.paths().map((path) => disk.text(path)!));
  }

  start(): void {
    if (this.process !== undefined) return;
    this.say("start");
    const drawn = new Seeded(partOf(this.#seed, -2 - this.#starts++));
    const Daemon = this.several || this.power ? LanesProcess : OneLaneProcess;
    this.process = new Daemon({
      clock: this.clock,
      disk: this.main,
      folders: this.folders,
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
        if (DEFECTS.has(event)) this.wrong(`${event}: ${String(details["reason"])}`);
      },
      listen: (event) =>
        this.say(`event ${event.type} ${event.path}${event.type === "renamed" ? ` to ${event.to}` : ""}`),
    });
  }

  /** Ends the daemon as a crash does; some of the waiting writes of its store still become durable. */
  async crash(most = this.#store.waiting): Promise<void> {
    if (this.process === undefined) return;
    const kept = this.random.int(most + 1);
    this.say(`crash, ${kept} of ${this.#store.waiting} writes come through`);
    const { process } = this;
    this.process = undefined;
    this.#store = await process.kill(kept);
    this.isDying = false;
  }

  /** Cuts the power; people had synced their saves in the workspace. */
  async powerCut(): Promise<void> {
    await this.crash(0);
    this.say("power cut");
    const before = this.#everyFile();
    const unseen = this.#unseenFiles();
    this.main.powerCut(this.random);
    this.folders.powerCut(this.random);
    this.ledger.remove(this.#lostSince([...before.values()]));
    const now = this.#everyFile();
    for (const [file, text] of before)
      if (now.get(file) !== text) this.#cut.set(file, (this.#cut.get(file) ?? "") + text);
    // What is left of a write that no daemon has seen looks like another write.
    for (const file of unseen) {
      const left = now.get(file) ?? "";
      this.ledger.remove(marksIn(before.get(file) ?? "").filter((mark) => !left.includes(mark)));
    }
  }

  /** Returns the files of lanes that somebody wrote after each version that the store knows of, by their absolute paths. */
  #unseenFiles(): string[] {
    return [...this.#store.shelf(laneFileShelf)].flatMap(({ lane, path, image, staged }) => {
      const folder = [...this.#store.shelf(laneShelf)].find(({ name }) => name === lane)?.folder;
      const written = folder === undefined ? undefined : this.folders.disk(folder).inode(path)?.mtimeNs;
      const known = [image, staged?.image].filter((one) => one !== undefined);
      const isUnseen = written !== undefined && known.every(({ mtimeNs }) => written > mtimeNs);
      return isUnseen ? `${folder}/${path}` : [];
    });
  }

  /** Notes that somebody gives a file another text, or takes it away: of one that a power cut damaged, that deletes the rest. */
  changes(side: Side, path: string, next = ""): void {
    const disk = this.disk(side);
    const file = `${disk.root}/${path}`;
    const lines = (this.#cut.get(file) ?? "").split(/(?<=\n)/);
    const had = lines.flatMap(marksIn);
    const text = disk.text(path) ?? "";
    if (lines.every((line) => text.includes(line) || marksIn(line).length === 0))
      return void this.#cut.delete(file);
    this.ledger.remove(had.filter((mark) => !next.includes(mark)));
    // A line of which the power cut left the beginning alone is another one than the whole line.
    for (const mark of had) this.ledger.contest(mark);
  }

  /** Returns the marks of writes that neither the store nor a file has any more, and that nobody owes. */
  #lostSince(before: readonly string[]): string[] {
    const { changes } = this.#store.durable;
    const stored = [...changes.keys()].flatMap((id) => this.#store.durable.everyChangeOf(id));
    const inserted = stored.flatMap(({ splices }) => splices.map(({ insert }) => insert));
    const kept = new Set([...inserted, ...this.#everyFile().values()].flatMap(marksIn));
    return before.flatMap(marksIn).filter((mark) => !kept.has(mark));
  }

  /** The texts of all files, by their absolute paths. */
  #everyFile(): Map<string, string> {
    const disks = [this.main, ...this.folders.allBut(new Set())];
    return new Map(
      disks.flatMap((disk) => disk.paths().map((path) => [`${disk.root}/${path}`, disk.text(path)!])),
    );
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
    this.process?.tend();
    await this.work();
  }
}
