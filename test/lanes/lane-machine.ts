import { createHash } from "node:crypto";
import { onTestFinished } from "vitest";
import { Lane } from "../../src/lanes/lane.ts";
import { sinceRestart } from "../../src/lanes/power-cut.ts";
import {
  type LaneFileRecord,
  type LaneRecord,
  laneFileShelf,
  laneShelf,
  shelvedFile,
} from "../../src/lanes/records/record.ts";
import type { WaitingFile } from "../../src/lanes/waiting.ts";
import { isFileProblem } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { Turns } from "../../src/mirror/turns.ts";
import { type AccessRule, FULL_RIGHTS, Rights } from "../../src/workspace/access/rights.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import type { Workspace } from "../../src/workspace/folder/workspace.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { PolicyEditor } from "../../src/workspace/proposals/policy-editor.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "../workspace/fakes.ts";
import { ALICE, accepted, EXPIRE_DAYS } from "../workspace/harness.ts";

type FilesOptions = NonNullable<ConstructorParameters<typeof FakeFiles>[1]>;

/** More turns of the event loop than any work needs that waits for neither the store nor time. */
const TURNS = 20;

interface MachineOptions {
  readonly propose?: boolean;
  readonly rules?: readonly AccessRule[];
  /** True when the lane's disk shows whether a program has read what the daemon wrote. */
  readonly tellsReads?: boolean;
}

type LaneRecords = [record: LaneRecord, files: readonly LaneFileRecord[]];

/** A daemon with a workspace and its lane `claude`, while it runs. */
interface Running {
  readonly workspace: Workspace;
  readonly lane: Lane;
  readonly proposals: Proposals;
  /** The files of both. */
  readonly files: readonly FakeFiles[];
  readonly started: Promise<void>;
}

/**
 * A machine with the file `a.md` in a workspace and in its lane. Its store keeps a write, and its time passes, only when
 * the test says so. Its daemon can be killed between any two steps.
 */
export class LaneMachine {
  readonly clock = new FakeClock();
  readonly disk = new FakeDisk(this.clock);
  readonly laneDisk: FakeDisk;
  readonly #options: MachineOptions;
  #store = new MemoryStore({ atOnce: false });
  #running: Running | undefined;
  /** The system's present run. */
  #boot = "first";

  private constructor(options: MachineOptions) {
    this.#options = options;
    this.laneDisk = new FakeDisk(this.clock, options);
  }

  static async with(text: string, options: MachineOptions = {}): Promise<LaneMachine> {
    const machine = new LaneMachine(options);
    machine.disk.save("a.md", text);
    machine.laneDisk.save("a.md", text);
    const image = new FakeFiles(machine.laneDisk).look("a.md" as DocPath);
    if (isFileProblem(image)) throw new Error(image.message);
    const sha256 = createHash("sha256").update(text).digest("hex");
    const file = { lane: "claude", path: "a.md" as DocPath, status: "live", sha256, image } as const;
    void machine.#store.shelve(shelvedFile(file), {
      shelf: laneShelf,
      id: "claude",
      record: machine.#laneRecord,
    });
    machine.#store.flush();
    onTestFinished(async () => void (await machine.dies()));
    return machine;
  }

  get #laneRecord(): LaneRecord {
    const { propose = false } = this.#options;
    const at = { folder: this.laneDisk.root, createdAt: new Date(0).toISOString(), ready: true };
    const boot = this.#boot;
    return { name: "claude", token: "owner", tokenName: "owner", propose, boot, ...at };
  }

  get store(): MemoryStore {
    return this.#store;
  }

  get workspace(): Workspace {
    return this.#running!.workspace;
  }

  get proposals(): Proposals {
    return this.#running!.proposals;
  }

  /** Starts a daemon; `options` are those of the lane's files. `before` happens while the lane does not hear yet. */
  async starts(options: FilesOptions = {}, before?: (workspace: Workspace) => Promise<void>): Promise<void> {
    const { files, workspace } = onFakes(this.disk, this.#store, () => {}, this.clock);
    if (before !== undefined) await before(workspace);
    const laneFiles = new FakeFiles(this.laneDisk, options);
    const batches = new FileBatches(workspace);
    const editing = new Editor(workspace);
    const proposals = new Proposals(workspace, editing, batches, EXPIRE_DAYS);
    const editor = new PolicyEditor(editing, proposals);
    const { rules } = this.#options;
    const rights = rules === undefined ? FULL_RIGHTS : new Rights(rules);
    const actor = { name: "claude", agent: "owner/claude", rights };
    const place = {
      files: laneFiles,
      actorOf: () => actor,
      store: (record: LaneRecord) => workspace.ports.store.shelve({ shelf: laneShelf, id: "claude", record }),
    };
    const records = this.#records;
    const [record, known] = records[0].boot === this.#boot ? records : await this.#sinceRestart(workspace);
    const parts = { workspace, editor, proposals, turns: new Turns() };
    const lane = new Lane(parts, place, record, known);
    workspace.listen((event) => lane.heard(event));
    const started = lane.start().catch(() => undefined); // the store may go first
    this.#running = { workspace, lane, proposals, files: [files, laneFiles], started };
    await this.settled();
  }

  /** The records of the lane and of its files. */
  get #records(): LaneRecords {
    const [record] = [...this.#store.shelf(laneShelf)] as [LaneRecord];
    return [record, [...this.#store.shelf(laneFileShelf)]];
  }

  /** The same at the first start after a power cut. */
  async #sinceRestart(workspace: Workspace): Promise<LaneRecords> {
    const openFiles = () => new FakeFiles(this.laneDisk);
    const opening = sinceRestart({ workspace, openFiles, boot: this.#boot }, ...this.#records);
    for (let isOpen = false; !isOpen; this.#store.flush())
      isOpen = await Promise.race([opening.then(() => true), this.settled().then(() => false)]);
    return opening;
  }

  /** Runs all work that waits for neither the store nor time. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await drained();
  }

  /** Keeps `count` waiting writes of the store, and lets some time pass. */
  async step(count?: number, ms = 20): Promise<void> {
    this.#store.flush(count);
    await this.settled();
    await this.clock.advance(ms);
    this.#running?.lane.tend();
    await this.settled();
  }

  /** Steps until nothing is left to do. */
  async rests(): Promise<void> {
    for (let waited = 0; waited < 3_000; waited += 100) await this.step(undefined, 100);
  }

  /** Appends a line to the workspace's document for Alice, as soon as the store lets that through. */
  append(line: string): void {
    const request = { kind: "append", path: "a.md", plan: planAppend(line) };
    void new Editor(this.workspace).edit(ALICE, request);
  }

  /** Kills the daemon; the first `kept` waiting writes become durable. */
  async dies(kept = 0): Promise<void> {
    if (this.#running === undefined) return;
    const { workspace, lane, files, started } = this.#running;
    this.#running = undefined;
    for (const one of files) one.crash();
    this.#store = this.#store.crash(kept);
    await Promise.allSettled([started, lane.close(), workspace.close()]);
  }

  /** Loses power; `falls` changes the lane's disk, and a daemon starts in the system's next run. */
  async losesPower(falls: () => void): Promise<void> {
    await this.dies();
    falls();
    this.#boot += ", then another";
    await this.starts();
  }

  /** The files of the lane that wait. */
  waiting(): Promise<readonly WaitingFile[]> {
    return this.#running!.lane.waiting();
  }

  /** Takes in every write in the lane until now. */
  looksAtAll(): Promise<void> {
    return this.#running!.lane.lookAtAll();
  }

  /** Tells the lane that files of it may have changed. */
  hint(...paths: readonly string[]): void {
    for (const path of paths) this.#running!.lane.hint(`${this.laneDisk.root}/${path}`);
  }

  /** The document's text, the workspace's file, and the lane's. */
  async texts(path = "a.md"): Promise<readonly (string | undefined)[]> {
    const document = accepted(await this.workspace.open(path));
    return [document.text.toString(), this.disk.text(path), this.laneDisk.text(path)];
  }
}
