import { resolve } from "node:path";
import { Turns } from "../mirror/turns.ts";
import type { Actor } from "../workspace/access/actor.ts";
import type { AgentBounds } from "../workspace/access/rights.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { KeyedQueue } from "../workspace/keyed-queue.ts";
import { isRefusal, type Outcome } from "../workspace/outcome/refusal.ts";
import type { PolicyEditor } from "../workspace/proposals/policy-editor.ts";
import type { Proposals } from "../workspace/proposals/proposals.ts";
import { defaultFolder, nameRefusal } from "./disk/folder.ts";
import { LaneFolders } from "./disk/lane-folders.ts";
import type { LanePorts } from "./disk/lane-ports.ts";
import type { LaneParts } from "./file/lane-host.ts";
import { Lane } from "./lane.ts";
import { sinceRestart } from "./power-cut.ts";
import {
  type LaneFileRecord,
  type LaneRecord,
  laneFileShelf,
  laneShelf,
  shelvedLane,
} from "./records/record.ts";
import { pending, takenName, unknownLane, unknownToken } from "./refusals.ts";
import type { ShownLane } from "./waiting.ts";

/** A lane to make. */
export interface LaneRequest {
  readonly name: string;
  readonly folder?: string | undefined;
  readonly token?: string | undefined;
  readonly propose?: boolean | undefined;
}

/** A lane that is not live at present, and the reason. */
interface AbsentLane {
  readonly record: LaneRecord;
  readonly problem: string;
}

/** The most files that a removal names. */
const MOST_NAMED = 10;
const GONE = "its folder is missing";
const HALF = "it was removed in part; remove it again";

/** Owns the lanes of a workspace. */
export class Lanes {
  readonly #parts: LaneParts;
  readonly #ports: LanePorts;
  readonly #agents: AgentBounds;
  readonly #lanes = new Map<string, Lane>();
  readonly #folders: LaneFolders;
  /** Lanes whose folders are missing, or that the daemon could not open or remove. */
  readonly #absent = new Map<string, AbsentLane>();
  /** Opens, makes and removes the lanes of one name, and makes those in one folder, one after the other. */
  readonly #turns = new KeyedQueue<string>();
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
    this.#folders = new LaneFolders(workspace, ports);
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
      else await this.#discard(record);
  }

  /** Receives a hint of the watcher; returns false for a path outside all lanes. */
  hint(absolute: string): boolean {
    for (const lane of this.#lanes.values()) if (lane.hint(absolute)) return true;
    return false;
  }

  /** Makes a lane, whose folder has all files when this resolves. */
  async add(request: LaneRequest): Promise<Outcome<ShownLane>> {
    await this.#started;
    const { name, folder = defaultFolder(this.#root, name) } = request;
    return this.#turns.run([name, resolve(folder)], () => this.#add(request, folder));
  }

  async #add(request: LaneRequest, wanted: string): Promise<Outcome<ShownLane>> {
    const { name, token: tokenName = "owner", propose = false } = request;
    const refused = nameRefusal(name);
    if (refused !== undefined) return refused;
    if (this.#lanes.has(name) || this.#absent.has(name)) return takenName(name);
    const token = this.#ports.tokenNamed(tokenName);
    if (token === undefined) return unknownToken(tokenName);
    const folder = this.#ports.disk.makeFolder(this.#root, wanted);
    if (isRefusal(folder)) return folder;
    const createdAt = new Date(this.#workspace.ports.clock.now()).toISOString();
    const of = { token: token.id, tokenName: token.name };
    const boot = this.#ports.disk.bootId();
    return this.#shown(await this.#make({ name, folder, ...of, propose, createdAt, boot, ready: false }));
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
    return this.#turns.run([name], () => this.#remove(name, force));
  }

  async #remove(name: string, force: boolean): Promise<Outcome<ShownLane>> {
    const lane = this.#lanes.get(name);
    const absent = this.#absent.get(name);
    if (lane === undefined && absent === undefined) return unknownLane(name);
    if (lane === undefined) return this.#removed(absent!.record, shownAbsent(absent!), force);
    await lane.lookAtAll();
    const shown = await this.#shown(lane);
    if (!force && (shown.waiting.length > 0 || shown.commit !== undefined)) return pending(shown);
    this.#lanes.delete(name);
    this.#absent.set(name, { record: { ...lane.record, ready: false }, problem: HALF }); // until nothing of it is left
    await lane.close();
    return this.#removed(lane.record, shown, force);
  }

  /** Removes a lane that is not live; returns how it was, and what stays of it. */
  async #removed(record: LaneRecord, shown: ShownLane, isForced: boolean): Promise<ShownLane> {
    const kept = await this.#folders.remove(record, isForced);
    this.#absent.delete(record.name);
    return { ...shown, problem: kept.length === 0 ? undefined : staying(kept) };
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
    try {
      const made = await this.#folders.make(record, this.#actorOf(record)!.rights);
      return await this.#begin(made.record, made.files);
    } catch (error) {
      await this.#discard(record);
      throw error;
    }
  }

  /** Removes a lane that was made or removed in part. */
  async #discard(record: LaneRecord): Promise<void> {
    const { name } = record;
    try {
      const kept = await this.#folders.remove(record, record.isForced ?? true);
      this.#absent.delete(name);
      if (kept.length > 0) this.#workspace.ports.report("lane.kept", { lane: name, reason: staying(kept) });
    } catch (error) {
      // A defect of one lane stops no other lane (I14).
      this.#absent.set(name, { record: { ...record, ready: false }, problem: HALF });
      this.#workspace.ports.report("lane.not_removed", { lane: name, reason: String(error) });
    }
  }

  /** Opens a lane whose folder is there; `files` are the records of all lanes. A defect of it stops no other lane (I14). */
  async #open(record: LaneRecord, files: readonly LaneFileRecord[]): Promise<void> {
    const { name } = record;
    const before = this.#absent.get(name)?.problem;
    const absent = (event: string, problem: string) => {
      this.#absent.set(name, { record, problem });
      if (problem !== before) this.#workspace.ports.report(event, { lane: name, reason: problem });
    };
    try {
      if (!this.#folders.has(record)) return absent("lane.missing", GONE);
      this.#absent.delete(name);
      const own = files.filter(({ lane }) => lane === name);
      const openFiles = () => this.#ports.openFiles(record.folder);
      const boot = this.#ports.disk.bootId();
      const found = await sinceRestart({ workspace: this.#workspace, openFiles, boot }, record, own);
      await this.#begin(...found);
    } catch (error) {
      absent("lane.not_opened", `the daemon cannot open it: ${String(error)}`);
    }
  }

  async #begin(record: LaneRecord, known: readonly LaneFileRecord[]): Promise<Lane> {
    const files = this.#ports.openFiles(record.folder);
    const place = {
      files,
      actorOf: (of: LaneRecord) => this.#actorOf(of),
      store: (changed: LaneRecord) => this.#workspace.ports.store.shelve(shelvedLane(changed)),
    };
    const lane = new Lane(this.#parts, place, record, known);
    this.#lanes.set(record.name, lane);
    try {
      await lane.start();
      return lane;
    } catch (error) {
      this.#lanes.delete(record.name);
      await lane.close();
      throw error;
    }
  }

  async #tend(): Promise<void> {
    const { clock } = this.#workspace.ports;
    while (!this.#ended.signal.aborted) {
      await clock.sleep(this.#workspace.limits.verifyMs, this.#ended.signal);
      if (this.#ended.signal.aborted) return;
      for (const lane of this.#lanes.values()) lane.tend();
      for (const name of [...this.#absent.keys()]) await this.#turns.run([name], () => this.#openAgain(name));
    }
  }

  async #openAgain(name: string): Promise<void> {
    const record = this.#absent.get(name)?.record;
    if (record?.ready) await this.#open(record, [...this.#workspace.ports.store.shelf(laneFileShelf)]);
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

  get #root(): string {
    return this.#workspace.ports.files.root;
  }

  get #workspace(): Workspace {
    return this.#parts.workspace;
  }
}

function staying(kept: readonly string[]): string {
  const more = kept.length > MOST_NAMED ? ` and ${kept.length - MOST_NAMED} more` : "";
  return `its folder stays, with files that the workspace does not have so, or that a program is writing: ${kept.slice(0, MOST_NAMED).join(", ")}${more}`;
}

function shownAbsent({ record, problem }: AbsentLane): ShownLane {
  return { record, files: 0, waiting: [], commit: undefined, problem };
}
