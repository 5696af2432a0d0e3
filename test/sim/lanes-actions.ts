import { sameImage } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { imageOfInode } from "../helpers/fake-disk.ts";
import { ALICE } from "../workspace/harness.ts";
import { LaneAgent } from "./lane-agent.ts";
import { addLane, removeLane } from "./lanes-keeper.ts";
import type { LanesWorld, Side } from "./lanes-world.ts";
import { marksIn } from "./machines-ledger.ts";

/** The turns of each machine, and their weights. */
const TURNS = [
  ["store", 20],
  ["gate", 20],
  ["clock", 14],
  ["hint", 14],
  ["lane writes", 8],
  ["main writes", 6],
  ["agent edits", 5],
  ["agent renames", 1],
  ["lane opens", 1],
  ["lane saves", 2],
  ["review", 2],
  ["lane moves", 1.5],
  ["main moves", 1],
  ["lane deletes", 0.7],
  ["main deletes", 0.4],
  ["lane returns", 1.5],
  ["main returns", 1],
  ["lane creates", 0.6],
  ["main creates", 0.4],
  ["crash", 1],
] as const;
/** Those of a machine with several lanes, and of one that may lose power. */
const LANES_TURNS = [
  ["lane goes", 2],
  ["lane comes", 6],
  ["lane creates", 2],
] as const;
const POWER_TURNS = [
  ["power", 2],
  ["write back", 4],
] as const;
type Weighted = (typeof TURNS | typeof LANES_TURNS | typeof POWER_TURNS)[number];
export type Turn = Weighted[0];

/** Returns the turns of a machine, and their weights. */
export function turnsOf({ several, power }: LanesWorld): readonly Weighted[] {
  return [...TURNS, ...(several ? LANES_TURNS : []), ...(power ? POWER_TURNS : [])];
}

/** The people and programs of a simulated machine with lanes. */
export class LanesActions {
  readonly #world: LanesWorld;
  readonly #agents = new Map<string, LaneAgent>();
  /** The files that people deleted in the workspace, as they were then. */
  readonly #deleted: LaneAgent["deleted"] = [];
  /** The paths that one side moved a file from or to, which all others leave alone from then on. */
  readonly #moved = new Map<string, Side>();
  /** Files of the workspace that people saved or moved since the daemon saw them. */
  readonly #touched = new Set<string>();
  /** The number of the agent's edits without an answer. */
  #editing = 0;
  #names = 0;

  constructor(world: LanesWorld) {
    this.#world = world;
  }

  async take(turn: Turn): Promise<void> {
    const { random, process, store, clock, folders } = this.#world;
    switch (turn) {
      case "store":
        if (store.waiting === 0) return;
        store.flush(random.between(1, store.waiting));
        return this.#world.say(`store, ${store.waiting} left`);
      case "gate":
        if (process === undefined || process.gates === 0) return;
        process.openGate(random.int(process.gates));
        return this.#world.say("gate");
      case "clock":
        clock.step(random.pick([1, 5, 20, 20, 100, 300, 1000, 2500]));
        process?.tend();
        return this.#world.say(`clock ${clock.elapsed() % 1_000_000}`);
      case "hint":
        if (process === undefined || process.hints === 0) return;
        // The system reports changes in their order, and two of them hardly ever change places on their way.
        process.deliver(random.chance(0.05) ? random.int(Math.min(2, process.hints)) : 0);
        return this.#world.say("hint");
      case "agent edits":
        return this.#edits();
      case "agent renames":
        return this.#rename();
      case "lane opens":
        return this.#open(this.#someLane());
      case "lane saves":
        return this.#saveBuffer(this.#someLane());
      case "lane goes":
        return removeLane(this.#world, this.#someLane());
      case "lane comes":
        return addLane(this.#world);
      case "review":
        return this.review();
      case "write back":
        folders.writeBack(random);
        return this.#world.say("the system writes back");
      case "power":
        return this.#world.powerCut();
      case "crash":
        return process === undefined ? this.#world.start() : this.#world.crash();
      default: {
        const [who, what] = turn.split(" ") as [
          "main" | "lane",
          "writes" | "moves" | "deletes" | "returns" | "creates",
        ];
        const side = who === "main" ? who : this.#someLane();
        if (side !== undefined) this.#person(side, what);
      }
    }
  }

  /** An agent appends a line through the daemon. */
  #edits(): void {
    const { random, process, ledger } = this.#world;
    const path = this.#pick("main");
    if (process === undefined || path === undefined) return;
    const mark = ledger.open("alice");
    this.#world.say(`alice appends ${mark} to ${path}`);
    const ack = random.pick(["mirrored", "durable"] as const);
    const request = { kind: "append", path, plan: planAppend(`line ${mark} of alice\n`), ack };
    const alive = process;
    this.#editing++;
    process.process.editor.edit(ALICE, request).then(
      (outcome) => {
        this.#editing--;
        if (this.#world.process !== alive) return;
        ledger.close(mark, isRefusal(outcome) ? "refused" : "kept");
        this.#world.say(`alice ${isRefusal(outcome) ? `refused ${outcome.message}` : "done"} ${mark}`);
      },
      (error: unknown) => {
        this.#editing--;
        if (this.#world.process === alive) this.#world.wrong(`an edit threw ${String(error)}`);
      },
    );
  }

  /** An agent renames a document through the daemon. */
  #rename(): void {
    const { process } = this.#world;
    const path = this.#pick("main");
    if (process === undefined || path === undefined) return;
    const to = `renamed-${this.#names++}.md`;
    this.#world.say(`alice renames ${path} to ${to}`);
    if (this.#touched.has(path)) this.#touched.add(to);
    const renaming = async () => {
      const { workspace } = process.process;
      const document = await workspace.open(path);
      const renamed = isRefusal(document) ? document : await workspace.rename(ALICE, document, to as DocPath);
      if (isRefusal(renamed) && this.#world.process === process)
        this.#world.say(`alice may not rename ${path}: ${renamed.message}`);
    };
    renaming().catch((error: unknown) => {
      if (this.#world.process === process) this.#world.wrong(`a rename threw ${String(error)}`);
    });
  }

  /** Approves or rejects the newest proposal. */
  review(approves = this.#world.random.chance(0.7)): void {
    const { process } = this.#world;
    if (process === undefined) return;
    const reviewing = async () => {
      const listed = await process.proposals.list(ALICE, { status: "pending" });
      const id = isRefusal(listed) ? undefined : listed.proposals[0]?.id;
      if (id === undefined || this.#world.process !== process) return;
      this.#world.say(`alice ${approves ? "approves" : "rejects"} ${id}`);
      const { proposals } = process;
      const reviewed = approves
        ? await proposals.approve(ALICE, { id })
        : await proposals.reject(ALICE, id, "no");
      if (isRefusal(reviewed) && this.#world.process === process)
        this.#world.say(`alice's review of ${id} is refused: ${reviewed.message}`);
    };
    reviewing().catch((error: unknown) => {
      if (this.#world.process === process) this.#world.wrong(`a review threw ${String(error)}`);
    });
  }

  /** Returns a lane; undefined without any. */
  #someLane(): string | undefined {
    const { lanes, random } = this.#world;
    return lanes.length > 1 ? random.pick(lanes).name : lanes[0]?.name;
  }

  /** Returns the agent of a lane; one that was added anew has another agent. */
  #agentOf(lane: string): LaneAgent {
    const { createdAt } = this.#world.lanes.find(({ name }) => name === lane)!;
    const key = `${lane} ${createdAt}`;
    const agent = this.#agents.get(key) ?? new LaneAgent(this.#world, lane);
    this.#agents.set(key, agent);
    return agent;
  }

  /** Opens a file of a lane in an editor. */
  #open(lane: string | undefined): void {
    const path = lane && this.#pick(lane);
    if (path === undefined || path === "") return;
    const disk = this.#world.disk(lane!);
    // Only reads tell that a buffer is old (LV24).
    if (!disk.tellsReads) return;
    this.#world.say(`${lane} opens ${path}`);
    this.#agentOf(lane!).buffer = { path, text: disk.read(path)! };
  }

  /** Saves the file that is open in an editor, changed, if no other program of the lane has read it since. */
  #saveBuffer(lane: string | undefined): void {
    if (lane === undefined) return;
    const agent = this.#agentOf(lane);
    const { buffer } = agent;
    agent.buffer = undefined;
    if (buffer === undefined || !this.#world.disk(lane).exists(buffer.path)) return;
    this.#write(lane, buffer.path, buffer.text);
    agent.savedStale(buffer.path);
  }

  #person(side: Side, what: "writes" | "moves" | "deletes" | "returns" | "creates"): void {
    const disk = this.#world.disk(side);
    const agent = side === "main" ? undefined : this.#agentOf(side);
    const deleted = agent?.deleted ?? this.#deleted;
    switch (what) {
      case "writes": {
        const path = this.#pick(side);
        if (path === undefined) return;
        if (side === "main" && this.#moved.has(path) && this.#isUnseen(path)) return;
        if (agent?.isStale(path)) return;
        this.#write(side, path, disk.read(path)!);
        return;
      }
      case "creates": {
        // Several agents may make files of one name at once (LV16). None makes another file where one was moved away: that
        // is the usual one whose former version is a backup.
        const { several, random } = this.#world;
        const isFree = !disk.exists("same.md") && !this.#moved.has("same.md");
        const isSame = several && random.chance(0.5) && isFree;
        this.#write(side, isSame ? "same.md" : `new-${this.#names++}.md`, "");
        return;
      }
      case "moves": {
        const from = this.#pick(side);
        if (from === undefined || (side === "main" && this.#isUnseen(from))) return;
        if (agent !== undefined && !agent.isItself(from) && !agent.isAlike(from, disk.read(from)!)) return;
        const to = `${this.#world.random.pick(["", "notes/"])}moved-${this.#names++}.md`;
        this.#world.say(`${side} moves ${from} to ${to}`);
        this.#world.changes(side, from);
        for (const path of [from, to]) this.#moved.set(path, side);
        if (side === "main") this.#touched.add(to);
        agent?.noteMove(from, to);
        disk.move(from, to);
        return;
      }
      case "deletes": {
        const path = this.#pick(side);
        if (path === undefined || (side === "main" && !this.#isQuiet(path))) return;
        const text = disk.read(path)!;
        this.#world.say(`${side} deletes ${path}`);
        this.#world.changes(side, path);
        this.#world.ledger.remove(marksIn(text));
        deleted.push({ path, text });
        disk.remove(path);
        return;
      }
      case "returns": {
        const gone = deleted.pop();
        if (gone === undefined || disk.exists(gone.path) || !this.#may(side, gone.path)) return;
        this.#write(side, gone.path, gone.text);
      }
    }
  }

  /** Writes a text with one more line, and sometimes without one of the others. */
  #write(side: Side, path: string, text: string): void {
    const { random, ledger } = this.#world;
    const disk = this.#world.disk(side);
    const agent = side === "main" ? undefined : this.#agentOf(side);
    const mark = ledger.open(side);
    const line = `line ${mark} of ${side}\n`;
    const lines = text.split(/(?<=\n)/);
    const left = random.chance(0.15) ? lines.splice(random.int(lines.length), 1).join("") : "";
    const at = random.int(lines.length + 1);
    const next = [...lines.slice(0, at), line, ...lines.slice(at)].join("");
    const how = random.pick(["save", "write", "append"] as const);
    const isMovedAnew =
      agent !== undefined && this.#moved.has(path) && (how === "save" || !agent.isItself(path));
    if (isMovedAnew && !agent.isAlike(path, next)) return;
    this.#world.changes(side, path, next);
    // People's editors sync their saves, and agents' programs do not. No power cut brings back what no daemon has seen.
    const isSynced = agent === undefined || !this.#world.power || (disk.exists(path) && !agent.isSeen(path));
    const write = (change: () => void) => (isSynced ? change() : disk.unsynced(path, change));
    if (agent === undefined) this.#touched.add(path);
    else agent.noteWrite(path, how === "save", text);
    if (how === "append" && disk.exists(path)) {
      this.#world.say(`${side} appends ${mark} to ${path}`);
      write(() => disk.append(path, line));
    } else {
      this.#world.say(`${side} ${how}s ${mark} in ${path}${left === "" ? "" : `, without ${left.trim()}`}`);
      ledger.remove(marksIn(left));
      write(() => disk[how === "write" ? how : "save"](path, next));
    }
    if (agent?.buffer?.path === path) agent.buffer = undefined;
    ledger.close(mark, "kept");
  }

  /** Returns a file of a side that nobody elsewhere has moved. */
  #pick(side: Side): string | undefined {
    const disk = this.#world.disk(side);
    // No person edits the zeros that a power cut left.
    const paths = disk.paths().filter((path) => this.#may(side, path) && !disk.text(path)!.includes("\0"));
    return paths.length === 0 ? undefined : this.#world.random.pick(paths);
  }

  /**
   * Returns true for a file of the workspace that somebody saved or moved, and of which the daemon has not stored that
   * since (DC41). Moved once more, or saved at its new path, it may be another document (see the limits in
   * `docs/reliability.md`).
   */
  #isUnseen(path: string): boolean {
    if (!this.#touched.has(path)) return false;
    const { main, process, store } = this.#world;
    if (store.waiting > 0) return true;
    const inode = main.inode(path);
    const image = process?.process.workspace.loadedAt(path as DocPath)?.mirror.image;
    if (inode === undefined || image === undefined || !sameImage(image, imageOfInode(inode))) return true;
    this.#touched.delete(path);
    return false;
  }

  /** Returns true for a file with all edits of its document: a person who deletes the file deletes those, too. */
  #isQuiet(path: string): boolean {
    const { main, process, lanes } = this.#world;
    const document = process?.process.workspace.loadedAt(path as DocPath);
    const text = main.text(path);
    const isSame = document === undefined ? this.#areAllInFiles() : document.text.toString() === text;
    const isAlike = lanes.every(({ name }) => this.#world.disk(name).text(path) === text);
    return this.#editing === 0 && isSame && isAlike;
  }

  /** Returns true if some file has each edit, also one that a crash kept from the file of its document. */
  #areAllInFiles(): boolean {
    const { ledger, lanes } = this.#world;
    const inLanes = lanes.flatMap(({ name }) => this.#world.texts(name));
    return ledger.problems(this.#world.texts("main"), inLanes).length === 0;
  }

  #may(side: Side, path: string): boolean {
    return (this.#moved.get(path) ?? side) === side;
  }
}
