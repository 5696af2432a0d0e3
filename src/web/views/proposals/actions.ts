import { RefusedError } from "../../../client/browser.ts";
import type { Result } from "../../../protocol/schemas.ts";
import { plural } from "../../state/plural.ts";
import type { Preview, Proposal } from "../../state/proposal-types.ts";
import { theDaemon } from "../../state/session.ts";
import { takeBack, takeBatchBack } from "../../state/undo.ts";
import { complain, say } from "../../state/messages.ts";

/** What came of a review: done, or why it has to be looked at again. */
export type Reviewed = { readonly done: true } | { readonly done: false; readonly why: string };

/** Approves hunks of a proposal by their numbers, or all of it, as it was looked at. */
export function approve(proposal: Proposal, hunks: readonly number[] | undefined): Promise<Reviewed> {
  return review("It could not be approved", async () => {
    const { edit } = await approveAsSeen(proposal, hunks, TRIES);
    const what = hunks === undefined ? "Approved" : `Approved ${plural(hunks.length, "hunk")}`;
    sayDone(`${what}: ${proposal.path}`, undoingOf({ files: [edit] }, proposal.author));
  });
}

const TRIES = 5;

/** While others type elsewhere in the document, its version moves on; as long as the diff is the one seen, it stands. */
async function approveAsSeen(
  { id, version, diff }: Proposal,
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
    if (tries === 1 || !(error instanceof RefusedError) || !isMoved(error)) throw error;
    const newest = await theDaemon().proposal.get({ id });
    if (newest.diff !== diff) throw error;
    return approveAsSeen(newest, hunks, tries - 1);
  }
}

/** The document is at another version than the one that was looked at. */
function isMoved({ code, details }: RefusedError): boolean {
  return code === "CONFLICT" && "version" in details;
}

export function reject(proposal: Proposal, reason: string): Promise<Reviewed> {
  const given = reason.trim();
  return review("It could not be rejected", async () => {
    await theDaemon().proposal.reject({ id: proposal.id, ...(given !== "" && { reason: given }) });
    say("info", `Rejected: ${proposal.path}`);
  });
}

/** Makes the edit that was shown. */
export function confirm({ patch_id, base_hash, files, author }: Preview): Promise<Reviewed> {
  return review("It could not be applied", async () => {
    const made = await theDaemon().preview.apply({ patch_id, base_hash, confirm: true });
    const paths = files.map(({ path }) => path).join(", ");
    sayDone(`Applied: ${paths}`, undoingOf(made, author));
  });
}

type Made = Pick<Result<"preview.apply">, "files" | "batch">;

/** Takes back what was made; undefined where nothing was left to make. */
function undoingOf({ files, batch }: Made, author: string): (() => Promise<void>) | undefined {
  const batchId = batch?.batchId;
  if (typeof batchId === "string") {
    const paths = files.map(({ path }) => path);
    return () => takeBatchBack(batchId, paths);
  }
  const [edit] = files;
  if (edit === undefined || edit.changeId === null) return undefined;
  const { changeId, path } = edit;
  return () => takeBack({ changeId, path, author });
}

function sayDone(text: string, undo: (() => Promise<void>) | undefined): void {
  say("good", text, undefined, undo && { label: "Undo", run: () => void undo() });
}

async function review(failed: string, work: () => Promise<void>): Promise<Reviewed> {
  try {
    await work();
    return { done: true };
  } catch (error) {
    if (error instanceof RefusedError && error.code === "CONFLICT")
      return { done: false, why: whyConflict(error) };
    complain(failed, error);
    return { done: false, why: "" };
  }
}

/** Why what was looked at is not what is there now, in a reader's words. */
function whyConflict(error: RefusedError): string {
  const { message, details } = error;
  if (isMoved(error))
    return "Nothing was changed: the document moved on while you looked. This is the diff against what it is now.";
  if ("conflicts" in details)
    return "Nothing was changed: the document moved on while you looked, and now the same characters differ.";
  const proposal = details["proposal"] as Pick<Proposal, "status" | "reviewer"> | undefined;
  if (proposal === undefined) return message;
  const by = proposal.reviewer === null ? "" : ` by ${proposal.reviewer}`;
  return `You were not the first: it was ${proposal.status} already${by}. Nothing more was changed.`;
}
