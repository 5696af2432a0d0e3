import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { Link } from "../../src/link/link.ts";
import type { Refused, Sealer } from "../../src/link/members/sealer.ts";
import { forgetLink } from "../../src/link/state/link-state.ts";
import type { Clock } from "../../src/mirror/clock.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { IgnoreRules } from "../../src/paths/ignore-rules.ts";
import { NO_RULES, type OuterFile } from "../../src/paths/outer-rules.ts";
import { Presences } from "../../src/protocol/service/presence.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { FULL_RIGHTS, type Level, levelIncludes } from "../../src/workspace/access/rights.ts";
import { surveyorOf } from "../../src/workspace/cover/surveyor.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { contentOf } from "../../src/workspace/folder/file-changes.ts";
import { maintain } from "../../src/workspace/folder/maintenance.ts";
import { Workspace } from "../../src/workspace/folder/workspace.ts";
import { Checkpoints } from "../../src/workspace/history/checkpoints.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import { Threads } from "../../src/workspace/threads/threads.ts";
import { during } from "../helpers/during.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeEditors } from "../helpers/fake-editors.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { FakeWatcher } from "../helpers/fake-watcher.ts";
import { InlineWorkers } from "../helpers/inline-workers.ts";
import { type Cut, MemoryBroker, type MemoryCarrier } from "../helpers/memory-carrier.ts";
import { MemoryState } from "../helpers/memory-state.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { NO_GIT } from "../helpers/no-git.ts";
import { partOf, Seeded } from "../helpers/seeded.ts";
import { EXPIRE_DAYS, LIMITS } from "../workspace/harness.ts";
import { type Invited, Trust, TrustSealer } from "./trust.ts";

export const ADA: Actor = { name: "ada", agent: "owner/ada", rights: FULL_RIGHTS };

/** Every machine knows every other one. */
const EVERYBODY = {
  isKnown: () => true,
  present: async () => {},
  meetAll: async () => {},
  meet: async () => true,
};

/** The file with a machine's own patterns. */
const OWN_PATTERNS: OuterFile = { file: "exclude", path: "/exclude", prefix: "" };
/** The time until a daemon hears of a change of a file. */
const HINT_MS = 5;

/** Several machines that share a workspace through a broker in memory. */
export class Machines {
  readonly clock = new FakeClock();
  readonly random: Seeded;
  readonly broker: MemoryBroker;
  readonly all = new Map<string, Machine>();
  /** The copies of machines' folders. */
  readonly copies = new Set<Machine>();
  /** The identities of machines that left. */
  readonly left = new Set<string>();
  readonly reports: string[] = [];
  /** What machines may do everywhere; `write` for the others. */
  readonly levels = new Map<string, Level>();
  /** The rules of the machines' invitations, where the first machine is an owner who may change them. */
  invited: Invited | undefined;
  /** The identities of the machines that the owner removed. */
  readonly removed = new Set<string>();
  /** The most bytes of a message's content. */
  mostBytes = Number.POSITIVE_INFINITY;

  constructor(seed = 1) {
    this.random = new Seeded(seed);
    this.broker = new MemoryBroker(this.clock, this.random);
  }

  /** Adds a machine whose folder has these files. */
  add(name: string, files: Readonly<Record<string, string>> = {}, options: MachineOptions = {}): Machine {
    const machine = new Machine(this, name, files, options);
    this.all.set(name, machine);
    return machine;
  }

  /** Adds a copy of a machine's folder, which runs at once with it under the same identity. */
  copy(original: Machine, name: string, options: MachineOptions): Machine {
    const machine = new Machine(this, name, {}, { ...options, of: original });
    this.copies.add(machine);
    return machine;
  }

  /** Lets time pass. */
  run(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Waits for a promise while time passes. @throws if it settles only after minutes, or never */
  during<T>(work: Promise<T>): Promise<T> {
    return during(this.clock, work);
  }
}

interface MachineOptions {
  /** The longest time until the store has made a write durable, in milliseconds; 0 for a store that does so at once. */
  readonly flushMs?: number;
  /** The most messages that wait for the others. */
  readonly mostWaiting?: number;
  /** The time after which a document leaves memory, in milliseconds. */
  readonly idleMs?: number;
  /** The longest time until a file is synced, on a disk that loses names in a power cut; undefined for a disk that never does. */
  readonly syncMs?: number;
  /** True for a machine whose disk takes names that differ in case or Unicode form only for one. */
  readonly folds?: boolean;
  /** How far the machine's clock is ahead, in milliseconds. */
  readonly aheadMs?: number;
  /** True for a machine that joins others: it begins with a snapshot of what they have. */
  readonly joins?: boolean;
  /** The machine whose folder this one's is a copy of. */
  readonly of?: Machine;
}

/** What a backup of a machine's folder has. */
export interface FolderBackup {
  readonly files: Readonly<Record<string, string>>;
  readonly store: MemoryState;
}

/** What people and agents use beside documents. */
interface Services {
  readonly threads: Threads;
  readonly proposals: Proposals;
  readonly checkpoints: Checkpoints;
  readonly presences: Presences;
}

function servicesOf(workspace: Workspace): Services {
  const editor = new Editor(workspace);
  return {
    threads: new Threads(workspace),
    proposals: new Proposals(workspace, editor, new FileBatches(workspace), EXPIRE_DAYS),
    checkpoints: new Checkpoints(workspace, editor),
    presences: new Presences(workspace),
  };
}

/** One process of a machine's daemon. */
interface Running extends Services {
  readonly workspace: Workspace;
  readonly link: Link;
  readonly abort: AbortController;
  readonly files: FakeFiles;
  isAlive: boolean;
}

/** One machine: its disk and its store stay when its daemon ends. */
export class Machine {
  readonly name: string;
  /** The name of its identity, which a copied folder has, too. A machine that joins anew has another one. */
  identity: string;
  readonly disk: FakeDisk;
  readonly clock: Clock;
  /** How far the machine's clock is ahead, in milliseconds. */
  aheadMs: number;
  readonly #machines: Machines;
  readonly #flushMs: number;
  readonly #syncMs: number | undefined;
  readonly #limits: { readonly mostWaiting?: number };
  readonly #idle: { readonly idleMs?: number };
  #store: MemoryStore;
  #starts = 0;
  /** True until the machine has taken in what the others had. */
  isJoining: boolean;
  #running: Running | undefined;
  carrier!: MemoryCarrier;
  /** The patterns of this machine alone, such as those of `.git/info/exclude`. */
  patterns = "";
  /** The way that is cut, also for the next daemon. */
  cut: Cut | undefined;
  /** Called when a daemon has started. */
  onStart: () => void = () => {};
  /** True where its disk takes names that differ in case or Unicode form only for one. */
  readonly folds: boolean;
  /** What it knows of the owner's decisions, where there is an owner. */
  readonly trust: Trust | undefined;
  /** True once a daemon has ended its link, because another one has, or had, the same identity. */
  isAlone = false;
  /** Called when a daemon notices another one of its identity. */
  worksAlone = (link: Link): void => {
    this.isAlone = true;
    void link.close();
  };

  constructor(
    machines: Machines,
    name: string,
    files: Readonly<Record<string, string>>,
    {
      flushMs = 0,
      aheadMs = 0,
      mostWaiting,
      idleMs,
      syncMs,
      joins = false,
      folds = false,
      of,
    }: MachineOptions,
  ) {
    this.isJoining = joins;
    this.#machines = machines;
    this.name = name;
    this.identity = of?.identity ?? name;
    const { invited } = machines;
    this.trust = invited && new Trust(this.identity, invited);
    this.aheadMs = aheadMs;
    this.clock = ahead(machines.clock, () => this.aheadMs);
    this.disk = new FakeDisk(this.clock, { losesNames: syncMs !== undefined, folds });
    this.folds = folds;
    this.#syncMs = syncMs;
    this.#flushMs = flushMs;
    this.#limits = mostWaiting === undefined ? {} : { mostWaiting };
    this.#idle = idleMs === undefined ? {} : { idleMs };
    const copied = of?.backup();
    this.#store = this.#storeWith(copied?.store ?? new MemoryState());
    for (const [path, text] of Object.entries(copied?.files ?? files)) this.disk.save(path, text);
    this.start();
  }

  get workspace(): Workspace {
    return this.#running!.workspace;
  }

  /** The threads, the proposals and the checkpoints. */
  get services(): Services {
    return this.#running!;
  }

  get link(): Link {
    return this.#running!.link;
  }

  start(): void {
    const { reports, broker, random } = this.#machines;
    const { clock } = this;
    const files = new FakeFiles(this.disk, { gate: (what) => this.#gate(what) });
    const watcher = new FakeWatcher((path) => workspace.hint(path));
    this.disk.onChange = (path) => {
      watcher.changed(`${this.disk.root}/${path}`);
      this.#machines.clock.after(HINT_MS, () => {
        if (running.isAlive) watcher.deliver();
      });
    };
    const ids = new Seeded(partOf(seedOf(this.name), this.#starts++ + random.word()));
    const ignored = new IgnoreRules({ ...NO_RULES, files: [OWN_PATTERNS] }, (path) =>
      path === OWN_PATTERNS.path ? this.patterns : this.disk.text(path),
    );
    const workspace: Workspace = new Workspace(
      {
        files,
        store: this.#store,
        clock,
        random: ids.bytes,
        watcher,
        git: NO_GIT,
        editors: new FakeEditors(),
        workers: new InlineWorkers(),
        ignored,
        surveyor: surveyorOf(files, ignored),
        reached() {},
        report: (event, details) => {
          if (running.isAlive) reports.push(`${this.name}: ${event} ${JSON.stringify(details)}`);
        },
      },
      { ...LIMITS, ...this.#idle },
    );
    const service = servicesOf(workspace);
    this.carrier = broker.carrier();
    const everyone = () => [...this.#machines.all.keys()];
    const sealer =
      this.trust === undefined
        ? new OpenSealer(this.identity, this.#machines)
        : new TrustSealer(this.identity, this.trust, { everyone, nameOf: shownName });
    const membership = this.trust?.membership(this.carrier) ?? EVERYBODY;
    const link = new Link({
      workspace,
      carrier: this.carrier,
      sealer,
      membership,
      workspaceId: "ws_test",
      ...this.#limits,
      copied: () => this.worksAlone(link),
    });
    const abort = new AbortController();
    const running: Running = { workspace, link, ...service, abort, files, isAlive: true };
    this.#running = running;
    void link.begin(this.isJoining).then((hasBegun) => {
      if (hasBegun) this.isJoining = false;
    });
    maintain(workspace, abort.signal).catch((error: unknown) =>
      workspace.ports.report("house.ended", { reason: String(error) }),
    );
    this.onStart();
  }

  /** The name that the others see. */
  get shown(): string {
    return shownName(this.identity);
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get store(): MemoryStore {
    return this.#store;
  }

  /** Ends the daemon at once; of what was not durable, the first `kept` writes are. */
  kill(kept = 0): void {
    const running = this.#running!;
    running.isAlive = false;
    running.files.crash();
    this.#store = this.#store.crash(kept);
    this.disk.onChange = () => {};
    this.#running = undefined;
    running.abort.abort();
    // What is left of the process reaches neither file nor store nor carrier, and its memory is freed.
    void this.carrier.close();
    void running.link.close().then(() => running.workspace.close());
  }

  /** Leaves the workspace, whose other machines remove this one, and joins it anew with the same folder. */
  joinAnew(): void {
    const { all, left } = this.#machines;
    this.kill(this.store.waiting);
    all.delete(this.identity);
    left.add(this.identity);
    this.identity = `${this.name}_${left.size}`;
    all.set(this.identity, this);
    void forgetLink(this.#store);
    this.#store.flush();
    this.isJoining = true;
    this.start();
  }

  #storeWith(kept: MemoryState): MemoryStore {
    return new MemoryStore({ atOnce: this.#flushMs === 0, onWaiting: () => this.#flushSoon() }, kept);
  }

  /** Returns what a backup of the folder has now: the files, and what is durable in the store. */
  backup(): FolderBackup {
    return { files: this.files(), store: this.#store.durable.copy() };
  }

  /** Turns the folder back to a backup while no daemon runs. */
  turnBack({ files, store }: FolderBackup): void {
    this.#store = this.#storeWith(store.copy());
    for (const path of this.paths()) if (files[path] === undefined) this.disk.remove(path);
    for (const [path, text] of Object.entries(files))
      if (this.text(path) !== text) this.disk.save(path, text);
  }

  /** Resolves when a call of the files goes on: the disk takes some time to sync a file. */
  async #gate(what: string): Promise<void> {
    const { clock, random } = this.#machines;
    if (what === "sync" && this.#syncMs !== undefined)
      await clock.sleep(random.int(this.#syncMs), new AbortController().signal);
  }

  /** Makes what waits durable after a while, unless the daemon ends before. */
  #flushSoon(): void {
    const { clock, random } = this.#machines;
    const store = this.#store;
    if (this.#flushMs > 0)
      clock.after(1 + random.int(this.#flushMs), () => store === this.#store && store.flush());
  }

  text(path: string): string | undefined {
    return this.disk.text(path);
  }

  /** Saves a file as a person's editor does. */
  save(path: string, text: string): void {
    this.disk.save(path, text);
  }

  async append(path: string, text: string, actor: Actor = ADA): Promise<void> {
    const editor = new Editor(this.workspace);
    const made = await this.#machines.during(
      editor.edit(actor, { kind: "append", path, plan: planAppend(text) }),
    );
    if (isRefusal(made)) throw made;
  }

  async create(path: string, text: string): Promise<void> {
    const made = await this.#machines.during(this.workspace.create(ADA, path, contentOf(text)));
    if (isRefusal(made)) throw made;
  }

  async remove(path: string): Promise<void> {
    const document = await this.#machines.during(this.workspace.open(path));
    if (isRefusal(document)) throw document;
    const removed = await this.#machines.during(this.workspace.remove(ADA, document));
    if (removed !== undefined) throw removed;
  }

  async rename(path: string, to: string): Promise<void> {
    const document = await this.#machines.during(this.workspace.open(path));
    if (isRefusal(document)) throw document;
    const renamed = await this.#machines.during(this.workspace.rename(ADA, document, to as DocPath));
    if (isRefusal(renamed)) throw renamed;
  }

  /** Returns the texts of all files, by path. */
  files(): Record<string, string> {
    return Object.fromEntries(this.paths().map((path) => [path, this.disk.text(path)!]));
  }

  /** Returns the paths of all files. */
  paths(): string[] {
    return this.disk.paths();
  }
}

/** Returns a clock whose time of day is ahead of another's. */
function ahead(clock: FakeClock, ms: () => number): Clock {
  return {
    now: () => clock.now() + ms(),
    elapsed: () => clock.elapsed(),
    sleep: (time, signal) => clock.sleep(time, signal),
  };
}

function seedOf(name: string): number {
  return createHash("sha256").update(name).digest().readUInt32BE(0);
}

/** Seals with a checksum instead of keys: these tests are about the exchange. */
class OpenSealer implements Sealer {
  readonly machine: string;
  readonly #machines: Pick<Machines, "all" | "left" | "levels" | "mostBytes">;

  constructor(machine: string, machines: Pick<Machines, "all" | "left" | "levels" | "mostBytes">) {
    this.machine = machine;
    this.#machines = machines;
  }

  get members(): readonly string[] {
    return [...this.#machines.all.keys()];
  }

  seal(number: number, payload: Uint8Array): Uint8Array {
    if (payload.length > this.#machines.mostBytes) throw new RangeError("the payload is too large");
    return sealedBy(this.machine, number, payload);
  }

  open(machine: string, number: number, bytes: Uint8Array): Uint8Array | Refused {
    const payload = bytes.subarray(8);
    const isSound = sumOf(machine, number, payload).equals(bytes.subarray(0, 8));
    return isSound ? payload : { refused: "forged" };
  }

  nameOf(machine: string): string {
    return shownName(machine);
  }

  levelOf(machine: string): Level {
    return this.#machines.levels.get(machine) ?? "write";
  }

  mayWriteAll(machine: string): boolean {
    return this.mayWrite(machine);
  }

  isRemoved(machine: string): boolean {
    return this.#machines.left.has(machine);
  }

  mayWrite(machine: string): boolean {
    return levelIncludes(this.levelOf(machine), "write");
  }

  mayRead(machine: string): boolean {
    return levelIncludes(this.levelOf(machine), "read");
  }
}

/** Returns the name that people see of a machine with an identity. */
function shownName(identity: string): string {
  return identity.replace(/_\d+$/, "");
}

/** Seals a payload as a machine does. */
export function sealedBy(machine: string, number: number, payload: Uint8Array): Uint8Array {
  return Buffer.concat([sumOf(machine, number, payload), payload]);
}

function sumOf(machine: string, number: number, payload: Uint8Array): Buffer {
  const sum = Buffer.alloc(8);
  sum.writeUInt32BE(crc32(payload, crc32(`${machine} ${number} `)));
  sum.writeUInt32BE(payload.length, 4);
  return sum;
}
