import type { RandomBytes } from "../../src/doc/peers.ts";
import { sameImage } from "../../src/mirror/files.ts";
import { encode } from "../../src/mirror/format.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import type { Document } from "../../src/workspace/document/document.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk, imageOfInode } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { partOf, Seeded } from "../helpers/seeded.ts";
import { Follower } from "./follower.ts";
import { Ledger } from "./ledger.ts";
import { Process } from "./process.ts";
import { prose } from "./prose.ts";
import { FREQUENT, frequentIn } from "./rare.ts";
import { StaleSaves } from "./stale.ts";
import { unreported } from "./unreported.ts";

/** The defects that a test can plant, to see that the simulation finds them. */
export type Defect = "acknowledges early" | "swaps blindly" | "reuses peers";

/** The path of the file at the start. */
const PATH = "notes/a.md" as DocPath;

/** The possible numbers of hints for one change, with weights. */
const WATCHERS = [[1], [0], [0, 1, 1, 2], [1, 3]];
/** A kernel's clock tick: with coarse stamps all writes within one tick have the same stamp. */
const TICK_NS = 4_000_000n;

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** The line of a trace when the daemon ends between the two exchanges of a swap. */
const DIES_IN_SWAP = "the daemon dies in a swap";

export interface Conditions {
  readonly defect?: Defect | undefined;
  /** Time stamps as coarse as a kernel's tick, so that one can hide a write of the same size. */
  readonly coarse?: boolean | undefined;
  /** The file may have other names, and is then overwritten in place. */
  readonly links?: boolean | undefined;
  /** The machine may lose power: unsynced writes are lost, or half done. */
  readonly power?: boolean | undefined;
  /** A person sets the machine's clock a year ahead, and back. */
  readonly jumps?: boolean | undefined;
  /** Workers plan the edits, while other edits go on. */
  readonly workers?: boolean | undefined;
  /** The daemon covers the files that no document has; true by default. */
  readonly covers?: boolean | undefined;
  /** The daemon may end in the middle of a swap that met an unseen save; true by default. */
  readonly halves?: boolean | undefined;
  /** The disk shows whether a program has read what the daemon wrote; in every other run by default. */
  readonly tellsReads?: boolean | undefined;
  /** An agent renames, deletes and restores the file through the daemon, and undoes and redoes changes. */
  readonly requests?: boolean | undefined;
  /** Each run makes two rare turns, or kinds of turns, frequent. */
  readonly rare?: boolean | undefined;
}

/** The simulated machine: time, disk, store, and the daemon while it runs. */
export class World {
  /** The log of people, agents, disk and store. */
  readonly random: Seeded;
  readonly ledger = new Ledger();
  readonly stale = new StaleSaves(this.ledger);
  readonly clock = new FakeClock();
  readonly disk: FakeDisk;
  readonly links: boolean;
  readonly power: boolean;
  readonly jumps: boolean;
  readonly workers: boolean;
  readonly covers: boolean;
  readonly halves: boolean;
  readonly requests: boolean;
  /** What this run makes frequent. */
  readonly #frequent: ReadonlySet<string>;
  readonly trace: string[] = [];
  /** The broken promises found so far. */
  readonly problems: string[] = [];
  /** Every content that the file ever had. */
  readonly contents = new Set<string>();
  /** The acknowledged edits of agents, and their marks. */
  readonly made: { readonly changeId: string; readonly mark: string }[] = [];
  /** The texts of all versions that listeners heard of, by document and version. */
  readonly heard = new Map<string, Map<string, string>>();
  /** The authors of all changes that listeners heard of. */
  readonly authors = new Map<string, string>();
  /** Texts that a daemon knew as the file's, with everything up to then durable. */
  readonly #known = new Set<string>();
  /** Those whose records a crash may still lose. */
  readonly #knownSoFar = new Set<string>();
  /** Called when the daemon uses a file, to let a person act at that moment. */
  interrupt: () => void = () => {};
  /** Called as time passes. */
  watch: () => void = () => {};
  process: Process | undefined;
  /** True when the daemon died just now, and nobody has noticed yet. */
  isDying = false;
  /** True when the last daemon died in a swap: the next one merges the save that it displaced into the old document. */
  #hasDied = false;
  #path = PATH;
  /** True at the moment at which the daemon removes the file. */
  #removing = false;
  /** The number of times that the daemon deleted the file. */
  deletions = 0;
  /** The restorations under way. */
  restorations = 0;
  /** The last text of the file. */
  #lastText = "";
  /** The file was renamed, and the daemon has not noticed yet. */
  #moving = false;
  #renames = 0;
  /** The names that the daemon may give the file, as agents ask. */
  readonly #asked = new Set<string>();
  #store: MemoryStore;
  #follower: Follower;
  #starts = 0;
  /** True while the file lost content and the daemon is about to write it anew; the replica has its proper content. */
  #mending = false;
  /** The contents of the file before each power cut since a daemon had it whole; undefined while one has it so. */
  #cut: string | undefined;
  readonly #seed: number;
  readonly #defect: Defect | undefined;
  readonly #copies: readonly number[];

  constructor(
    seed: number,
    { defect, coarse, links, power, jumps, workers, covers, halves, tellsReads, requests, rare }: Conditions,
  ) {
    const random = new Seeded(seed);
    this.#seed = seed;
    this.random = random;
    this.#defect = defect;
    this.#copies = random.pick(WATCHERS);
    this.#follower = new Follower(this.#path);
    this.links = links ?? false;
    this.power = power ?? false;
    this.jumps = jumps ?? false;
    this.workers = workers ?? false;
    this.covers = covers ?? true;
    this.halves = halves ?? true;
    this.requests = requests ?? false;
    this.#frequent = rare ? frequentIn(seed) : new Set();
    this.disk = new FakeDisk(this.clock, {
      tellsReads: tellsReads ?? seed % 2 === 0,
      ...(coarse && { tickNs: TICK_NS }),
    });
    this.#store = new MemoryStore({ atOnce: false, acknowledgeEarly: defect === "acknowledges early" });
    this.disk.onChange = (path) => {
      const isThere = this.disk.inode(path) !== undefined;
      // While the file is elsewhere, a rename by request is of another file, which has come to its former name.
      if (this.#asked.has(path) && isThere && this.disk.inode(this.#path) === undefined)
        this.#follow(path as DocPath);
      if (!isThere && path === this.#path && this.#removing) this.#deleted();
      if (isThere && path === this.#path) this.#lastText = this.disk.text(path)!;
      this.contents.add(this.disk.text(path) ?? "");
      this.#savedSinceCut(this.disk.text(path) ?? "");
      this.process?.watcher.changed(`${this.disk.root}/${path}`);
    };
    const eol = random.pick(["\n", "\n", "\r\n"]);
    this.disk.save(
      this.#path,
      (random.chance(0.1) ? "\ufeff" : "") + prose(random, this.isFrequent("short") ? 2 : 12, eol),
    );
  }

  /** Returns whether this run makes a turn, or a kind of turns, frequent. */
  isFrequent(what: string): boolean {
    return this.#frequent.has(what);
  }

  /** Returns one of the entries, with a probability by its weight in this run. */
  weighted<T extends string>(entries: readonly (readonly [weight: number, value: T])[]): T {
    return this.random.weighted(
      entries.map(([weight, value]) => [this.isFrequent(value) ? weight * FREQUENT : weight, value]),
    );
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

  get follower(): Follower {
    return this.#follower;
  }

  /** The present path of the file. */
  get path(): DocPath {
    return this.#path;
  }

  get document(): Document | undefined {
    return this.process?.workspace.loadedAt(this.#path);
  }

  /** Renames the file to a new name, as a person does. */
  rename(): void {
    const inode = this.disk.inode(this.#path);
    const known = this.document?.mirror.image;
    const isUnknown = inode === undefined || known === undefined || !sameImage(known, imageOfInode(inode));
    if (isUnknown) this.#leaveBehind();
    // The daemon that starts after a death may still hold a save that was displaced, for the document before.
    if (this.#hasDied && (isUnknown || this.process === undefined))
      this.ledger.takeOutAllBut(this.disk.text(this.#path) ?? "");
    const to = this.#name();
    this.disk.move(this.#path, to);
    this.#follow(to);
    this.#moving = true;
  }

  /** Notes that the daemon deleted the file: all text may be in the history alone. */
  #deleted(): void {
    this.#removing = false;
    this.deletions++;
    this.ledger.takeOutAllBut("");
    this.stale.seen();
  }

  /** The text of the file that the daemon deleted; undefined while the file is there. */
  get lost(): string | undefined {
    return this.disk.inode(this.#path) === undefined ? this.#lastText : undefined;
  }

  /** Returns a name for the file that the daemon may give it. */
  newName(): DocPath {
    const to = this.#name();
    this.#asked.add(to);
    return to;
  }

  #name(): DocPath {
    return `notes/renamed-${this.#renames++}.md` as DocPath;
  }

  #follow(path: DocPath): void {
    this.#asked.delete(path);
    this.#path = path;
    this.#follower = new Follower(path);
  }

  /**
   * Returns whether people edit the file. Mostly they leave a renamed file alone until the daemon knows its new name.
   * Otherwise the daemon may take it for another file; edits that it lacks then stay in the old document's history.
   */
  settled(): boolean {
    // No person edits the zeros that a power cut left.
    if (this.disk.text(this.#path)?.includes("\0")) return false;
    if (!this.#moving) return true;
    if (!this.random.chance(0.1)) return false;
    this.#leaveBehind();
    return true;
  }

  /** Returns whether a daemon once knew a text as the file's, and still knows that after a crash. */
  hasKnown(text: string): boolean {
    return this.#known.has(text);
  }

  /** Notes the text that the daemon knows as the file's now: it may never look while the file has another one. */
  #noteKnown(document: Document): void {
    this.#knownSoFar.add(Buffer.concat(encode(document.known())).toString("utf8"));
    if (!document.kept) return;
    for (const text of this.#knownSoFar) this.#known.add(text);
    this.#knownSoFar.clear();
  }

  /** Connects the subscriber again, which reads the document; no event reports a refusal of changes that it read. */
  resync(): void {
    const { document, follower } = this;
    if (this.store.waiting > 0 || document === undefined || document.deleted || !document.kept) return;
    this.say("resync");
    follower.resync(document.version, document.text);
  }

  /** Returns whether a daemon that starts now knows the path of the file. */
  #noted(): boolean {
    return (
      this.#renames === 0 ||
      [...this.store.durable.documents.values()].some(({ path }) => path === this.#path)
    );
  }

  #leaveBehind(): void {
    this.#moving = false;
    this.ledger.leaveBehind();
    this.stale.seen();
  }

  everHeld(mark: string): boolean {
    return [...this.contents].some((content) => content.includes(mark));
  }

  start(): void {
    const { clock, disk, store } = this;
    this.say("start");
    this.#mending = false;
    this.#follower = new Follower(this.#path);
    // Each daemon gets a random stream of its own, so that its draws do not change the other actors'.
    const drawn = new Seeded(partOf(this.#seed, -2 - this.#starts++));
    this.process = new Process({
      clock,
      disk,
      store,
      random: this.#defect === "reuses peers" ? reusedPeers(drawn) : drawn.bytes,
      copies: () => this.random.pick(this.#copies),
      before: (what) => {
        this.say(`      ${what}`);
        this.interrupt();
        if (what !== "remove") return;
        this.#removing = true;
        queueMicrotask(() => (this.#removing = false));
      },
      swapBlindly: this.#defect === "swaps blindly",
      diesInSwap: () => {
        this.isDying = this.halves && drawn.chance(0.7);
        if (this.isDying) this.say(DIES_IN_SWAP);
        return this.isDying;
      },
      workers: this.workers,
      covers: this.covers,
      report: (event, details) => {
        this.say(`report ${event} ${JSON.stringify(details)}`);
        if (event === "file.fell_back") this.#mending = true;
        // Until the document is loaded again, the daemon does not look at its file.
        if (event === "document.failed" && this.#moving) this.#leaveBehind();
        if (isDefect(event, details)) this.wrong(`${event}: ${String(details["reason"])}`);
      },
      listen: (event) => {
        this.say(`event ${event.type} ${event.type === "changed" ? `${event.version} ${event.author}` : ""}`);
        this.stale.hear(event);
        if (event.type === "changed") this.#hear(event);
        if (event.type === "rescued")
          for (const overlap of event.conflicts) this.ledger.contest(event.text, overlap);
        if (event.type === "conflict")
          for (const overlap of event.conflicts) this.ledger.contest(event.base, overlap);
        const problem = this.#follower.hear(event);
        if (problem !== undefined) this.wrong(problem);
      },
    });
  }

  #hear({
    changeId,
    author,
    docId,
    version,
    before,
    splices,
  }: WorkspaceEvent & { readonly type: "changed" }): void {
    const versions = this.heard.get(docId) ?? new Map<string, string>();
    this.heard.set(docId, versions.set(version, before.splice(splices).toString()));
    this.authors.set(changeId, author);
  }

  /** Ends the daemon as a crash does; some waiting writes of its store still become durable. */
  async crash(most = this.store.waiting): Promise<void> {
    if (this.process === undefined) return;
    this.stale.seen();
    this.#knownSoFar.clear();
    if (!this.#noted()) {
      this.#leaveBehind();
      // The next daemon does not know the renamed file, so a save that was displaced stays with the document before.
      if (this.#hasDied) this.ledger.takeOutAllBut(this.disk.text(this.#path) ?? "");
    }
    const kept = this.random.int(most + 1);
    this.say(`crash, ${kept} of ${this.store.waiting} writes come through`);
    this.#checkJournalFirst();
    this.#store = await this.process.kill(kept);
    this.process = undefined;
    for (const { base, conflicts } of unreported(this.#store, (id) => this.authors.has(id)))
      for (const overlap of conflicts) this.ledger.contest(base, overlap);
    this.#hasDied ||= this.isDying;
    this.isDying = false;
  }

  /** Cuts the power; people's editors had synced their saves. */
  async powerCut(): Promise<void> {
    await this.crash(0);
    const held = this.disk.text(this.#path);
    this.disk.powerCut(this.random);
    this.#cut = (this.#cut ?? "") + (held ?? "");
    this.say("power cut");
  }

  /** Notes a save over a file that the power cut damaged, before a daemon repaired it: the save deletes the lost text. */
  #savedSinceCut(text: string): void {
    for (const mark of this.ledger.marksIn(this.#cut ?? ""))
      if (!text.includes(mark)) this.ledger.takeOut(mark);
  }

  /** Sets the clock a year ahead or, if it was ahead, back. */
  setClock(): void {
    this.clock.jump(this.clock.now() === this.clock.elapsed() ? YEAR_MS : -YEAR_MS);
    this.say(`the clock says ${new Date(this.clock.now()).toISOString()}`);
  }

  /** Stops the daemon in order. */
  async stop(): Promise<void> {
    this.say("stop");
    this.stale.seen();
    let done = false;
    const stopped = this.process?.stop().then(() => {
      done = true;
    });
    for (let i = 0; i < 200 && !done; i++) await this.pump();
    if (done) await stopped;
    else this.wrong("the daemon does not stop");
    this.#store = this.#store.crash();
    this.process = undefined;
  }

  /** Continues all waiting work, and lets some time pass. */
  async pump(): Promise<void> {
    this.store.flush();
    while ((this.process?.gates ?? 0) > 0) this.process?.openGate();
    while ((this.process?.watcher.waiting ?? 0) > 0) this.process?.watcher.deliver();
    this.clock.step(100);
    await drained();
    if (this.isDying) {
      await this.crash();
      this.start();
    }
    this.watch();
  }

  /** Checks the promise that holds at every moment (I1). */
  check(): void {
    const document = this.document;
    if (document !== undefined && !document.deleted) this.#moving = false;
    if (document === undefined || document.deleted || document.failure !== undefined) return;
    this.#noteKnown(document);
    this.stale.landed((seq) => document.holds(seq));
    if (document.holds(document.head.seq)) {
      this.#mending = false;
      this.#cut = undefined;
    }
    if (this.#mending) return;
    const known = Buffer.concat(encode(document.known())).toString("utf8");
    if (!this.contents.has(known)) this.wrong("the disk replica holds what the file never held");
  }

  /** Checks that the file contains no edit that the journal lacks (I2). */
  #checkJournalFirst(): void {
    const { durable: kept } = this.store;
    const changes = [...kept.changes.keys()].flatMap((id) => kept.everyChangeOf(id));
    const durable = changes.flatMap(({ splices }) => splices.map(({ insert }) => insert)).join("");
    for (const mark of this.ledger.agentsIn(this.disk.text(this.#path) ?? ""))
      if (!durable.includes(mark)) this.wrong(`${mark} is in the file and not in the journal`);
  }
}

/** Returns random bytes; peers, the requests for eight bytes, come in the same order in every process. */
function reusedPeers(random: Seeded): RandomBytes {
  const peers = new Seeded(1);
  return (size) => (size === 8 ? peers : random).bytes(size);
}

/** Returns true for a report of a defect; a planned failure of the store is none. */
function isDefect(event: string, { reason }: Readonly<Record<string, unknown>>): boolean {
  if (event === "house.ended" || event === "document.broken") return true;
  return event === "document.failed" && !String(reason).includes("as the test wants it");
}
