import type { Clock } from "../mirror/clock.ts";
import type { Actor } from "../workspace/access/actor.ts";
import { isRefused } from "../workspace/edits/request.ts";
import { KeyedQueue } from "../workspace/keyed-queue.ts";
import { isRefusal } from "../workspace/outcome/refusal.ts";
import { planSave } from "../workspace/planners/whole.ts";
import type { ProposedFile } from "../workspace/proposals/parts.ts";
import type { ShownPart } from "../workspace/proposals/show.ts";
import { versionOf } from "../workspace/versions/version.ts";
import type { FileState } from "./file/file-state.ts";
import type { LaneFile } from "./file/lane-file.ts";
import type { LaneParts } from "./file/lane-host.ts";
import { type LaneRecord, shelvedLane } from "./records/record.ts";

/** The time after the last write in which further writes join the same proposal; milliseconds. */
const GATHER_MS = 400;
/** The longest time for which a busy agent's writes wait for such a pause; milliseconds. */
const MOST_GATHER_MS = 5_000;

interface SetParts {
  readonly actor: () => Actor | undefined;
  readonly record: () => LaneRecord;
  /** Changes the record in memory. */
  readonly note: (changes: Partial<LaneRecord>) => void;
  /** Stores the record. @throws StoreError */
  readonly store: () => Promise<void>;
  /** Returns the files with text that waits for approval. */
  readonly proposed: () => Promise<readonly LaneFile[]>;
  /** Returns the files that proposals may have, also those whose next proposal was refused. */
  readonly offered: () => Promise<readonly LaneFile[]>;
}

/** A proposal that nobody reviewed, and that the workspace has forgotten. */
const FORGOTTEN = { status: "expired", reason: null } as const;

/** A change that a file of the lane would make in the workspace. */
interface FileChange {
  readonly file: LaneFile;
  readonly change: ProposedFile;
}

/**
 * Owns the proposal of a lane. All files that wait for approval are one proposal. When the agent goes on writing, a new
 * proposal replaces the former one, so that a reviewer approves only text that they have seen.
 */
export class ChangeSet {
  readonly #lanes: LaneParts;
  readonly #parts: SetParts;
  readonly #stopped = new AbortController();
  /** Makes proposals and notes reviews one after the other. */
  readonly #turns = new KeyedQueue<ChangeSet>();
  #gathering: Promise<void> | undefined;
  #isAgain = false;
  #hasFailed = false;

  constructor(lanes: LaneParts, parts: SetParts) {
    this.#lanes = lanes;
    this.#parts = parts;
  }

  /** Makes the proposal anew once the agent has paused. */
  changed(): void {
    this.#isAgain = true;
    this.#gathering ??= this.#gather();
  }

  /** Notes a review of the lane's proposal; `pending` is one in part. */
  reviewed(id: string): Promise<void> {
    return this.#turns.run([this], () => this.#reviewed(id));
  }

  /** Notes the reviews that an earlier process did not note, and proposes what no proposal has. */
  resume(): Promise<void> {
    return this.#turns.run([this], () => this.#resume().catch((error: unknown) => this.#failed(error)));
  }

  /** Does again what failed, which a full store makes. */
  async retry(): Promise<void> {
    if (this.#hasFailed) await this.resume();
  }

  /** Resolves once the proposal has every write so far. */
  async settled(): Promise<void> {
    await this.#gathering;
  }

  close(): void {
    this.#stopped.abort();
  }

  /** Proposes until nothing has changed since. From the check that finds this to the end of the work nothing waits. */
  async #gather(): Promise<void> {
    const { signal } = this.#stopped;
    try {
      let since = this.#clock.elapsed();
      while (this.#isAgain && !signal.aborted) {
        this.#isAgain = false;
        await this.#clock.sleep(GATHER_MS, signal);
        const isDue = !this.#isAgain || this.#clock.elapsed() - since >= MOST_GATHER_MS;
        if (!isDue || signal.aborted) continue;
        await this.#turns.run([this], () => this.#propose());
        since = this.#clock.elapsed();
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#gathering = undefined;
    }
  }

  async #propose(): Promise<void> {
    const actor = this.#parts.actor();
    const proposed = await this.#parts.proposed();
    if (actor === undefined) return;
    const { former } = this.#parts.record(); // its close may have failed
    if (!(await this.#closeFormer())) return this.#takeBack(former!);
    // The workspace may already have some of these writes.
    await Promise.all(proposed.map((file) => file.follow()));
    let files = proposed.filter(({ state }) => state.record.status === "proposed");
    for (;;) {
      const flat = files.flatMap((file) => changesOf(file).map((change): FileChange => ({ file, change })));
      if (flat.length === 0) return this.#withdraw();
      if (await this.#isProposed(actor, flat)) return;
      const offered = new Map(flat.map(({ file }) => [file, file.state.shown]));
      const record = this.#parts.record();
      const made = await this.#lanes.proposals.createOfFiles(actor, {
        files: flat.map(({ change }) => change),
        reasoning: `written in the lane ${record.name}`,
        noting: (id) => [
          shelvedLane({ ...record, proposal: id, former: record.proposal }),
          ...[...offered].flatMap(([{ state }, content]) => state.offer(id, content, record.proposal)),
        ],
      });
      if (!isRefused(made)) return this.#replace(made.proposal.id, [...offered.keys()]);
      const unfit = new Map(
        made.refused.flatMap(({ index, refusal }) =>
          index === undefined
            ? files.map((file) => [file, refusal] as const)
            : [[flat[index]!.file, refusal]],
        ),
      );
      for (const [file, refusal] of unfit) await file.state.refuse(refusal.message);
      files = files.filter((file) => !unfit.has(file));
    }
  }

  async #resume(): Promise<void> {
    this.#hasFailed = false;
    const { former } = this.#parts.record();
    if (!(await this.#closeFormer())) await this.#takeBack(former!);
    const offered = await this.#parts.offered();
    for (const id of new Set(offered.flatMap(({ state }) => state.offeredIn))) await this.#reviewed(id);
    const files = await this.#parts.proposed();
    if (files.some(({ state }) => state.record.proposal === undefined)) this.changed();
  }

  #failed(error: unknown): void {
    this.#hasFailed = true;
    const { name: lane } = this.#parts.record();
    this.#lanes.workspace.ports.report("lane.unproposed", { lane, reason: String(error) });
  }

  /** @throws StoreError */
  #update(changes: Partial<LaneRecord>): Promise<void> {
    this.#parts.note(changes);
    return this.#parts.store();
  }

  /** Returns true if the open rest of the pending proposal has all of these changes, and no others. */
  async #isProposed(actor: Actor, changes: readonly FileChange[]): Promise<boolean> {
    const { proposal } = this.#parts.record();
    if (proposal === undefined || changes.some(({ file }) => file.state.record.proposal !== proposal))
      return false;
    const shown = await this.#lanes.proposals.get(actor, proposal);
    if (isRefusal(shown) || shown.status !== "pending") return false;
    const open = (shown.files ?? [shown]).filter(({ status }) => status === "pending");
    const paths = new Set(open.map(({ path }) => path));
    return open.length === changes.length && changes.every(({ change }) => paths.has(change.path));
  }

  async #reviewed(id: string): Promise<void> {
    const actor = this.#parts.actor();
    const shown = actor && (await this.#lanes.proposals.get(actor, id));
    if (shown === undefined) return;
    const { status, reason } = isRefusal(shown) ? FORGOTTEN : shown;
    const parts = isRefusal(shown) ? undefined : (shown.files ?? [shown]);
    if (status !== "pending" && this.#parts.record().proposal === id)
      await this.#update({ proposal: undefined });
    for (const file of await this.#parts.offered()) {
      const { state } = file;
      if (!state.offeredIn.includes(id)) continue;
      const own = parts?.filter((part) => isPartOf(part, state));
      const isLeft = status === "pending" || own?.length === 0;
      if (own?.length && own.every((part) => part.status === "approved"))
        await file.approved(id, own.find(({ proposedValue }) => proposedValue !== "")?.proposedValue);
      else if (state.record.proposal !== id) continue;
      else if (isLeft) await file.follow();
      else if (status === "superseded" && reason !== null)
        await state.keep({ proposal: undefined }); // the lane closed it
      else await file.closed(status, reason);
    }
  }

  /** Closes the proposal that a new one of these files replaces, and notes what somebody has reviewed since. */
  async #replace(proposal: string, files: readonly LaneFile[]): Promise<void> {
    const { proposal: former } = this.#parts.record();
    this.#parts.note({ proposal, former });
    for (const { state } of files) await state.keep({});
    if (!(await this.#closeFormer())) return this.#takeBack(former!);
    await this.#reviewed(proposal); // before the lane knew its id
  }

  /** Closes the proposal, of which nothing is left. */
  async #withdraw(): Promise<void> {
    const { proposal: former } = this.#parts.record();
    await this.#update({ proposal: undefined, former });
    if (!(await this.#closeFormer())) await this.#takeBack(former!);
  }

  /** Withdraws the new proposal, because a reviewer was faster with the former one, and makes another one. */
  async #takeBack(former: string): Promise<void> {
    await this.#withdraw();
    await this.#reviewed(former);
    this.changed();
  }

  /**
   * Closes the proposal that another one replaces; returns false if that was reviewed before. @throws an error if the
   * store refuses that
   */
  async #closeFormer(): Promise<boolean> {
    const { former, proposal } = this.#parts.record();
    if (former === undefined) return true;
    const closed = await this.#lanes.proposals.replaced(former, proposal);
    if (closed !== undefined && isRefusal(closed)) throw new Error(closed.message);
    await this.#update({ former: undefined });
    return closed !== undefined;
  }

  get #clock(): Clock {
    return this.#lanes.workspace.ports.clock;
  }
}

/** Returns the changes that a file of a lane would make in the workspace. */
function changesOf({ state: { record, document, shown, agreed } }: LaneFile): readonly ProposedFile[] {
  const { path, gone, seq } = record;
  if (document === undefined || document.deleted || seq === undefined)
    return gone ? [] : [{ operation: "create", path, content: shown }];
  const change = document.versions.change(seq);
  if (change === undefined) return [];
  if (gone) {
    const isSeen = agreed.text.equals(document.text);
    const version = isSeen ? document.version : versionOf(change);
    return [{ operation: "delete", path: document.path, version }];
  }
  const moved =
    path === document.path ? [] : [{ operation: "rename", path: document.path, to: path } as const];
  if (agreed.text.equals(shown.text)) return moved;
  const plan = planSave(agreed.text.toString(), shown.text.toString());
  return [...moved, { kind: "write", aim: "text", path: document.path, version: versionOf(change), plan }];
}

/** Returns true for the part of a proposal that is about a file of the lane. */
function isPartOf(
  { docId, path }: Pick<ShownPart, "docId" | "path">,
  { record, document }: FileState,
): boolean {
  const id = record.docId ?? document?.id;
  return docId === "" ? path === record.path : docId === id;
}
