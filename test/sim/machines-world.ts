import type { Overlap } from "../../src/text/delta.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { Seeded } from "../helpers/seeded.ts";
import { type Machine, Machines } from "../link/machines.ts";
import { isMark } from "./ledger.ts";
import type { MachinesOptions } from "./machines.ts";
import { MachinesLedger } from "./machines-ledger.ts";
import { drawRights, RightsWatch } from "./machines-rights.ts";
import { frequentOnMachines } from "./rare.ts";

/** The defects that a test can plant, to see that the simulation finds them. */
export type MachinesDefect =
  | "loses a message"
  | "forgets its causes"
  | "deletes what it has not seen"
  | "goes on with an older folder"
  | "goes on beside its copy"
  | "takes what others may not send"
  | "takes another spelling for a name";

const NAMES = ["ada", "bob", "cem", "dan", "eve"];

/** Reports that a sound run never has. */
const DEFECTS = ["link.defect", "link.unknown_document", "house.ended", "document.broken", "document.defect"];

/** Reports of a message that cannot be applied. */
const MIXED = ["link.defect", "link.unknown_document"];

/** Machines that share a workspace, with everything that their people and agents did. */
export class MachinesWorld {
  readonly random: Seeded;
  readonly machines: Machines;
  readonly ledger = new MachinesLedger();
  readonly trace: string[] = [];
  readonly problems: string[] = [];
  /** The changes, each with a machine, that a snapshot brought to the machine together with others, as one. */
  readonly joined = new Set<string>();
  /** The content of each message that the broker was given, by machine and number. */
  readonly #sent = new Map<string, Uint8Array>();
  readonly #defect: MachinesDefect | undefined;

  /** True for a run in which folders come back from backups. */
  readonly backups: boolean;
  /** True for a run in which copies of folders run at once with the originals. */
  readonly copies: boolean;
  /** True for a run in which machines lose power. */
  readonly power: boolean;
  /** True where their disks then also lose names that nobody synced. */
  readonly names: boolean;
  /** True for a run in which the disks of some machines fold names. */
  readonly folding: boolean;
  /** True for a run in which machines have levels, by paths. */
  readonly rights: boolean;
  /** Watches what machines may not read, in such a run. */
  readonly #watched: RightsWatch | undefined;
  /** The documents of which others ignored changes of a machine at some time. */
  readonly ignored = new Set<string>();
  /** What is rare otherwise and frequent in this run; undefined for a run with the usual turns. */
  readonly frequent: ReadonlySet<string> | undefined;
  /** The time that passes after the present turn, in milliseconds; undefined for the usual time. */
  restMs: number | undefined;

  constructor(
    seed: number,
    {
      defect,
      backups = false,
      copies = false,
      power = false,
      names = false,
      rare = false,
      rights = false,
      folding = false,
    }: Omit<MachinesOptions, "turns"> = {},
  ) {
    this.frequent = rare ? frequentOnMachines(seed) : undefined;
    this.backups = backups;
    this.copies = copies;
    this.power = power;
    this.names = names;
    this.rights = rights;
    this.folding = folding;
    this.random = new Seeded(seed);
    const count = this.random.pick([2, 2, 3, 3, 4, 5]);
    this.machines = new Machines(seed);
    if (rights) {
      this.machines.invited = new Map();
      this.#watched = new RightsWatch(this);
      this.ledger.onOpen = (mark, who) => this.#watched?.opened(mark, who);
    }
    const { broker } = this.machines;
    const store = broker.store.bind(broker);
    broker.store = (machine, number, bytes) => {
      this.#look(machine, number, bytes);
      store(machine, number, bytes);
    };
    this.#defect = defect;
    for (const name of NAMES.slice(0, count)) this.#add(name, false);
  }

  /** Adds a machine that joins the others, if there is a name left; its folder may have files. */
  join(files: Readonly<Record<string, string>>): Machine | undefined {
    const name = NAMES[this.machines.all.size];
    return name === undefined ? undefined : this.#add(name, true, files);
  }

  /** Copies a machine's folder, and starts a daemon in the copy. */
  copy(original: Machine): Machine {
    const { name, aheadMs } = original;
    // By a clock that is behind the original's, a file that came just before the copy would not be new.
    const copy = this.machines.copy(original, `${name}2`, { ...this.#conditions(), aheadMs });
    this.#watch(copy);
    return copy;
  }

  #add(name: string, joins: boolean, files: Readonly<Record<string, string>> = {}): Machine {
    drawRights(this, name);
    const machine = this.machines.add(name, files, { ...this.#conditions(), joins });
    if (machine.folds) this.say(`the disk of ${name} folds names`);
    this.#watch(machine);
    return machine;
  }

  #conditions(): {
    flushMs: number;
    aheadMs: number;
    mostWaiting?: number;
    idleMs?: number;
    syncMs?: number;
    folds?: boolean;
  } {
    const flushMs = this.random.pick(this.power ? [5, 40, 200, 1_000] : [0, 5, 40, 200]);
    const aheadMs = this.random.pick([0, 0, 3_600_000, -86_400_000]);
    return {
      flushMs,
      aheadMs,
      ...(this.names && { syncMs: this.random.pick([1, 20, 400]) }),
      ...(this.frequent?.has("small outbox") && { mostWaiting: 3 }),
      ...(this.folding && { folds: this.random.chance(0.5) }),
      ...(this.frequent?.has("idle") && { idleMs: 500 }),
    };
  }

  #watch(machine: Machine): void {
    machine.onStart = () => {
      machine.workspace.listen((event) => this.#hear(event));
      this.#watchSnapshots(machine);
      if (this.#defect !== undefined) plant(machine, this.#defect);
    };
    machine.onStart();
  }

  /** The machines that share the workspace. */
  get all(): Machine[] {
    const { removed } = this.machines;
    return this.#everyMachine.filter(({ isAlone, identity }) => !isAlone && !removed.has(identity));
  }

  get #everyMachine(): Machine[] {
    return [...this.machines.all.values(), ...this.machines.copies];
  }

  /** Returns true for a machine whose folder has a copy, or is one. */
  isCopied({ identity }: Machine): boolean {
    return [...this.machines.copies].some((copy) => copy.identity === identity);
  }

  /** Returns true for a machine whose folder and its copies all work alone, so that nobody can send its messages again. */
  isGone(identity: string): boolean {
    const folders = this.#everyMachine.filter((machine) => machine.identity === identity);
    return folders.length > 1 && folders.every(({ isAlone }) => isAlone);
  }

  get running(): Machine[] {
    return this.all.filter(({ isRunning }) => isRunning);
  }

  /** Returns true for a document that all machines know, and no rule leaves out, so that its history is theirs. */
  isShared(docId: string): boolean {
    const linked = this.all.map(({ link }) => link.state.document(docId));
    const isWhole = linked.every((document) => document !== undefined && document.withheld === undefined);
    return isWhole && !this.ignored.has(docId);
  }

  say(line: string): void {
    this.trace.push(`${String(this.machines.clock.elapsed() % 10_000_000).padStart(7)} ${line}`);
  }

  wrong(problem: string): void {
    this.say(`WRONG ${problem}`);
    this.problems.push(problem);
  }

  /** Looks at the reports since the last look, and ends machines that work alone. */
  check(): void {
    for (const machine of this.#everyMachine) {
      if (!machine.isAlone || !machine.isRunning) continue;
      this.say(`${machine.name} works alone from now on`);
      if (!this.backups && !this.isCopied(machine))
        this.wrong(`${machine.name} takes its folder for an older one`);
      machine.kill();
      this.ledger.lose(machine.name);
    }
    this.#watched?.check();
    for (const { link } of this.running)
      for (const { id, ignoredAt } of link.state.documents) if (ignoredAt !== undefined) this.ignored.add(id);
    for (const report of this.machines.reports.splice(0)) {
      this.say(`report ${report}`);
      const isDefect = DEFECTS.some((defect) => report.includes(`: ${defect} `));
      if (isDefect && !this.#isMixed(report)) this.wrong(report);
    }
  }

  /**
   * Returns true for the report of a message that builds on others which the machine lacks. A folder and its copy sent
   * some of these messages each, before they knew of each other, or the folder is older.
   */
  #isMixed(report: string): boolean {
    const isOlder = this.#everyMachine.some(
      ({ isAlone, name }) => isAlone && MIXED.some((start) => report.startsWith(`${name}: ${start} `)),
    );
    if (isOlder) return true;
    return [...this.machines.copies].some(({ name, identity }) =>
      MIXED.some(
        (start) =>
          report.includes(`: ${start} {"machine":"${identity}"`) ||
          [name, identity].some((own) => report.startsWith(`${own}: ${start} `)),
      ),
    );
  }

  /** Notes the changes that a snapshot brings to a machine that has their document, or begins it with a file of its own. */
  #watchSnapshots({ name, link: { applier, state }, workspace, store }: Machine): void {
    const adopt = applier.adopt.bind(applier);
    applier.adopt = async (adopted, source) => {
      const { doc, changes } = adopted.document;
      // A message with the document may be under way.
      const isComing = state.document(doc) !== undefined;
      const wasHere =
        isComing || workspace.loaded.byId(doc) !== undefined || store.document(doc) !== undefined;
      await adopt(adopted, source);
      const begun = workspace.loaded.byId(doc)?.versions.change(0);
      const isOwn = begun !== undefined && begun.machine === undefined;
      if (wasHere || isOwn) for (const { id } of changes) this.joined.add(`${name} ${id}`);
    };
  }

  #hear(event: WorkspaceEvent): void {
    const overlaps: readonly Overlap[] =
      event.type === "rescued" || event.type === "conflict" ? event.conflicts : [];
    for (const { ours, theirs } of overlaps)
      for (const c of ours.insert + theirs.insert) if (isMark(c)) this.ledger.contest(c);
  }

  /** Notes a message: no number of a log ever has two contents. */
  #look(machine: string, number: number, bytes: Uint8Array): void {
    const key = `${machine} ${number}`;
    const before = this.#sent.get(key);
    this.#sent.set(key, bytes.slice());
    if (before === undefined || Buffer.compare(before, bytes) === 0) return;
    const isCopied = [...this.machines.copies].some(({ identity }) => identity === machine);
    if (!isCopied) this.wrong(`message ${key} has two contents`);
  }
}

/** Makes the owner's machine take all changes of others for allowed ones. */
function trustOthers({ trust, identity, name }: Machine): void {
  if (name !== NAMES[0]) return;
  const rightsOf = trust!.rightsOf.bind(trust);
  trust!.rightsOf = (machine, number) => (machine === identity ? rightsOf(machine, number) : FULL_RIGHTS);
}

/** Plants a defect in a daemon that has just started. */
function plant(machine: Machine, defect: MachinesDefect): void {
  const { applier, state, outbox } = machine.link;
  const apply = applier.apply.bind(applier);
  if (defect === "goes on with an older folder")
    Object.assign(outbox.own, { isOlderThan: () => false, sees() {} });
  else if (defect === "goes on beside its copy") machine.worksAlone = () => {};
  else if (defect === "takes another spelling for a name") machine.disk.isSpelled = () => true;
  else if (defect === "takes what others may not send") trustOthers(machine);
  else if (defect === "loses a message")
    applier.apply = (item, source) => (source.number % 7 === 3 ? Promise.resolve() : apply(item, source));
  else if (defect === "forgets its causes")
    // What it received counts as told, so that none of its messages names it.
    applier.apply = async (item, source) => {
      state.stand({ told: { ...state.standing.told, [source.machine]: source.number } });
      await apply(item, source);
    };
  else
    applier.apply = (item, source) => {
      if (item.is !== "change" || item.name === undefined) return apply(item, source);
      const seen = Object.fromEntries(NAMES.map((name) => [name, Number.MAX_SAFE_INTEGER]));
      return apply({ ...item, name: { ...item.name, seen } }, source);
    };
}
