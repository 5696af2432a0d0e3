import { sameImage } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { sharedLines } from "../../src/text/diff/shared-lines.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { imageOfInode } from "../helpers/fake-disk.ts";
import { ALICE } from "../workspace/harness.ts";
import type { LanesWorld, Side } from "./lanes-world.ts";
import { marksIn } from "./machines-ledger.ts";

/** The possible turns, and their weights. */
export const TURNS = [
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
export type Turn = (typeof TURNS)[number][0];

interface FileText {
  readonly path: string;
  readonly text: string;
}

/** The people and programs of a simulated machine with a lane. */
export class LanesActions {
  readonly #world: LanesWorld;
  /** The file of the lane that is open in an editor, as it was then. */
  #buffer: FileText | undefined;
  /** A file of the lane that was saved from an older buffer: nobody writes it again before the daemon has seen that. */
  #stale: string | undefined;
  /** The texts that a file of the lane had since the daemon last saw it. */
  readonly #former = new Map<string, readonly string[]>();
  /** Files of the lane that were saved as other files, by rename, and that the daemon may not have seen since. */
  readonly #replaced = new Set<string>();
  readonly #deleted: Record<Side, FileText[]> = { main: [], lane: [] };
  /** The paths that one side moved a file from or to, which the other side leaves alone from then on. */
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
    const { random, process, store, clock } = this.#world;
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
        process?.lane.tend();
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
        return this.#open();
      case "lane saves":
        return this.#saveBuffer();
      case "review":
        return this.review();
      case "crash":
        return process === undefined ? this.#world.start() : this.#world.crash();
      default: {
        const [side, what] = turn.split(" ") as [
          Side,
          "writes" | "moves" | "deletes" | "returns" | "creates",
        ];
        this.#person(side, what);
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

  /** Opens a file of the lane in an editor. */
  #open(): void {
    const path = this.#pick("lane");
    // Only reads tell that a buffer is old (LV24).
    if (path === undefined || !this.#world.disks.lane.tellsReads) return;
    this.#world.say(`lane opens ${path}`);
    this.#buffer = { path, text: this.#world.disks.lane.read(path)! };
  }

  /** Saves the file that is open in an editor, changed, if no other program of the lane has read it since. */
  #saveBuffer(): void {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    if (buffer === undefined || !this.#world.disks.lane.exists(buffer.path)) return;
    this.#write("lane", buffer.path, buffer.text);
    this.#stale = buffer.path;
  }

  #person(side: Side, what: "writes" | "moves" | "deletes" | "returns" | "creates"): void {
    const disk = this.#world.disks[side];
    switch (what) {
      case "writes": {
        const path = this.#pick(side);
        if (path === undefined) return;
        if (side === "main" && this.#moved.has(path) && this.#isUnseen(path)) return;
        if (side === "lane" && this.#isStale(path)) return;
        this.#write(side, path, disk.read(path)!);
        return;
      }
      case "creates": {
        const path = `new-${this.#names++}.md`;
        this.#write(side, path, "");
        return;
      }
      case "moves": {
        const from = this.#pick(side);
        if (from === undefined || (side === "main" && this.#isUnseen(from))) return;
        if (side === "lane" && !this.#isItself(from) && !this.#isAlike(from, disk.read(from)!)) return;
        const to = `${this.#world.random.pick(["", "notes/"])}moved-${this.#names++}.md`;
        this.#world.say(`${side} moves ${from} to ${to}`);
        for (const path of [from, to]) this.#moved.set(path, side);
        if (side === "main") this.#touched.add(to);
        if (side === "lane") this.#noteMove(from, to);
        disk.move(from, to);
        return;
      }
      case "deletes": {
        const path = this.#pick(side);
        if (path === undefined || (side === "main" && !this.#isQuiet(path))) return;
        const text = disk.read(path)!;
        this.#world.say(`${side} deletes ${path}`);
        this.#world.ledger.remove(marksIn(text));
        this.#deleted[side].push({ path, text });
        disk.remove(path);
        return;
      }
      case "returns": {
        const gone = this.#deleted[side].pop();
        if (gone === undefined || disk.exists(gone.path) || !this.#may(side, gone.path)) return;
        this.#write(side, gone.path, gone.text);
      }
    }
  }

  /** Writes a text with one more line, and sometimes without one of the others. */
  #write(side: Side, path: string, text: string): void {
    const { random, ledger, disks } = this.#world;
    const mark = ledger.open(side);
    const line = `line ${mark} of ${side}\n`;
    const lines = text.split(/(?<=\n)/);
    const left = random.chance(0.15) ? lines.splice(random.int(lines.length), 1).join("") : "";
    const at = random.int(lines.length + 1);
    const next = [...lines.slice(0, at), line, ...lines.slice(at)].join("");
    const how = random.pick(["save", "write", "append"] as const);
    const isMovedAnew = side === "lane" && this.#moved.has(path) && (how === "save" || !this.#isItself(path));
    if (isMovedAnew && !this.#isAlike(path, next)) return;
    if (side === "main") this.#touched.add(path);
    else this.#noteWrite(path, how === "save", text);
    if (how === "append" && disks[side].exists(path)) {
      this.#world.say(`${side} appends ${mark} to ${path}`);
      disks[side].append(path, line);
    } else {
      this.#world.say(`${side} ${how}s ${mark} in ${path}${left === "" ? "" : `, without ${left.trim()}`}`);
      ledger.remove(marksIn(left));
      disks[side][how === "write" ? how : "save"](path, next);
    }
    if (this.#buffer?.path === path && side === "lane") this.#buffer = undefined;
    ledger.close(mark, "kept");
  }

  /** Returns a file of a side that nobody on the other side has moved. */
  #pick(side: Side): string | undefined {
    const paths = this.#world.paths(side).filter((path) => this.#may(side, path));
    return paths.length === 0 ? undefined : this.#world.random.pick(paths);
  }

  /**
   * Returns true for a file of the workspace that somebody saved or moved, and of which the daemon has not stored that
   * since (DC41). Moved once more, or saved at its new path, it may be another document (see the limits in
   * `docs/reliability.md`).
   */
  #isUnseen(path: string): boolean {
    if (!this.#touched.has(path)) return false;
    const { disks, process, store } = this.#world;
    if (store.waiting > 0) return true;
    const inode = disks.main.inode(path);
    const image = process?.process.workspace.loadedAt(path as DocPath)?.mirror.image;
    if (inode === undefined || image === undefined || !sameImage(image, imageOfInode(inode))) return true;
    this.#touched.delete(path);
    return false;
  }

  #isStale(path: string): boolean {
    if (this.#stale === path && this.#isSeenInLane(path)) this.#stale = undefined;
    return this.#stale === path;
  }

  /** Returns true if the daemon has taken in what the file of the lane is now. */
  #isSeenInLane(path: string): boolean {
    const { disks, process } = this.#world;
    const inode = disks.lane.inode(path);
    const image = process?.lane.known.get(path as DocPath)?.image;
    return inode !== undefined && image !== undefined && sameImage(image, imageOfInode(inode));
  }

  #noteWrite(path: string, isSave: boolean, text: string): void {
    const { lane } = this.#world.disks;
    const isItself = this.#isItself(path) && !isSave && lane.exists(path);
    this.#former.set(path, [...this.#formerOf(path), lane.text(path) ?? text]);
    if (!isItself) this.#replaced.add(path);
  }

  #noteMove(from: string, to: string): void {
    this.#former.set(to, [...this.#formerOf(from), this.#world.disks.lane.read(from)!]);
    if (!this.#isItself(from)) this.#replaced.add(to);
  }

  /** Returns true for a file of the lane that the daemon knows, maybe at another path and with another text. */
  #isItself(path: string): boolean {
    if (this.#isSeenInLane(path)) this.#replaced.delete(path);
    return !this.#replaced.has(path);
  }

  #formerOf(path: string): readonly string[] {
    return this.#isSeenInLane(path) ? [] : (this.#former.get(path) ?? []);
  }

  /**
   * Returns true for a text with at least half of each one that the file of the lane had since the daemon saw it. Saved
   * with another text, and moved, it is a new file (see the limits in `docs/lanes.md`).
   */
  #isAlike(path: string, text: string): boolean {
    return this.#formerOf(path).every((former) => sharedLines(former, text) >= former.length / 2);
  }

  /** Returns true for a file with all edits of its document: a person who deletes the file deletes those, too. */
  #isQuiet(path: string): boolean {
    const { disks, process } = this.#world;
    const document = process?.process.workspace.loadedAt(path as DocPath);
    const text = disks.main.text(path);
    const isSame = document === undefined ? this.#areAllInFiles() : document.text.toString() === text;
    return this.#editing === 0 && isSame && disks.lane.text(path) === text;
  }

  /** Returns true if some file has each edit, also one that a crash kept from the file of its document. */
  #areAllInFiles(): boolean {
    const texts = (side: Side) => this.#world.paths(side).map((path) => this.#world.disks[side].text(path)!);
    return this.#world.ledger.problems(texts("main"), texts("lane")).length === 0;
  }

  #may(side: Side, path: string): boolean {
    return (this.#moved.get(path) ?? side) === side;
  }
}
