import { Turns } from "../mirror/turns.ts";
import type { Actor } from "../workspace/access/actor.ts";
import type { AgentBounds } from "../workspace/access/rights.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { isRefusal, type Outcome, type Refusal } from "../workspace/outcome/refusal.ts";
import type { PolicyEditor } from "../workspace/proposals/policy-editor.ts";
import type { Proposals } from "../workspace/proposals/proposals.ts";
import { defaultFolder, nameRefusal } from "./folder.ts";
import { Lane } from "./lane.ts";
import type { LaneParts } from "./lane-host.ts";
import type { LanePorts } from "./lane-ports.ts";
import {
  type LaneFileRecord,
  type LaneRecord,
  laneFileShelf,
  laneShelf,
  STORED_AT_ONCE,
  shelvedFile,
  shelvedLane,
} from "./record.ts";
import { pending, takenName, unknownLane, unknownToken } from "./refusals.ts";
import { removeRecords } from "./remove-records.ts";
import type { ShownLane } from "./waiting.ts";

/** A lane to make. */
export interface LaneRequest {
  readonly name: string;
  readonly folder?: string | undefined;
  readonly token?: string | undefined;
  readonly propose?: boolean | undefined;
}

const GONE = "its folder is missing";

/** Owns the lanes of a workspace. */
export class Lanes {
  readonly #parts: LaneParts;
  readonly #ports: LanePorts;
  readonly #agents: AgentBounds;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes whose folders are missing. */
  readonly #absent = new Map<string, LaneRecord>();
  readonly #making = new Set<string>();
  readonly #ended = new AbortController();
  #started: Promise<void> = Promise.resolve();
  #tending: Promise<void> = Promise.resolve();

  constructor(
    workspace: Workspace,
    core: { readonly policyEditor: PolicyEditor; readonly proposals: Proposals },
    agents: AgentBounds,
    ports: LanePorts,
  ) {
    const { policyEditor: editor, proposals } = core;
    this.#parts = { workspace, editor, proposals, turns: new Turns() };
    this.#agents = agents;
    this.#ports = ports;
    workspace.pins.add((docId) => {
      const oldest = [...this.#lanes.values()].flatMap(({ known }) => known.ofDocument(docId)?.seq ?? []);
      return oldest.length === 0 ? undefined : Math.min(...oldest);
    });
    workspace.listen((event) => {
      for (const lane of this.#lanes.values()) lane.heard(event);
    });
  }

  /** Opens the lanes of the store, and works on them until `close`. Requests about lanes wait for this. */
  start(): void {
    const failed = (error: unknown) =>
      this.#workspace.ports.report("lanes.not_started", { reason: String(error) });
    this.#started = this.#start().catch(failed);
    this.#tending = this.#started.then(() => this.#tend()).catch(failed);
  }

  async #start(): Promise<void> {
    const { store } = this.#workspace.ports;
    const files = [...store.shelf(laneFileShelf)];
    for (const record of [...store.shelf(laneShelf)])
      if (record.ready) await this.#open(record, files);
      else await this.#finish(record);
  }

  /** Receives a hint of the watcher; returns false for a path outside all lanes. */
  hint(absolute: string): boolean {
    for (const lane of this.#lanes.values()) if (lane.hint(absolute)) return true;
    return false;
  }

  /** Makes a lane, whose folder has all files when this resolves. */
  async add(request: LaneRequest): Promise<Outcome<ShownLane>> {
    await this.#started;
    const { name, token: tokenName = "owner", propose = false } = request;
    const token = this.#ports.tokenNamed(tokenName);
    const refused = nameRefusal(name) ?? this.#taken(name) ?? (token ? undefined : unknownToken(tokenName));
    if (refused !== undefined) return refused;
    this.#making.add(name);
    try {
      const folder = this.#ports.disk.makeFolder(
        this.#root,
        request.folder ?? defaultFolder(this.#root, name),
      );
      if (isRefusal(folder)) return folder;
      const createdAt = new Date(this.#workspace.ports.clock.now()).toISOString();
      const record = {
        name,
        folder,
        token: token!.id,
        tokenName: token!.name,
        propose,
        createdAt,
        ready: false,
      };
      return this.#shown(await this.#make(record));
    } finally {
      this.#making.delete(name);
    }
  }

  /** Returns the lanes in the order of their names. */
  async list(): Promise<readonly ShownLane[]> {
    await this.#started;
    const live = await Promise.all([...this.#lanes.values()].map((lane) => this.#shown(lane)));
    const absent = [...this.#absent.values()].map(shownAbsent);
    return [...live, ...absent].sort((a, b) => (a.record.name < b.record.name ? -1 : 1));
  }

  /**
   * Removes a lane with its folder. Refuses a lane with text that the workspace does not have, unless `force` is set. A
   * waiting proposal stays.
   */
  async remove(name: string, force: boolean): Promise<Outcome<ShownLane>> {
    await this.#started;
    const lane = this.#lanes.get(name);
    const absent = this.#absent.get(name);
    if (lane === undefined) {
      if (absent === undefined) return unknownLane(name);
      await this.#discard(absent);
      return shownAbsent(absent);
    }
    await lane.lookAtAll();
    const shown = await this.#shown(lane);
    if (!force && (shown.waiting.length > 0 || shown.commit !== undefined)) return pending(shown);
    this.#lanes.delete(name);
    this.#absent.set(name, { ...lane.record, ready: false }); // until nothing of it is left
    await lane.close();
    await this.#discard(lane.record);
    return shown;
  }

  /** Accepts that files that went missing all at once were really deleted; returns their number. */
  async resume(): Promise<number> {
    const counts = await Promise.all([...this.#lanes.values()].map((lane) => lane.resume()));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#tending;
    await Promise.all([...this.#lanes.values()].map((lane) => lane.close()));
    this.#lanes.clear();
  }

  async #make(record: LaneRecord): Promise<Lane> {
    const { name, folder } = record;
    const { store, ignored } = this.#workspace.ports;
    try {
      await this.#store(record);
      await this.#workspace.lookAtAll();
      const root = this.#root;
      this.#ports.disk.markLane(folder, { workspace: root, name });
      const { rights } = this.#actorOf(record)!;
      const files: LaneFileRecord[] = [];
      let stored = 0;
      const filling = { root, lane: folder, name, ignored, rights, here: this.#ports.ignored };
      for await (const file of this.#ports.disk.fill(filling))
        if (files.push(file) - stored === STORED_AT_ONCE) {
          await store.shelve(...files.slice(stored).map(shelvedFile));
          stored = files.length;
        }
      await store.shelve(...files.slice(stored).map(shelvedFile));
      const worktree = this.#ports.disk.addWorktree(root, folder);
      const ready = { ...record, ready: true, ...(worktree?.commit && { commit: worktree.commit }) };
      await this.#store(ready);
      return this.#begin(ready, files);
    } catch (error) {
      await this.#discard(record);
      throw error;
    }
  }

  /** Removes a lane that a stop left half made or half removed. */
  async #finish(record: LaneRecord): Promise<void> {
    try {
      await this.#discard(record);
    } catch (error) {
      // A defect of one lane stops no other lane (I14).
      this.#absent.set(record.name, record);
      this.#workspace.ports.report("lane.not_removed", { lane: record.name, reason: String(error) });
    }
  }

  /** Opens a lane whose folder is there; `files` are the records of all lanes. */
  async #open(record: LaneRecord, files: readonly LaneFileRecord[]): Promise<void> {
    this.#absent.delete(record.name);
    if (this.#ports.disk.isFolderOf(record.folder, this.#root, record.name))
      await this.#begin(
        record,
        files.filter(({ lane }) => lane === record.name),
      );
    else {
      this.#absent.set(record.name, record);
      this.#workspace.ports.report("lane.missing", { lane: record.name });
    }
  }

  async #begin(record: LaneRecord, known: readonly LaneFileRecord[]): Promise<Lane> {
    const files = this.#ports.openFiles(record.folder);
    const place = {
      files,
      actorOf: (of: LaneRecord) => this.#actorOf(of),
      store: (changed: LaneRecord) => this.#store(changed),
    };
    const lane = new Lane(this.#parts, place, record, known);
    this.#lanes.set(record.name, lane);
    await lane.start();
    return lane;
  }

  /**
   * Removes a lane with its records, its folder, and its worktree. From the first step on the lane is not ready. The
   * next start then finishes an interrupted removal, and never takes the missing files for deletions.
   */
  async #discard(record: LaneRecord): Promise<void> {
    const { name, folder } = record;
    const { store } = this.#workspace.ports;
    const { disk } = this.#ports;
    await this.#store({ ...record, ready: false });
    if (disk.isFolderOf(folder, this.#root, name)) {
      disk.removeWorktree(this.#root, folder);
      disk.removeFolder(folder);
    } else if (!record.ready) disk.removeRemains(folder);
    this.#absent.delete(name);
    await removeRecords(store, name);
  }

  async #tend(): Promise<void> {
    const { clock, store } = this.#workspace.ports;
    while (!this.#ended.signal.aborted) {
      await clock.sleep(this.#workspace.limits.verifyMs, this.#ended.signal);
      if (this.#ended.signal.aborted) return;
      for (const lane of this.#lanes.values()) lane.tend();
      for (const record of [...this.#absent.values()]) {
        if (record.ready && this.#ports.disk.isFolderOf(record.folder, this.#root, record.name))
          await this.#open(record, [...store.shelf(laneFileShelf)]);
      }
    }
  }

  async #shown(lane: Lane): Promise<ShownLane> {
    const { record, known, files } = lane;
    const isThere = files.isRootPresent();
    return {
      record,
      files: known.size,
      waiting: await lane.waiting(),
      commit: this.#ports.disk.looseCommit(this.#root, record.folder, record.commit),
      problem: isThere ? undefined : GONE,
    };
  }

  /** Returns the author of writes in a lane; undefined once its token is revoked. */
  #actorOf({ name, token }: LaneRecord): Actor | undefined {
    const holder = this.#ports.tokenOf(token);
    if (holder === undefined) return undefined;
    return { name, agent: `${holder.name}/${name}`, rights: this.#agents.rightsIn("agent", holder.rights) };
  }

  #taken(name: string): Refusal | undefined {
    if (!this.#lanes.has(name) && !this.#absent.has(name) && !this.#making.has(name)) return undefined;
    return takenName(name);
  }

  #store(record: LaneRecord): Promise<void> {
    return this.#workspace.ports.store.shelve(shelvedLane(record));
  }

  get #root(): string {
    return this.#workspace.ports.files.root;
  }

  get #workspace(): Workspace {
    return this.#parts.workspace;
  }
}

function shownAbsent(record: LaneRecord): ShownLane {
  return { record, files: 0, waiting: [], commit: undefined, problem: GONE };
}
