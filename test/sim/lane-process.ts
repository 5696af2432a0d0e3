import { Lane } from "../../src/lanes/lane.ts";
import { Lanes } from "../../src/lanes/lanes.ts";
import { type LaneRecord, laneFileShelf, laneShelf } from "../../src/lanes/records/record.ts";
import type { WaitingFile } from "../../src/lanes/waiting.ts";
import type { Image } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { Turns } from "../../src/mirror/turns.ts";
import { AgentBounds, FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { PolicyEditor } from "../../src/workspace/proposals/policy-editor.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import type { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import type { LaneFolders } from "./lane-folders.ts";
import { type Parts, Process } from "./process.ts";

const EXPIRE_DAYS = 7;

interface LaneParts extends Parts {
  readonly folders: LaneFolders;
}

/** One process of a daemon with lanes, from its start to its crash. */
export abstract class LaneProcess {
  readonly process: Process;
  readonly proposals: Proposals;
  readonly editor: PolicyEditor;
  protected readonly parts: LaneParts;
  readonly #files: FakeFiles[] = [];
  #gates: (() => void)[] = [];
  #hints: string[] = [];
  #alive = true;

  constructor(parts: LaneParts) {
    this.parts = parts;
    this.process = new Process(parts);
    const { workspace, editor } = this.process;
    this.proposals = new Proposals(workspace, editor, new FileBatches(workspace), EXPIRE_DAYS);
    this.editor = new PolicyEditor(editor, this.proposals);
  }

  /** Does the work of the lanes that is due, where nothing else does. */
  abstract tend(): void;

  /** Returns a file of a lane as the daemon knows it. */
  abstract imageOf(lane: string, path: string): Image | undefined;

  /** Returns the files of a lane that wait. */
  abstract waitingIn(lane: string): Promise<readonly WaitingFile[]>;

  protected abstract hint(absolute: string): void;

  protected abstract close(): Promise<void>;

  protected get alive(): boolean {
    return this.#alive;
  }

  protected openFiles(disk: FakeDisk): FakeFiles {
    const { before, diesInSwap } = this.parts;
    const gate = () => this.gate();
    const files = new FakeFiles(disk, { gate, before: (what) => before(`lane: ${what}`), diesInSwap });
    this.#files.push(files);
    return files;
  }

  protected gate(): Promise<void> {
    return this.#alive ? new Promise<void>((open) => this.#gates.push(open)) : Promise.resolve();
  }

  get store(): MemoryStore {
    return this.process.store;
  }

  /** The number of reads and writes of files that wait to go on. */
  get gates(): number {
    return this.process.gates + this.#gates.length;
  }

  openGate(index = 0): void {
    if (index < this.#gates.length) this.#gates.splice(index, 1)[0]?.();
    else this.process.openGate(index - this.#gates.length);
  }

  /** The number of hints on their way. */
  get hints(): number {
    return this.process.watcher.waiting + this.#hints.length;
  }

  /** Notes a change at a path in a lane. */
  changedInLane(absolute: string): void {
    this.#hints.push(absolute);
  }

  deliver(index = 0): void {
    if (index < this.#hints.length) this.hint(this.#hints.splice(index, 1)[0]!);
    else this.process.watcher.deliver(index - this.#hints.length);
  }

  /** As `Process.kill`. */
  async kill(kept: number): Promise<MemoryStore> {
    this.#alive = false;
    for (const files of this.#files) files.crash();
    while (this.#gates.length > 0) this.#gates.shift()!();
    const killed = await this.process.kill(kept);
    // Work that waits for the dead store never ends, so neither does the lanes'.
    this.close().catch(() => {});
    return killed;
  }
}

/** A daemon with one lane, which nobody removes. */
export class OneLaneProcess extends LaneProcess {
  readonly #lane: Lane;

  constructor(parts: LaneParts) {
    super(parts);
    const { workspace } = this.process;
    const { store, folders, report } = parts;
    const [record] = [...store.shelf(laneShelf)] as [LaneRecord];
    const actor = { name: record.name, agent: `owner/${record.name}`, rights: FULL_RIGHTS };
    const place = {
      files: this.openFiles(folders.disk(record.folder)),
      actorOf: () => actor,
      store: (changed: LaneRecord) => store.shelve({ shelf: laneShelf, id: changed.name, record: changed }),
    };
    const { editor, proposals } = this;
    const shared = { workspace, editor, proposals, turns: new Turns() };
    this.#lane = new Lane(shared, place, record, [...store.shelf(laneFileShelf)]);
    workspace.listen((event) => {
      if (this.alive) this.#lane.heard(event);
    });
    this.#lane.start().catch((error: unknown) => {
      if (this.alive) report("lane.defect", { reason: String(error) });
    });
  }

  tend(): void {
    this.#lane.tend();
  }

  imageOf(_lane: string, path: string): Image | undefined {
    return this.#lane.known.get(path as DocPath)?.image;
  }

  waitingIn(): Promise<readonly WaitingFile[]> {
    return this.#lane.waiting();
  }

  protected hint(absolute: string): void {
    this.#lane.hint(absolute);
  }

  protected close(): Promise<void> {
    return this.#lane.close();
  }
}

/** A daemon with several lanes, which come and go. */
export class LanesProcess extends LaneProcess {
  readonly lanes: Lanes;

  constructor(parts: LaneParts) {
    super(parts);
    const ports = parts.folders.portsOf({
      main: parts.disk,
      openFiles: (disk) => this.openFiles(disk),
      gate: async () => {
        await this.gate();
        if (!this.alive) throw new Error("the process is gone");
      },
    });
    const { proposals, editor: policyEditor } = this;
    this.lanes = new Lanes(this.process.workspace, { policyEditor, proposals }, new AgentBounds(), ports);
    this.lanes.start();
  }

  tend(): void {}

  imageOf(lane: string, path: string): Image | undefined {
    return [...this.store.shelf(laneFileShelf)].find((file) => file.lane === lane && file.path === path)
      ?.image;
  }

  async waitingIn(lane: string): Promise<readonly WaitingFile[]> {
    return (await this.lanes.list()).find(({ record }) => record.name === lane)?.waiting ?? [];
  }

  protected hint(absolute: string): void {
    this.lanes.hint(absolute);
  }

  protected close(): Promise<void> {
    return this.lanes.close();
  }
}
