import type { Shelved } from "../../store/shelf.ts";
import type { BatchMark } from "../../store/store.ts";
import { type Actor, actingFor } from "../access/actor.ts";
import { fileResult } from "../edits/answer.ts";
import { type BatchPlan, filePatchIdOf, outcomeOfStep } from "../edits/batch-record.ts";
import type { Editor } from "../edits/editor.ts";
import { type EditRequest, type EditResult, isRefused } from "../edits/request.ts";
import type { DoneStep, FileBatches } from "../folder/file-batch.ts";
import { type CheckedFileChange, contentOf, stepsOf } from "../folder/file-changes.ts";
import type { FileStep } from "../folder/file-steps.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { type ApprovedParts, afterApproval } from "./choice.ts";
import { type ApprovedChoice, approvalDenied, chosenParts } from "./chosen-parts.ts";
import { changedSince, lookAtParts, type PartNow } from "./part-now.ts";
import { type Approval, isEdit, openParts, type Part, type Proposal } from "./proposal.ts";
import { type EditsToMake, messageOf, openReady, readyEdits } from "./ready-edits.ts";
import { recordsOf } from "./record.ts";
import * as refusals from "./refusals.ts";
import type { ProposalRepository } from "./repository.ts";

export interface ApproveRequest extends Pick<EditRequest, "ack">, ApprovedChoice {
  readonly id: string;
  /** The `patch_id` of the question whether to drop most of the document. */
  readonly confirm?: string | undefined;
}

/** An approved proposal with the results of its changes; `superseded` when nothing was left to do. */
export type MadeApproval =
  | { readonly approved: Proposal; readonly results: readonly EditResult[] }
  | "superseded";

/** An approval on its way: its edits, and the changes of files, including the ones already made. */
interface Making extends EditsToMake {
  readonly review: Pick<Approval, "userId" | "reviewer" | "reviewedAt">;
  readonly done: readonly number[];
}

/** Makes the changes that a reviewer approves: all of them or none, in the author's name (I13). */
export class Approver {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #files: FileBatches;
  readonly #pathOf: (part: Part) => string;

  constructor(workspace: Workspace, editor: Editor, files: FileBatches, repository: ProposalRepository) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#files = files;
    this.#pathOf = (part) => repository.pathOf(part);
  }

  async make(
    reviewer: Actor,
    request: ApproveRequest,
    proposal: Proposal,
    review: Making["review"],
  ): Promise<Outcome<MadeApproval>> {
    const chosen = chosenParts(proposal, request, this.#pathOf);
    if (isRefusal(chosen)) return chosen;
    const denied = approvalDenied(reviewer, chosen, this.#pathOf);
    if (denied !== undefined) return denied;
    const edits = chosen.filter(({ part }) => isEdit(part));
    const files = await lookAtParts(
      { workspace: this.#workspace, id: proposal.id, pathOf: this.#pathOf },
      chosen.filter(({ part }) => !isEdit(part)),
    );
    const todo = files.filter(({ superseded }) => superseded === undefined);
    const size = edits.length + todo.length;
    const batch = size > 1 || todo.length > 0 ? { id: this.#workspace.newId("batch"), size } : undefined;
    const making: Making = {
      author: authorOf(reviewer, proposal),
      proposal,
      edits,
      pathOf: this.#pathOf,
      batch,
      ack: request.ack,
      confirm: request.confirm,
      review,
      done: files.filter((file) => !todo.includes(file)).map(({ index }) => index),
    };
    const steps = batch === undefined ? [] : await this.#steps(making, todo, batch);
    if (isRefusal(steps)) return steps;
    const result = await this.#files.run<MadeApproval>(making.author, steps, (made, ended) =>
      this.#commit(making, made, ended),
    );
    return "made" in result ? result.made : result.refused;
  }

  /** Returns the steps of the files; refused with every reason where a file or an edit beside them cannot be changed. */
  async #steps(
    making: Making,
    files: readonly PartNow[],
    batch: BatchMark,
  ): Promise<Outcome<readonly FileStep[]>> {
    if (files.length === 0) return [];
    const { proposal } = making;
    const unfit = files.flatMap(({ path, refusal }) => (refusal === undefined ? [] : { path, refusal }));
    const [only] = unfit;
    if (only !== undefined && proposal.parts.length === 1) return only.refusal;
    const ready = readyEdits(this.#editor, making, await openReady(this.#editor, making), unfit);
    if (isRefusal(ready)) return ready;
    const steps = stepsOf(files.map(checkedChange), {
      batch,
      origin: "proposal",
      message: messageOf(proposal),
    });
    return steps.map((step) =>
      step.do === "remove"
        ? { ...step, check: (document) => changedSince(proposal.parts[step.at]!, document, proposal.id) }
        : step,
    );
  }

  /** Makes the edits and stores the approval with them, once the files are changed. */
  async #commit(
    making: Making,
    made: readonly DoneStep[],
    ended: readonly Shelved[],
  ): Promise<Outcome<MadeApproval>> {
    const { author, proposal, batch, done } = making;
    const opened = await openReady(this.#editor, making);
    // The code does not wait from here to the commit, so that no other change comes between.
    const edits = readyEdits(this.#editor, making, opened);
    if (isRefusal(edits)) return edits;
    const superseded = [...edits.superseded, ...done];
    if (edits.ready.length + made.length === 0)
      return superseded.length === openParts(proposal).length
        ? "superseded"
        : refusals.nothingLeft(proposal.id);
    const drafted = this.#editor.draft(
      author,
      edits.ready.map(({ edit }) => edit),
    );
    if (isRefused(drafted)) return drafted.refused[0]!.refusal;
    const parts: ApprovedParts = {
      edits: edits.ready.map(({ choice }, i) => ({ choice, draft: drafted.drafts[i]! })),
      steps: made.map((one) => ({ part: one.step.at, done: one })),
      superseded,
      batch: batch?.id,
    };
    const approved = afterApproval(proposal, parts, making.review);
    const records = this.#editor.recordsOf(author, drafted.drafts, {
      shelved: [...recordsOf(approved), ...ended],
      ...(batch && { batch: { id: batch.id, plan: planOf(batch.id, making, parts) } }),
    });
    const committed = await this.#editor.commit(author, drafted, records);
    if (isRefusal(committed)) return committed;
    const results = [
      ...committed.map((edit, i) => ({ ...edit, merged: edits.ready[i]!.choice.stale })),
      ...made.map(({ step, document, change }) => fileResult(document, change.id, SUMMARIES[step.do])),
    ];
    return { approved, results };
  }
}

const SUMMARIES: Readonly<Record<FileStep["do"], string>> = {
  create: "created the file",
  remove: "deleted the file",
  restore: "restored the file",
  rename: "renamed the file",
};

function authorOf(reviewer: Actor, { author: name, agentId: agent, answers }: Proposal): Actor {
  return actingFor(reviewer, { name, agent, ...(answers !== undefined && { answers }) });
}

function checkedChange({ index: at, part, path, document }: PartNow): CheckedFileChange {
  const { operation, to, proposedValue } = part;
  if (operation === "create") return { at, change: { operation, path, content: contentOf(proposedValue) } };
  const change =
    to === undefined
      ? ({ operation: "delete", path } as const)
      : ({ operation: "rename", path, to } as const);
  return { at, change, document: document! };
}

/** Returns the record of an approval's batch: first its edits, then its changes of files. */
function planOf(batchId: string, { proposal, pathOf }: Making, { edits, steps }: ApprovedParts): BatchPlan {
  return {
    notes: {},
    message: messageOf(proposal),
    files: [
      ...edits.map(({ choice }) => {
        const docPath = pathOf(proposal.parts[choice.part]!);
        const filePatchId = filePatchIdOf(batchId, docPath);
        return { filePatchId, docPath, changes: [{ changeId: `${filePatchId}.1`, operation: "patch" }] };
      }),
      ...steps.map(({ part, done }) => {
        const docPath = done.step.path;
        const operation = proposal.parts[part]!.operation as "create" | "delete" | "rename";
        const filePatchId = filePatchIdOf(batchId, docPath, operation);
        return { filePatchId, docPath, operation, changes: [], made: outcomeOfStep(done) };
      }),
    ],
  };
}
