import { RefusedError } from "../../../client/browser.ts";
import type { Result } from "../../../protocol/schemas.ts";
import { showError, showMessage } from "../../state/messages.ts";
import { plural } from "../../state/plural.ts";
import type { PreviewEntry, ProposalEntry } from "../../state/proposal-types.ts";
import { theDaemon } from "../../state/session.ts";
import { undoBatch, undoChange } from "../../state/undo.ts";

/** What came of a review: done, or why it has to be looked at again. */
export type ReviewResult = { readonly done: true } | { readonly done: false; readonly why: string };

/** Approves hunks of a proposal by their numbers, or all of it, as it was looked at. */
export function approve(
  proposal: ProposalEntry,
  hunks: readonly number[] | undefined,
): Promise<ReviewResult> {
  return runReview("It could not be approved", async () => {
    const { edit } = await approveAsSeen(proposal, hunks, MOST_TRIES);
    const what = hunks === undefined ? "Approved" : `Approved ${plural(hunks.length, "hunk")}`;
    showDone(`${what}: ${proposal.path}`, undoActionOf({ files: [edit] }, proposal.author));
  });
}

const MOST_TRIES = 5;

/** While others type elsewhere in the document, its version moves on; as long as the diff is the one seen, it stands. */
async function approveAsSeen(
  { id, version, diff }: ProposalEntry,
  hunks: readonly number[] | undefined,
  tries: number,
): Promise<Result<"proposal.approve">> {
  try {
    return await theDaemon().proposal.approve({
      id,
      ...(hunks && { hunks: [...hunks] }),
      ...(version !== null && { version }),
    });
  } catch (error) {
    if (tries === 1 || !(error instanceof RefusedError) || !isOtherVersion(error)) throw error;
    const newest = await theDaemon().proposal.get({ id });
    if (newest.diff !== diff) throw error;
    return approveAsSeen(newest, hunks, tries - 1);
  }
}

/** The document is at another version than the one that was looked at. */
function isOtherVersion({ code, details }: RefusedError): boolean {
  return code === "CONFLICT" && "version" in details;
}

export function reject(proposal: ProposalEntry, reason: string): Promise<ReviewResult> {
  const given = reason.trim();
  return runReview("It could not be rejected", async () => {
    await theDaemon().proposal.reject({ id: proposal.id, ...(given !== "" && { reason: given }) });
    showMessage("info", `Rejected: ${proposal.path}`);
  });
}

/** Makes the edit that was shown. */
export function applyPreview({ patch_id, base_hash, files, author }: PreviewEntry): Promise<ReviewResult> {
  return runReview("It could not be applied", async () => {
    const made = await theDaemon().preview.apply({ patch_id, base_hash, confirm: true });
    const paths = files.map(({ path }) => path).join(", ");
    showDone(`Applied: ${paths}`, undoActionOf(made, author));
  });
}

type AppliedPreview = Pick<Result<"preview.apply">, "files" | "batch">;

/** Takes back what was made; undefined where nothing was left to make. */
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

function showDone(text: string, undo: (() => Promise<void>) | undefined): void {
  showMessage("good", text, undefined, undo && { label: "Undo", run: () => void undo() });
}

async function runReview(failed: string, work: () => Promise<void>): Promise<ReviewResult> {
  try {
    await work();
    return { done: true };
  } catch (error) {
    if (error instanceof RefusedError && error.code === "CONFLICT")
      return { done: false, why: conflictText(error) };
    showError(failed, error);
    return { done: false, why: "" };
  }
}

/** Why what was looked at is not what is there now, in a reader's words. */
function conflictText(error: RefusedError): string {
  const { message, details } = error;
  if (isOtherVersion(error))
    return "Nothing was changed: the document moved on while you looked. This is the diff against what it is now.";
  if ("conflicts" in details)
    return "Nothing was changed: the document moved on while you looked, and now the same characters differ.";
  const proposal = details["proposal"] as Pick<ProposalEntry, "status" | "reviewer"> | undefined;
  if (proposal === undefined) return message;
  const by = proposal.reviewer === null ? "" : ` by ${proposal.reviewer}`;
  return `You were not the first: it was ${proposal.status} already${by}. Nothing more was changed.`;
}
