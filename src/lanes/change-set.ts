import type { Clock } from "../mirror/clock.ts";
import type { Actor } from "../workspace/access/actor.ts";
import { isRefused } from "../workspace/edits/request.ts";
import type { ProposalStatus } from "../workspace/events/events.ts";
import { isRefusal } from "../workspace/outcome/refusal.ts";
import { planSave } from "../workspace/planners/whole.ts";
import type { ProposedFile } from "../workspace/proposals/parts.ts";
import { versionOf } from "../workspace/versions/version.ts";
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
  async reviewed(id: string, status: ProposalStatus, reason: string | null): Promise<void> {
    const isOver = status !== "pending";
    if (isOver) await this.#parts.update({ proposal: undefined });
    for (const file of await this.#parts.proposed())
      if (file.state.record.proposal === id) await (isOver ? file.reviewed(status, reason) : file.follow());
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
      if (!this.#isAgain && !this.#stopped.signal.aborted) await this.#propose();
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
      if (flat.length === 0) return this.#replace(undefined, []);
      if (await this.#isProposed(actor, flat)) return;
      const made = await this.#lanes.proposals.createOfFiles(actor, {
        files: flat.map(({ change }) => change),
        reasoning: `written in the lane ${this.#parts.record().name}`,
      });
      if (!isRefused(made)) return this.#replace(made.proposal.id, files);
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

  async #replace(proposal: string | undefined, files: readonly LaneFile[]): Promise<void> {
    const { proposal: former } = this.#parts.record();
    await this.#parts.update({ proposal, former });
    for (const file of files) if (proposal !== undefined) await file.state.keep({ proposal });
    await this.closeFormer();
  }

  /** Closes the proposal that another one replaces. */
  async closeFormer(): Promise<void> {
    const { former, proposal } = this.#parts.record();
    if (former === undefined) return;
    await this.#lanes.proposals.replaced(former, proposal);
    await this.#parts.update({ former: undefined });
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
