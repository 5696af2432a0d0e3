import { unifiedDiff } from "../../src/text/diff/unified.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import type { EditRequest } from "../../src/workspace/edits/request.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { contentOf } from "../../src/workspace/folder/file-changes.ts";
import { History } from "../../src/workspace/history/history.ts";
import { Undo } from "../../src/workspace/history/undo.ts";
import { runsOf } from "../../src/workspace/journal/runs.ts";
import { isRefusal, type Refusal } from "../../src/workspace/outcome/refusal.ts";
import { planPatch } from "../../src/workspace/planners/patch.ts";
import type { Planner } from "../../src/workspace/planners/plan.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planSplice } from "../../src/workspace/planners/splice.ts";
import { planAppend, planWrite } from "../../src/workspace/planners/whole.ts";
import type { Backup } from "../helpers/memory-carrier.ts";
import { Seeded } from "../helpers/seeded.ts";
import type { FolderBackup, Machine } from "../link/machines.ts";
import { type CaseTurn, otherCase } from "./machines-case.ts";
import { marksIn } from "./machines-ledger.ts";
import { PowerCuts, type PowerTurn } from "./machines-power.ts";
import { type RareTurn, takeRareTurn } from "./machines-rare.ts";
import { type RightsTurn, removeMachine } from "./machines-rights.ts";
import type { MachinesWorld } from "./machines-world.ts";
import { apply, change, changeOfFile, insertion, prose } from "./prose.ts";

/** The paths of files; some differ in case or Unicode form only, and some have the name that a machine would give. */
const PATHS = [
  "a.md",
  "b.md",
  "c.md",
  "notes/a.md",
  "notes/b.md",
  "A.md",
  "caf\u00e9.md",
  "cafe\u0301.md",
  "a (bob).md",
];

/** The byte order mark. */
const MARK = "\ufeff";

/** The possible turns, and their weights. */
export const TURNS = [
  ["edit", 14],
  ["save", 6],
  ["stale save", 1],
  ["create", 4],
  ["create equal", 1],
  ["delete", 2],
  ["delete on disk", 1],
  ["rename", 3],
  ["rename on disk", 1],
  ["swap names", 0.7],
  ["restore", 1],
  ["undo", 2],
  ["crash", 1.5],
  ["start", 3],
  ["cut", 2],
  ["mend", 2],
  ["faults", 1],
  ["broker", 1.5],
  ["full", 0.5],
  ["join", 0.7],
  ["byte order mark", 0.7],
] as const;
/** The further turns of runs in which folders come back from backups. */
export const BACKUP_TURNS = [
  ["back up", 4],
  ["turn back", 4],
] as const;
/** The further turns of runs in which copies of folders run at once with the originals. */
export const COPY_TURNS = [["copy", 4]] as const;
export type Turn =
  | (typeof TURNS | typeof BACKUP_TURNS | typeof COPY_TURNS)[number][0]
  | PowerTurn
  | RareTurn
  | RightsTurn
  | CaseTurn;

const KINDS = ["splice", "replace", "append", "write", "patch"] as const;

/** The people and agents of all machines, and what befalls machines and broker. */
export class MachinesActions {
  readonly #world: MachinesWorld;
  #backup: Backup | undefined;
  /** The newest backup of each machine's folder. */
  readonly #folders = new Map<Machine, FolderBackup>();
  /** The machines whose folders came back, or were copied. One never is: others may work alone in the end. */
  readonly #turned = new Set<Machine>();
  /** The documents of each machine that its daemon is about to delete, as calls that note what they hold. */
  readonly #going = new Map<Machine, Set<() => void>>();
  /** What people read some time ago, by machine and path. */
  readonly #read = new Map<string, string>();
  readonly #cuts: PowerCuts;

  constructor(world: MachinesWorld) {
    this.#world = world;
    this.#cuts = new PowerCuts(world);
  }

  take(turn: Turn): void {
    const { random, running, all, machines } = this.#world;
    const { broker } = machines;
    const machine = running.length === 0 ? undefined : random.pick(running);
    switch (turn) {
      case "crash":
        if (machine !== undefined) this.#crash(machine, random.int(machine.store.waiting + 1));
        return;
      case "power":
        if (machine === undefined) return;
        this.#crash(machine, 0);
        this.#cuts.cut(machine);
        return;
      case "start": {
        const stopped = all.find(({ isRunning }) => !isRunning);
        if (stopped !== undefined) this.start(stopped);
        return;
      }
      case "cut": {
        const which = random.pick(["in", "out", "both"] as const);
        const cut = random.pick(all);
        this.#world.say(`${cut.name} is cut: ${which}`);
        cut.carrier.cut(which);
        cut.cut = which;
        return;
      }
      case "mend": {
        const mended = random.pick(all);
        mended.carrier.cut(undefined);
        mended.cut = undefined;
        broker.wake();
        this.#world.say(`${mended.name} is whole`);
        return;
      }
      case "faults": {
        const [lost, double, reorder] = [0, 0, 0].map(() => random.pick([0, 0, 0.05, 0.3])) as [
          number,
          number,
          number,
        ];
        // A machine that works alone sends nothing again.
        const drop = this.#world.copies ? 0 : lost;
        broker.faults = { drop, double, reorder, delay: random.pick([0, 10, 500]) };
        this.#world.say(`faults ${JSON.stringify(broker.faults)}`);
        return;
      }
      case "broker":
        this.#broker();
        return;
      case "join":
        this.#join();
        return;
      case "remove":
        removeMachine(this.#world);
        return;
    }
    if (machine === undefined) return;
    switch (turn) {
      case "edit":
        this.#edit(machine);
        return;
      case "save":
        this.#save(machine);
        return;
      case "stale save":
        this.#staleSave(machine);
        return;
      case "create":
        this.#create([machine], random.pick(PATHS));
        return;
      case "create equal":
        this.#create(running, random.pick(PATHS));
        return;
      case "delete":
        this.#delete(machine);
        return;
      case "delete on disk":
        this.#deleteOnDisk(machine);
        return;
      case "rename":
        this.#rename(machine);
        return;
      case "rename on disk":
        this.#renameOnDisk(machine);
        return;
      case "swap names":
        this.#swapNames(machine);
        return;
      case "restore":
        this.#restore(machine);
        return;
      case "undo":
        this.#undo(machine);
        return;
      case "byte order mark":
        this.#toggleMark(machine);
        return;
      case "case":
        this.#changeCase(machine);
        return;
      case "back up":
        this.#world.say(`the folder of ${machine.name} is backed up`);
        this.#folders.set(machine, machine.backup());
        return;
      case "turn back":
        this.#turnBack(machine);
        return;
      case "copy":
        this.#copy(machine);
        return;
      case "full":
        this.#world.say(`the store of ${machine.name} is full for a while`);
        machine.store.failNext("full", random.between(1, 6));
        return;
      default:
        takeRareTurn(this.#world, machine, turn);
    }
  }

  start(machine: Machine): void {
    this.#world.say(`${machine.name} starts`);
    machine.start();
    if (machine.cut !== undefined) machine.carrier.cut(machine.cut);
  }

  /** Ends a daemon at once, with the first `kept` writes of its store that were not durable. */
  #crash(machine: Machine, kept: number): void {
    this.#world.say(`${machine.name} is killed; ${kept} of ${machine.store.waiting} writes come through`);
    for (const goes of this.#going.get(machine) ?? []) goes(); // the next daemon deletes them
    this.#going.delete(machine);
    machine.kill(kept);
  }

  /** A folder comes back from a backup. What its machine made since then may be nowhere else. */
  #turnBack(machine: Machine): void {
    const { ledger, machines } = this.#world;
    const backup = this.#folders.get(machine);
    const { next } = machine.link.state.standing;
    // Without its newest message at the broker, nothing shows in time that the folder is older. A machine that works alone
    // sends nothing again, so the others have all of it before.
    const { name } = machine;
    const newest = machines.broker.memory.log.findLast((stored) => stored.machine === name)?.number ?? 0;
    const has = (one: Machine) =>
      one === machine || (one.link.state.standing.received[name] ?? 0) >= next - 1;
    const isSafe = newest >= next - 1 && this.#world.all.every((one) => one.isRunning && has(one));
    if (backup === undefined || !isSafe || !this.#mayEndAlone(machine)) return;
    this.#world.say(`the folder of ${machine.name} is turned back`);
    machine.kill();
    ledger.lose(machine.name);
    machine.turnBack(backup);
    this.start(machine);
  }

  /** Returns true for a machine that may work alone in the end, because another one never does. */
  #mayEndAlone(machine: Machine): boolean {
    const here = [...this.#world.machines.all.values()].filter(({ isJoining }) => !isJoining);
    if (this.#turned.add(machine).size < here.length) return true;
    this.#turned.delete(machine);
    return false;
  }

  /** Somebody copies a folder whose files hold everything, and a daemon runs in the copy, too. */
  #copy(machine: Machine): void {
    const { workspace, store, isJoining } = machine;
    const isAtRest =
      !isJoining && store.waiting === 0 && [...workspace.loaded].every(({ restful }) => restful);
    if (!isAtRest || this.#world.isCopied(machine) || !this.#mayEndAlone(machine)) return;
    this.#world.say(`the folder of ${machine.name} is copied: ${this.#world.copy(machine).name}`);
  }

  #broker(): void {
    const { random, machines, say } = this.#world;
    const { broker } = machines;
    const passing = ["stop", "start", "hang", "wake"] as const;
    const lasting = ["lose", "wipe", "purge", "backup", "restore"] as const;
    // A broker that loses messages hides that a folder is older, or that another one has the same identity.
    const { backups, copies } = this.#world;
    const what = random.pick(backups || copies ? passing : [...passing, ...lasting]);
    say.call(this.#world, `broker: ${what}`);
    if (what === "lose") broker.loseSuffix(random.between(1, 8));
    else if (what === "backup") this.#backup = broker.backup();
    else if (what === "restore") this.#backup !== undefined && broker.restore(this.#backup);
    else broker[what]();
  }

  /** Somebody joins whose folder may have a file at one of the paths. */
  #join(): void {
    const { random, ledger } = this.#world;
    if (!random.chance(0.5)) {
      this.#world.say(`${this.#world.join({})?.name ?? "nobody"} joins with an empty folder`);
      return;
    }
    const path = random.pick(PATHS);
    const mark = ledger.open("a newcomer");
    const joined = this.#world.join({ [path]: prose(random, 4, "\n") + insertion(random, mark) });
    this.#world.say(`${joined?.name ?? "nobody"} joins with ${path} (${mark})`);
    ledger.close(mark, joined === undefined ? "refused" : "kept");
  }

  /** A person's editor adds a byte order mark to a file, or removes it. */
  #toggleMark(machine: Machine): void {
    const path = this.#usedPath(machine);
    if (path === undefined) return;
    const text = machine.disk.read(path)!;
    this.#world.say(`${machine.name} toggles the byte order mark of ${path}`);
    machine.disk.save(path, text.startsWith(MARK) ? text.slice(1) : `${MARK}${text}`);
  }

  #actor(machine: Machine): Actor {
    const name = `${this.#world.random.pick(["x", "y"])}-${machine.name}`;
    return { name, agent: `owner/${name}`, rights: FULL_RIGHTS };
  }

  #path(machine: Machine): string | undefined {
    const paths = machine.paths().sort();
    return paths.length === 0 ? undefined : this.#world.random.pick(paths);
  }

  /** Returns the path of a file that a person may use with her own programs. */
  #usedPath(machine: Machine): string | undefined {
    const path = this.#path(machine);
    return path !== undefined && this.#cuts.isUsed(machine, path) ? path : undefined;
  }

  /** Follows work of an actor. `done` hears its outcome, unless the machine died meanwhile. */
  #follow<T>(
    machine: Machine,
    what: string,
    work: Promise<T | Refusal>,
    done: (outcome: T | Refusal) => void,
  ): void {
    const { workspace } = machine;
    this.#world.say(`${machine.name} ${what}`);
    work.then(
      (outcome) => {
        if (!machine.isRunning || machine.workspace !== workspace) return;
        const code = isRefusal(outcome) ? `: ${outcome.code} ${outcome.message}` : "";
        this.#world.say(`${machine.name} ${what} done${code}`);
        done(outcome);
      },
      (error: unknown) => {
        if (machine.isRunning && machine.workspace === workspace)
          this.#world.wrong(`${machine.name} ${what} threw ${error instanceof Error ? error.stack : error}`);
      },
    );
  }

  #edit(machine: Machine): void {
    const { random, ledger } = this.#world;
    const path = this.#path(machine);
    if (path === undefined) {
      this.#create([machine], random.pick(PATHS));
      return;
    }
    const actor = this.#actor(machine);
    const mark = ledger.open(actor.name);
    const kind = random.pick(KINDS);
    const request: EditRequest = { kind, path, plan: planOf(random.word(), kind, mark), ack: "durable" };
    const editing = new Editor(machine.workspace).edit(actor, request);
    this.#follow(machine, `edits ${path} (${kind} ${mark})`, editing, (made) => {
      if (!isRefusal(made))
        for (const { ours, theirs } of made.conflicts)
          for (const c of marksIn(ours.insert + theirs.insert)) ledger.contest(c);
      ledger.close(mark, isRefusal(made) ? "refused" : "kept");
    });
  }

  #save(machine: Machine): void {
    const { random, ledger } = this.#world;
    const path = this.#usedPath(machine);
    if (path === undefined) return;
    const text = machine.disk.read(path)!;
    if (random.chance(0.3)) this.#read.set(`${machine.name} ${path}`, text);
    const mark = ledger.open(`person-${machine.name}`);
    this.#world.say(`${machine.name} saves ${path} (${mark})`);
    machine.disk.save(path, apply(text, changeOfFile(random, text, mark)));
    ledger.close(mark, "kept");
  }

  /** A person saves what she read some time ago, with a change; what she lacks is rescued or was seen. */
  #staleSave(machine: Machine): void {
    const { random, ledger } = this.#world;
    const path = this.#usedPath(machine);
    const text = path && this.#read.get(`${machine.name} ${path}`);
    if (path === undefined || text === undefined) return;
    this.#read.delete(`${machine.name} ${path}`);
    ledger.remove(marksIn(machine.disk.text(path)!));
    for (const mark of marksIn(text)) ledger.contest(mark);
    const mark = ledger.open(`stale-${machine.name}`);
    this.#world.say(`${machine.name} saves an old ${path} (${mark})`);
    machine.disk.save(path, apply(text, changeOfFile(random, text, mark)));
    ledger.close(mark, "kept");
  }

  #create(on: readonly Machine[], path: string): void {
    const { random, ledger } = this.#world;
    const isEmpty = random.chance(0.15);
    const mark = ledger.open(on.map(({ name }) => name).join(" and "));
    const text = isEmpty ? "" : prose(random, 4, "\n") + insertion(random, mark);
    if (on.length > 1) ledger.contest(mark);
    for (const machine of on) {
      if (random.chance(0.3) && !machine.disk.exists(path)) {
        this.#world.say(`${machine.name} saves a new ${path} (${mark})`);
        machine.disk.save(path, text);
        if (!isEmpty) ledger.close(mark, "kept");
        continue;
      }
      const making = machine.workspace.create(this.#actor(machine), path, contentOf(text));
      this.#follow(machine, `creates ${path} (${mark})`, making, (made) => {
        if (!isRefusal(made) && !isEmpty) ledger.close(mark, "kept");
      });
    }
  }

  #delete(machine: Machine): void {
    const path = this.#path(machine);
    if (path === undefined) return;
    const { ledger } = this.#world;
    const deleting = async () => {
      const document = await machine.workspace.open(path);
      if (isRefusal(document)) return document;
      // A deletion may wait for the store. It takes what the document has by then.
      return machine.workspace.remove(this.#actor(machine), document, undefined, (now) => {
        ledger.remove(marksIn(now.text.toString()));
        return undefined;
      });
    };
    this.#follow(machine, `deletes ${path}`, deleting(), () => {});
  }

  /** A person deletes a file: all that its document has until the daemon notices goes with it. */
  #deleteOnDisk(machine: Machine): void {
    const path = this.#usedPath(machine);
    if (path === undefined) return;
    const { ledger } = this.#world;
    this.#world.say(`${machine.name} deletes ${path} on disk`);
    const document = machine.workspace.loadedAt(path as never);
    ledger.remove(marksIn(machine.disk.text(path)!));
    if (document !== undefined) ledger.remove(marksIn(document.text.toString()));
    machine.disk.remove(path);
    this.#goesWith(machine, idAt(machine, path), path);
  }

  /**
   * Notes what a document holds when it is deleted: that goes with it. It may have left memory before the news comes. A
   * file that was found under another name than `path` was not deleted; without a path, a rename ends nothing. Returns the
   * call that ends this.
   */
  #goesWith(machine: Machine, id: string | undefined, path?: string): () => void {
    if (id === undefined) return () => {};
    const { workspace } = machine;
    const before = workspace.loaded.byId(id);
    // The file may be made anew before the news of its deletion: what counts is the text before that.
    const goes = (deletion?: string) => {
      const document = workspace.loaded.byId(id) ?? before;
      if (document === undefined) return;
      const { versions, head, text } = document;
      let { seq } = head;
      while (deletion !== undefined && seq > 0 && versions.change(seq)?.id !== deletion) seq--;
      this.#world.ledger.remove(marksIn(String((seq > 0 && versions.textAt(seq)) || text)));
    };
    const going = this.#going.get(machine) ?? new Set();
    this.#going.set(machine, going.add(goes));
    const end = workspace.listen((event) => {
      // The news of an earlier rename, to this path, may come only now.
      const isOver = event.type === "deleted" || (event.type === "renamed" && event.path === path);
      if (!isOver || event.docId !== id) return;
      stop();
      if (event.type === "deleted") goes(event.changeId);
    });
    const stop = () => {
      end();
      going.delete(goes);
    };
    return stop;
  }

  #rename(machine: Machine): void {
    const { random } = this.#world;
    const path = this.#path(machine);
    const to = random.pick(PATHS);
    if (path === undefined || to === path) return;
    this.#follow(machine, `renames ${path} to ${to}`, this.#renamed(machine, path, to), () => {});
  }

  async #renamed(machine: Machine, path: string, to: string): Promise<unknown> {
    const document = await machine.workspace.open(path);
    return isRefusal(document) ? document : machine.workspace.rename(this.#actor(machine), document, to);
  }

  #renameOnDisk(machine: Machine): void {
    const { random } = this.#world;
    const path = this.#usedPath(machine);
    const to = random.pick(PATHS);
    if (path === undefined || machine.disk.exists(to)) return;
    machine.disk.save(to, "");
    machine.disk.remove(to);
    this.#moveOnDisk(machine, path, to);
  }

  #moveOnDisk(machine: Machine, path: string, to: string): void {
    this.#world.say(`${machine.name} renames ${path} to ${to} on disk`);
    // Where a deleted document had the new path, the file becomes that document's, and its own one is deleted. So it is
    // where she saved it just before: the daemon knows neither the saved file nor its new name.
    const marks = marksIn(machine.disk.text(path)!);
    this.#goesWith(machine, idAt(machine, path), path);
    this.#world.ledger.remove(marks);
    for (const mark of marks) this.#world.ledger.contest(mark);
    machine.disk.move(path, to);
  }

  /** A person changes the case of a file's name alone. */
  #changeCase(machine: Machine): void {
    const path = this.#usedPath(machine);
    if (path === undefined) return;
    const { disk } = machine;
    const to = otherCase(path);
    // On a disk that tells the names apart, another file may have the other name.
    if (!disk.exists(to) || disk.inode(to) === disk.inode(path)) this.#moveOnDisk(machine, path, to);
  }

  #swapNames(machine: Machine): void {
    const { random } = this.#world;
    const paths = machine.paths().sort();
    const round = paths.filter(() => random.chance(0.6)).slice(0, 3);
    if (round.length < 2) return;
    const swapping = async () => {
      const first = await this.#renamed(machine, round[0]!, "swapped.md");
      if (isRefusal(first)) return first;
      for (let i = 1; i < round.length; i++) await this.#renamed(machine, round[i]!, round[i - 1]!);
      return this.#renamed(machine, "swapped.md", round.at(-1)!);
    };
    this.#follow(machine, `swaps ${round.join(", ")}`, swapping(), () => {});
  }

  #restore(machine: Machine): void {
    const { random } = this.#world;
    const deleted = machine.store.documents().filter(({ deletedAt }) => deletedAt !== undefined);
    if (deleted.length === 0) return;
    const { path } = random.pick(deleted);
    this.#follow(
      machine,
      `restores ${path}`,
      machine.workspace.restore(this.#actor(machine), path),
      () => {},
    );
  }

  /** Undoes a change by its id, whoever made it on whatever machine. */
  #undo(machine: Machine): void {
    const { random, ledger } = this.#world;
    const { store, workspace } = machine;
    const changes = store
      .documents()
      .flatMap(({ id: doc }) => store.everyChangeOf(doc).map(({ id, seq }) => ({ doc, id, seq })));
    if (changes.length === 0) return;
    const { doc, id, seq } = random.pick(changes);
    const target = store.entry(doc, seq);
    if (target === undefined) return;
    // By then the change may be one entry of the history with edits beside it, and all of them are undone.
    const run = runsOf(store.everyChangeOf(doc), new Set()).find((run) => run.some((one) => one.seq === seq));
    ledger.remove(
      [target, ...run!].flatMap(({ splices }) => splices.flatMap(({ insert }) => marksIn(insert))),
    );
    // Two that bring the same text back, bring it back twice.
    for (const mark of target.removed.flatMap(marksIn)) ledger.contest(mark);
    if (target.file !== undefined)
      ledger.remove(
        marksIn(
          store
            .documents()
            .map(({ path }) => machine.disk.text(path) ?? "")
            .join(""),
        ),
      );
    const undo = new Undo(
      workspace,
      new Editor(workspace),
      new History(workspace),
      new FileBatches(workspace),
    );
    // Undoing a creation deletes the document, also with later edits of its author, and after renames under way.
    const isCreation = target.file?.kind === "create";
    const stop = isCreation ? this.#goesWith(machine, doc) : () => {};
    const undoing = async () => {
      // The file may not be on this machine's disk yet. The document has the text that goes.
      const gone = isCreation ? await workspace.openedById(doc) : undefined;
      if (gone !== undefined && !isRefusal(gone)) ledger.remove(marksIn(gone.text.toString()));
      return undo.undo(this.#actor(machine), { changeId: id, ack: "durable" });
    };
    this.#follow(machine, `undoes ${id} of ${target.author}`, undoing().finally(stop), () => {});
  }
}

/** Returns the id of the document at a path, which may be leaving memory; undefined for none. */
function idAt({ workspace, store }: Machine, path: string): string | undefined {
  return workspace.loadedAt(path as never)?.id ?? store.documentAt(path)?.id;
}

/** Returns the same plan at each call. */
function planOf(seed: number, kind: (typeof KINDS)[number], mark: string): Planner {
  return (base) => {
    const random = new Seeded(seed);
    const text = base.text.toString();
    const splice = change(random, text, mark);
    const next = apply(text, splice);
    switch (kind) {
      case "splice":
        return planSplice([splice], "utf-32")(base);
      case "append":
        return planAppend(insertion(random, mark))(base);
      case "write":
        return planWrite(next)(base);
      case "patch":
        return planPatch(unifiedDiff(text, next, { from: "a", to: "b" }))(base);
      case "replace": {
        const from = Math.max(0, splice.from - 4);
        const points = Array.from(text);
        const kept = points.slice(from, splice.from).join("");
        return planReplace(points.slice(from, splice.to).join(""), kept + splice.insert, "first")(base);
      }
    }
  };
}
