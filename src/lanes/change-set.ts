import type { Clock } from "../mirror/clock.ts";
import type { Decoded } from "../mirror/format.ts";
import type { Actor } from "../workspace/access/actor.ts";
import { isRefused } from "../workspace/edits/request.ts";
import { KeyedQueue } from "../workspace/keyed-queue.ts";
import { isRefusal } from "../workspace/outcome/refusal.ts";
import { planSave } from "../workspace/planners/whole.ts";
import type { ProposedFile } from "../workspace/proposals/parts.ts";
import type { ShownPart } from "../workspace/proposals/show.ts";
import { versionOf } from "../workspace/versions/version.ts";
import type { FileState } from "./file-state.ts";
import type { LaneFile } from "./lane-file.ts";
import type { LaneParts } from "./lane-host.ts";
import type { LaneRecord } from "./record.ts";

/** The time after the last write in which further writes join the same proposal; milliseconds. */
const GATHER_MS = 400;

interface SetParts {
  readonly actor: () => Actor | undefined;
  readonly record: () => LaneRecord;
  readonly update: (changes: Partial<LaneRecord>) => Promise<void>;
  /** Returns the files with text that waits for approval. */
  readonly proposed: () => Promise<readonly LaneFile[]>;
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

  constructor(lanes: LaneParts, parts: SetParts) {
    this.#lanes = lanes;
    this.#parts = parts;
  }

  /** Makes the proposal anew once the agent has paused. */
  changed(): void {
    this.#isAgain = true;
    this.#gathering ??= this.#gather().finally(() => {
      this.#gathering = undefined;
    });
  }

  /** Notes a review of the lane's proposal; `pending` is one in part. */
  reviewed(id: string): Promise<void> {
    return this.#turns.run([this], () => this.#reviewed(id));
  }

  /** Notes the reviews that an earlier process did not note, and proposes what no proposal has. */
  async resume(): Promise<void> {
    await this.#closeFormer();
    const proposals = (await this.#parts.proposed()).map(({ state }) => state.record.proposal);
    for (const id of new Set(proposals)) if (id !== undefined) await this.reviewed(id);
    if (proposals.includes(undefined)) this.changed();
  }

  /** Resolves once the proposal has every write so far. */
  async settled(): Promise<void> {
    await this.#gathering;
  }

  close(): void {
    this.#stopped.abort();
  }

  async #gather(): Promise<void> {
    while (this.#isAgain && !this.#stopped.signal.aborted) {
      this.#isAgain = false;
      await this.#clock.sleep(GATHER_MS, this.#stopped.signal);
      if (!this.#isAgain && !this.#stopped.signal.aborted)
        await this.#turns.run([this], () => this.#propose());
    }
  }

  async #propose(): Promise<void> {
    const actor = this.#parts.actor();
    const proposed = await this.#parts.proposed();
    if (actor === undefined) return;
    // The workspace may already have some of these writes.
    await Promise.all(proposed.map((file) => file.follow()));
    let files = proposed.filter(({ state }) => state.record.status === "proposed");
    for (;;) {
      const flat = files.flatMap((file) => changesOf(file).map((change): FileChange => ({ file, change })));
      if (flat.length === 0) return this.#replace(undefined, new Map());
      if (await this.#isProposed(actor, flat)) return;
      const offered = new Map(flat.map(({ file }) => [file, file.state.shown]));
      const made = await this.#lanes.proposals.createOfFiles(actor, {
        files: flat.map(({ change }) => change),
        reasoning: `written in the lane ${this.#parts.record().name}`,
      });
      if (!isRefused(made)) return this.#replace(made.proposal.id, offered);
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
      await this.#parts.update({ proposal: undefined });
    for (const file of await this.#parts.proposed()) {
      const { state } = file;
      if (!state.isOffered(id)) continue;
      const own = parts?.filter((part) => isPartOf(part, state));
      const isLeft = status === "pending" || own?.length === 0;
      if (own?.length && own.every((part) => part.status === "approved"))
        await file.approved(own.find(({ proposedValue }) => proposedValue !== "")?.proposedValue);
      else if (state.record.proposal === id) await (isLeft ? file.follow() : file.closed(status, reason));
    }
  }

  /** Notes the new proposal of files as they were with these contents; undefined if nothing is left to propose. */
  async #replace(proposal: string | undefined, offered: ReadonlyMap<LaneFile, Decoded>): Promise<void> {
    const { proposal: former } = this.#parts.record();
    await this.#parts.update({ proposal, former });
    if (!(await this.#closeFormer())) return this.#takeBack(former!);
    for (const [{ state }, content] of offered)
      if (proposal !== undefined) await state.offer(proposal, content);
  }

  /** Withdraws the new proposal, because a reviewer was faster with the former one, and makes another one. */
  async #takeBack(former: string): Promise<void> {
    await this.#parts.update({ proposal: undefined, former: this.#parts.record().proposal });
    await this.#closeFormer();
    await this.#reviewed(former);
    this.changed();
  }

  /** Closes the proposal that another one replaces; returns false if that was reviewed before. */
  async #closeFormer(): Promise<boolean> {
    const { former, proposal } = this.#parts.record();
    if (former === undefined) return true;
    const isClosed = await this.#lanes.proposals.replaced(former, proposal);
    await this.#parts.update({ former: undefined });
    return isClosed;
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
