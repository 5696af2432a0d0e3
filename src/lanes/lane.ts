import type { Files } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Actor } from "../workspace/access/actor.ts";
import type { WorkspaceEvent } from "../workspace/events/events.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { Arrivals } from "./arrivals.ts";
import { behindIn, catchUp } from "./catch-up.ts";
import { ChangeSet } from "./change-set.ts";
import { LaneFile } from "./file/lane-file.ts";
import type { LaneHost, LaneParts, LanePlace } from "./file/lane-host.ts";
import { inherit } from "./inherit.ts";
import { LaneLooks } from "./lane-looks.ts";
import { LostFiles } from "./lost-files.ts";
import { LaneFiles } from "./records/lane-files.ts";
import type { LaneFileRecord, LaneRecord } from "./records/record.ts";
import { type WaitingFile, waitingFiles } from "./waiting.ts";
import { WorkspaceArrivals } from "./workspace-arrivals.ts";

/** The time after which a file that is not used leaves memory, and a refused one is tried again; milliseconds. */
const REST_MS = 30_000;

/** A live folder of the workspace, beside it. Every write in it is one agent's. */
export class Lane {
  readonly files: Files;
  readonly known: LaneFiles;
  readonly #workspace: Workspace;
  readonly #place: LanePlace;
  /** The files in use. */
  readonly #open = new Map<DocPath, Promise<LaneFile>>();
  readonly #looks: LaneLooks;
  readonly #lost: LostFiles;
  readonly #set: ChangeSet;
  readonly #host: LaneHost;
  readonly #arrivals: WorkspaceArrivals;
  readonly #underWay = new Set<Promise<unknown>>();
  #record: LaneRecord;
  #tried = 0;
  #closed = false;

  constructor(parts: LaneParts, place: LanePlace, record: LaneRecord, files: readonly LaneFileRecord[]) {
    const { workspace } = parts;
    const { ports } = workspace;
    this.#workspace = workspace;
    this.#place = place;
    this.#record = record;
    this.files = place.files;
    this.known = new LaneFiles(ports.store, files);
    const { maxFileBytes: maxBytes } = workspace.limits;
    const file = (path: DocPath) => this.#file(path);
    const isInUse = (path: DocPath) => this.#open.has(path);
    const arrivals = new Arrivals({ files: place.files, known: this.known, maxBytes, file, isInUse });
    this.#looks = new LaneLooks({
      ports,
      files: place.files,
      known: this.known,
      changed: (path) => this.#track(path, () => arrivals.changed(path)),
      missing: (path) => this.#track(path, () => arrivals.missed(path)),
      appeared: (path, image) => this.#track(path, () => arrivals.appeared(path, image)),
      failed: (error) => this.#failed("", error),
    });
    this.#lost = new LostFiles(place.files, ports.clock, {
      skips: ports.ignored.skips,
      known: this.known,
      isInUse,
      arrivals,
    });
    const lane = this;
    this.#host = {
      ...parts,
      name: record.name,
      files: place.files,
      known: this.known,
      get actor() {
        return lane.actor;
      },
      proposes: (path) => this.#record.propose || this.actor?.rights.allows(path, "write") !== true,
      keep: (one, before) => this.#keep(one, before),
      forget: (path) => this.#forget(path),
      left: (path) => this.#arrived(path),
      appeared: (path) => void this.hint(`${place.files.root}/${path}`),
      fateOf: (...missing) => this.#lost.fateOf(...missing),
    };
    this.#arrivals = new WorkspaceArrivals(this.#host, file);
    this.#set = new ChangeSet(parts, {
      actor: () => this.actor,
      record: () => this.#record,
      note: (changes) => {
        this.#record = { ...this.#record, ...changes };
      },
      store: () => this.#place.store(this.#record),
      proposed: () => this.#filesWhere(({ status }) => status === "proposed"),
      offered: () => this.#filesWhere(({ offers, proposal }) => (offers ?? proposal) !== undefined),
    });
  }

  get record(): LaneRecord {
    return this.#record;
  }

  get actor(): Actor | undefined {
    return this.#place.actorOf(this.#record);
  }

  /** Takes in the changes of the lane and of the workspace since an earlier process ended. */
  async start(): Promise<void> {
    await inherit({
      name: this.#record.name,
      store: this.#workspace.ports.store,
      files: this.files,
      known: this.known,
      maxBytes: this.#workspace.limits.maxFileBytes,
      open: (path) => this.#file(path),
    });
    await this.#set.resume();
    await this.#arrivals.begin();
    await this.#looks.pass();
    for (const behind of behindIn(this.known, this.#workspace.ports.store)) {
      const { path } = behind.record;
      this.#recordOf(behind.stored.id, path); // before the document arrives at its own path
      this.#track(path, async () => catchUp(await this.#file(path), behind));
    }
    for (const path of await this.#workspace.recent.anew())
      if (this.known.get(path) === undefined) this.#arrived(path);
  }

  /** As `LaneLooks.hint`. */
  hint(absolute: string): boolean {
    return this.#looks.hint(absolute);
  }

  /** Does the work that is due: looks, files that rest, and files that were refused. */
  tend(): void {
    const now = this.#workspace.ports.clock.elapsed();
    if (this.#looks.isDue) this.#track("", () => this.#looks.pass());
    const isTry = now - this.#tried >= REST_MS;
    if (isTry) this.#tried = now;
    if (isTry) this.#track("", () => this.#set.retry());
    if (isTry) for (const path of this.#arrivals.unplaced.keys()) this.#arrived(path);
    for (const [path, opening] of this.#open)
      this.#track(path, async () => {
        const file = await opening;
        void file.mirror.verify();
        void file.mirror.sweep();
        if (isTry) file.retry();
        if (now - file.lastUsed < REST_MS || !file.restful || this.#open.get(path) !== opening) return;
        this.#open.delete(path);
        await file.close();
      });
  }

  /** Brings an event of the workspace into the lane. */
  heard(event: WorkspaceEvent): void {
    const path = event.path as DocPath;
    switch (event.type) {
      case "changed":
      case "created": {
        const record = this.#recordOf(event.docId, path);
        if (record === undefined) this.#arrived(path);
        else this.#track(record.path, async () => (await this.#file(record.path)).follow());
        return;
      }
      case "deleted":
        return void this.#removed(event.docId, path);
      case "renamed": {
        const record = this.#recordOf(event.docId, path) ?? this.known.making(path);
        const to = event.to as DocPath;
        if (record === undefined) this.#arrived(to);
        else this.#track(to, async () => (await this.#file(record.path)).renamed(to));
        return;
      }
      case "proposal":
        if (event.id === this.#record.proposal) this.#track(path, () => this.#set.reviewed(event.id));
    }
  }

  /** Resolves once every change found so far is taken in. */
  async settled(): Promise<void> {
    await this.#looks.settled();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    await this.#set.settled();
  }

  /** Takes in every write until now. */
  async lookAtAll(): Promise<void> {
    await this.#looks.pass();
    await this.settled();
  }

  /** Returns the files that wait for a person or an agent, in the order of their paths. */
  async waiting(): Promise<readonly WaitingFile[]> {
    return waitingFiles(this.known, await Promise.all(this.#open.values()), this.#arrivals.unplaced);
  }

  /** Accepts that files that went missing all at once were really deleted; returns their number. */
  async resume(): Promise<number> {
    const paths = this.#lost.allow();
    for (const path of paths) await (await this.#file(path)).look();
    return paths.length;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#looks.close();
    this.#lost.close();
    this.#set.close();
    this.#arrivals.end();
    await this.#looks.settled();
    for (const opened of await Promise.allSettled(this.#open.values()))
      if (opened.status === "fulfilled") await opened.value.close();
    await this.settled();
    this.files.close();
  }

  /** Returns the record of a document's file. A copy of a file without an opened document has only its path until then. */
  #recordOf(docId: string, path: DocPath): LaneFileRecord | undefined {
    const known = this.known.ofDocument(docId);
    if (known !== undefined) return known;
    const record = this.known.get(path);
    if (record?.docId !== undefined || record?.made) return undefined;
    if (record?.status !== "live") return record;
    const identified = { ...record, docId };
    // The store may have a newer record of a file in use, which an edit brought.
    if (this.#open.has(path)) this.known.note(identified);
    else this.#track(path, () => this.#keep(identified));
    return record;
  }

  /** Places a file that the workspace got. */
  #arrived(path: DocPath): void {
    this.#track(path, () => this.#arrivals.arrived(path));
  }

  #removed(docId: string, path: DocPath): void {
    const record = this.#recordOf(docId, path);
    if (record === undefined) return;
    this.#track(path, async () => {
      // A path that a rule leaves out now stays on disk, in the workspace and here.
      if (this.#workspace.isIgnored(path)) await this.#forget(record.path);
      else await (await this.#file(record.path)).removed();
    });
  }

  #filesWhere(is: (record: LaneFileRecord) => boolean): Promise<readonly LaneFile[]> {
    return Promise.all([...this.known.all()].filter(is).map(({ path }) => this.#file(path)));
  }

  #file(path: DocPath): Promise<LaneFile> {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    const record = this.known.get(path) ?? { lane: this.#record.name, path, status: "live" };
    const opening = LaneFile.open(this.#host, record);
    this.#open.set(path, opening);
    opening.catch((error: unknown) => {
      this.#open.delete(path);
      this.#arrivals.failed(path, String(error));
    });
    return opening;
  }

  async #keep(record: LaneFileRecord, before: DocPath = record.path): Promise<void> {
    const { path, status, proposal } = record;
    const earlier = this.known.get(before);
    const opening = this.#open.get(before);
    if (path !== before && opening !== undefined) {
      this.#open.delete(before);
      this.#open.set(path, opening);
    }
    await this.known.put(record, before);
    if (path !== before && record.docId !== undefined) this.#arrived(before);
    const isWaiting = status === "proposed" && proposal === undefined;
    if (isWaiting || (earlier?.proposal !== undefined && proposal === undefined)) this.#set.changed();
  }

  async #forget(path: DocPath): Promise<void> {
    const had = this.known.get(path)?.proposal !== undefined;
    await this.known.remove(path);
    const opening = this.#open.get(path);
    this.#open.delete(path);
    // The file may call this, and may be looking at what the agent made there just now.
    opening
      ?.then((file) => file.close())
      .then(() => this.#host.appeared(path))
      .catch((error: unknown) => this.#failed(path, error));
    if (had) this.#set.changed();
    this.#arrived(path);
  }

  /** Runs work in the background; reports a defect in it (I14). The path is "" for work on no one file. */
  #track(path: DocPath | "", work: () => Promise<unknown>): void {
    if (this.#closed) return;
    const done = work()
      .catch((error: unknown) => this.#failed(path, error))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  #failed(path: DocPath | "", error: unknown): void {
    this.#workspace.ports.report("lane.defect", { lane: this.#record.name, path, reason: String(error) });
  }
}
