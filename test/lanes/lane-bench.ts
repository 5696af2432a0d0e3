import { createHash } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import { Lane } from "../../src/lanes/lane.ts";
import type { LaneFileRecord, LaneRecord } from "../../src/lanes/records/record.ts";
import { laneFileShelf, shelvedFile } from "../../src/lanes/records/record.ts";
import { systemClock } from "../../src/mirror/clock.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { Turns } from "../../src/mirror/turns.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { type AccessRule, FULL_RIGHTS, Rights } from "../../src/workspace/access/rights.ts";
import { FakeDisk, imageOfInode } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { Bench } from "../workspace/harness.ts";

interface LaneOptions {
  readonly propose?: boolean;
  readonly rules?: readonly AccessRule[];
  readonly tellsReads?: boolean;
}

/** A workspace on a fake disk, and a lane of it on another one. The test hints at what it changes. */
export class LaneBench {
  readonly bench: Bench;
  readonly disk: FakeDisk;
  #record: LaneRecord;
  actor: Actor | undefined;
  lane!: Lane;
  #unlisten: () => void = () => {};

  private constructor(bench: Bench, disk: FakeDisk, options: LaneOptions) {
    this.bench = bench;
    this.disk = disk;
    const { propose = false, rules } = options;
    const rights = rules === undefined ? FULL_RIGHTS : new Rights(rules);
    this.actor = { name: "claude", agent: "owner/claude", rights };
    const at = { folder: disk.root, createdAt: new Date(0).toISOString(), ready: true };
    this.#record = { name: "claude", token: "owner", tokenName: "owner", propose, ...at };
  }

  static async with(files: Record<string, string>, options: LaneOptions = {}): Promise<LaneBench> {
    const bench = new Bench(files);
    const disk = new FakeDisk(systemClock, { tellsReads: options.tellsReads ?? false });
    const made = new LaneBench(bench, disk, options);
    for (const [path, content] of Object.entries(files)) disk.save(path, content);
    const records = Object.keys(files).map((path) => made.#copied(path as DocPath));
    await bench.workspace.ports.store.shelve(...records.map(shelvedFile));
    await made.#start(records);
    onTestFinished(() => made.stop());
    return made;
  }

  #copied(path: DocPath): LaneFileRecord {
    const inode = this.disk.inode(path)!;
    const sha256 = createHash("sha256").update(inode.bytes).digest("hex");
    return { lane: "claude", path, status: "live", sha256, image: imageOfInode(inode) };
  }

  async #start(files: readonly LaneFileRecord[]): Promise<void> {
    const { workspace, policyEditor: editor, proposals } = this.bench;
    const parts = { workspace, editor, proposals, turns: new Turns() };
    const store = async () => {};
    const place = { files: new FakeFiles(this.disk), actorOf: () => this.actor, store };
    const lane = new Lane(parts, place, this.#record, files);
    this.lane = lane;
    this.#unlisten = workspace.listen((event) => lane.heard(event));
    await lane.start();
  }

  async stop(): Promise<void> {
    this.#unlisten();
    await this.lane.close();
    this.#record = this.lane.record;
  }

  /** Stops everything in order, and starts it again on the same disks and store. */
  async restart(meanwhile: () => void = () => {}): Promise<void> {
    await this.stop();
    await this.bench.restart(meanwhile);
    await this.#start([...this.bench.workspace.ports.store.shelf(laneFileShelf)]);
  }

  /** Writes a file of the lane in place, and resolves once that is taken in. */
  async write(path: string, text: string): Promise<void> {
    this.disk.write(path, text);
    await this.looked(path);
  }

  async remove(path: string): Promise<void> {
    this.disk.remove(path);
    await this.looked(path);
  }

  async rename(path: string, to: string): Promise<void> {
    this.disk.move(path, to);
    await this.looked(path, to);
  }

  async looked(...paths: readonly string[]): Promise<void> {
    for (const path of paths) this.lane.hint(`${this.disk.root}/${path}`);
    await this.lane.settled();
  }

  /** Saves a file of the workspace, as a person; resolves once the workspace has it. */
  async save(path: string, text: string): Promise<void> {
    this.bench.save(path, text);
    await this.bench.text(path);
  }

  /** Waits until the lane shows a text; undefined for no file. */
  async shows(path: string, text: string | undefined): Promise<void> {
    await expect.poll(() => this.disk.text(path), { interval: 5 }).toBe(text);
  }

  /** The states of the files that wait. */
  async waiting(): Promise<Record<string, string>> {
    await this.lane.settled();
    const waiting = await this.lane.waiting();
    return Object.fromEntries(
      waiting.map(({ path, status, deleted }) => [path, deleted ? `${status}, deleted` : status]),
    );
  }

  /** The pending proposal of the lane. */
  get proposal(): string | undefined {
    return this.lane.record.proposal;
  }
}
