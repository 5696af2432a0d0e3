import { filesOf, RefusedError } from "../../../client/browser.ts";
import type { Result } from "../../../protocol/schemas/schemas.ts";
import { askToConfirm } from "../../state/base/confirm.ts";
import { showError, showMessage } from "../../state/base/messages.ts";
import { plural } from "../../state/base/plural.ts";
import { theDaemon } from "../../state/base/session.ts";
import { authorName } from "../../state/changes/authors.ts";
import { undoBatch, undoChange } from "../../state/changes/undo.ts";
import { aboutText } from "../../state/proposals/proposal-files.ts";
import type { PreviewEntry, ProposalEntry } from "../../state/proposals/proposal-types.ts";
import { approvedFiles, type ChangeUnit, unitsOf } from "./hunk-choice.ts";
import { STATUS_TEXTS } from "./status.tsx";

/** The result of a review: done, or why the person has to look again. */
export type ReviewResult = { readonly done: true } | { readonly done: false; readonly why: string };

/** Approves a proposal as the person saw it: the included changes, or the whole proposal. */
export function approve(
  proposal: ProposalEntry,
  included?: readonly ChangeUnit[],
  context?: number,
): Promise<ReviewResult> {
  return runReview("Could not approve the proposal", async () => {
    const {
      edit,
      edits,
      applied_batch: batchId,
      obsolete,
    } = await approveAsSeen(proposal, { included, context, tries: MOST_TRIES });
    const done = included === undefined ? "Approved" : `Approved ${plural(included.length, "change")}`;
    const applied = { files: edits ?? [edit], ...(batchId !== null && { batch: { batchId } }) };
    showDone(
      `${done}: ${aboutText(proposal)}`,
      undoActionOf(applied, proposal.author),
      obsoleteText(obsolete),
    );
  });
}

/** Returns which other proposals an approval made obsolete. */
function obsoleteText(obsolete: Result<"proposal.approve">["obsolete"]): string | undefined {
  if (obsolete.length === 0) return undefined;
  const named = obsolete
    .slice(0, MOST_NAMED)
    .map(({ author, path }) => `${authorName(author)}’s for ${path}`);
  const more = obsolete.length > named.length ? ` and ${obsolete.length - named.length} more` : "";
  const are = obsolete.length === 1 ? "does" : "do";
  return `${plural(obsolete.length, "other proposal")} ${are} not fit any more: ${named.join(", ")}${more}.`;
}

const MOST_NAMED = 3;

const MOST_TRIES = 5;

/** The person's choice of a proposal's changes, as they saw them. */
interface SeenChoice {
  readonly included: readonly ChangeUnit[] | undefined;
  /** The unchanged lines around the changes of a hunk. */
  readonly context: number | undefined;
  readonly tries: number;
  readonly confirm?: string;
}

/**
 * Approves with the version that the person saw. If edits elsewhere changed only the version, tries again with the new
 * one.
 */
async function approveAsSeen(
  proposal: ProposalEntry,
  choice: SeenChoice,
): Promise<Result<"proposal.approve">> {
  const { id, diff } = proposal;
  const { included, context, confirm, tries } = choice;
  const seen = { id, ...(context !== undefined && { context }) };
  const files = filesOf(proposal);
  try {
    return await theDaemon().proposal.approve({
      ...seen,
      files: approvedFiles(files, included ?? unitsOf(files)),
      ...(confirm !== undefined && { confirm }),
    });
  } catch (error) {
    const asked = confirm === undefined ? confirmationOf(error) : undefined;
    if (asked !== undefined) {
      if (!(await askToConfirm(asked.question))) throw error;
      return approveAsSeen(proposal, { ...choice, confirm: asked.patchId });
    }
    if (tries === 1 || !(error instanceof RefusedError) || !isOtherVersion(error)) throw error;
    const newest = await theDaemon().proposal.get(seen);
    if (newest.diff !== diff) throw error;
    return approveAsSeen(newest, { ...choice, tries: tries - 1 });
  }
}

/** Returns the question of an approval that would drop most of a document. */
function confirmationOf(error: unknown) {
  if (!(error instanceof RefusedError) || error.code !== "CONFIRMATION_REQUIRED") return undefined;
  const { patch_id: patchId, removes } = error.details;
  if (typeof patchId !== "string" || typeof removes !== "string") return undefined;
  const text = `${error.message}. It would remove: ${removes.length > 200 ? `${removes.slice(0, 200)}…` : removes}`;
  return { patchId, question: { title: "Remove most of the document?", text, yes: "Remove", danger: true } };
}

/** Returns whether a document has another version than the person saw. */
function isOtherVersion({ code, details }: RefusedError): boolean {
  return code === "CONFLICT" && ("version" in details || "files" in details);
}

/** Rejects a proposal, or what is left of it after an approval. */
export function reject(proposal: ProposalEntry, reason: string, isRest = false): Promise<ReviewResult> {
  const given = reason.trim();
  return runReview("Could not reject the proposal", async () => {
    await theDaemon().proposal.reject({ id: proposal.id, ...(given !== "" && { reason: given }) });
    showMessage("info", `Rejected${isRest ? " the rest" : ""}: ${aboutText(proposal)}`);
  });
}

/** Applies the edit of a preview. */
export function applyPreview({ patch_id, base_hash, files, author }: PreviewEntry): Promise<ReviewResult> {
  return runReview("Could not apply the edit", async () => {
    const applied = await theDaemon().preview.apply({ patch_id, base_hash, confirm: true });
    const paths = files.map(({ path }) => path).join(", ");
    showDone(`Applied: ${paths}`, undoActionOf(applied, author));
  });
}

interface AppliedPreview extends Pick<Result<"preview.apply">, "files"> {
  readonly batch?: { readonly batchId: string | null } | undefined;
}

/** Returns a function that undoes applied edits; undefined if no edit was necessary. */
function undoActionOf({ files, batch }: AppliedPreview, author: string): (() => Promise<void>) | undefined {
  const batchId = batch?.batchId;
  if (typeof batchId === "string") {
    const paths = files.map(({ path }) => path);
    return () => undoBatch(batchId, paths);
  }
  const [edit] = files;
  if (edit === undefined || edit.changeId === null) return undefined;
  const { changeId, path } = edit;
  return () => undoChange({ changeId, path, author });
}

function showDone(text: string, undo: (() => Promise<void>) | undefined, remark?: string): void {
  showMessage("good", text, remark, undo && { label: "Undo", run: () => void undo() });
}

async function runReview(failed: string, work: () => Promise<void>): Promise<ReviewResult> {
  try {
    await work();
    return { done: true };
  } catch (error) {
    if (confirmationOf(error) !== undefined) return { done: false, why: "Your decision had no effect." };
    if (error instanceof RefusedError && error.code === "CONFLICT")
      return { done: false, why: conflictText(error) };
    showError(failed, error);
    return { done: false, why: "" };
  }
}

/** Returns why a review no longer matches the current state. */
function conflictText(error: RefusedError): string {
  const { message, details } = error;
  if (isOtherVersion(error))
    return "Your decision had no effect. The document was edited while you were reading. You now see the updated proposal.";
  if ("conflicts" in details)
    return "Your decision had no effect. The document was edited while you were reading, and the proposal now conflicts with it.";
  const proposal = details["proposal"] as Pick<ProposalEntry, "status" | "reviewer"> | undefined;
  if (proposal === undefined) return message;
  const by = proposal.reviewer === null ? "" : ` by ${proposal.reviewer}`;
  return `Your decision had no effect. This proposal is already ${STATUS_TEXTS[proposal.status]}${by}.`;
}
