import { Lane } from "../../src/lanes/lane.ts";
import { type LaneRecord, laneFileShelf, laneShelf } from "../../src/lanes/record.ts";
import { Turns } from "../../src/mirror/turns.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { PolicyEditor } from "../../src/workspace/proposals/policy-editor.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import type { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import { type Parts, Process } from "./process.ts";

/** The name of the lane. */
export const LANE = "claude";
const EXPIRE_DAYS = 7;

interface LaneParts extends Parts {
  readonly laneDisk: FakeDisk;
}

/** One process of a daemon with a lane, from its start to its crash. */
export class LaneProcess {
  readonly process: Process;
  readonly lane: Lane;
  readonly proposals: Proposals;
  readonly #files: FakeFiles;
  #gates: (() => void)[] = [];
  #hints: string[] = [];
  #alive = true;

  constructor(parts: LaneParts) {
    const { laneDisk, before, diesInSwap } = parts;
    this.process = new Process(parts);
    const { workspace, editor } = this.process;
    const gate = () =>
      this.#alive ? new Promise<void>((open) => this.#gates.push(open)) : Promise.resolve();
    this.#files = new FakeFiles(laneDisk, { gate, before: (what) => before(`lane: ${what}`), diesInSwap });
    this.proposals = new Proposals(workspace, editor, new FileBatches(workspace), EXPIRE_DAYS);
    const actor = { name: LANE, agent: `owner/${LANE}`, rights: FULL_RIGHTS };
    const place = {
      files: this.#files,
      actorOf: () => actor,
      store: (record: LaneRecord) => parts.store.shelve({ shelf: laneShelf, id: LANE, record }),
    };
    const shared = {
      workspace,
      editor: new PolicyEditor(editor, this.proposals),
      proposals: this.proposals,
      turns: new Turns(),
    };
    const [record] = [...parts.store.shelf(laneShelf)];
    this.lane = new Lane(shared, place, record!, [...parts.store.shelf(laneFileShelf)]);
    workspace.listen((event) => {
      if (this.#alive) this.lane.heard(event);
    });
    this.lane.start().catch((error: unknown) => {
      if (this.#alive) parts.report("lane.defect", { reason: String(error) });
    });
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

  /** Notes a change at a path in the lane. */
  changedInLane(absolute: string): void {
    this.#hints.push(absolute);
  }

  deliver(index = 0): void {
    if (index < this.#hints.length) this.lane.hint(this.#hints.splice(index, 1)[0]!);
    else this.process.watcher.deliver(index - this.#hints.length);
  }

  /** As `Process.kill`. */
  async kill(kept: number): Promise<MemoryStore> {
    this.#alive = false;
    this.#files.crash();
    while (this.#gates.length > 0) this.#gates.shift()!();
    const killed = await this.process.kill(kept);
    // Work that waits for the dead store never ends, so neither does the lane's.
    this.lane.close().catch(() => {});
    return killed;
  }
}
