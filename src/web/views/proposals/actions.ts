import { RefusedError } from "../../../client/browser.ts";
import type { Result } from "../../../protocol/schemas.ts";
import type { Preview, Proposal } from "../../state/proposals.ts";
import { theDaemon } from "../../state/session.ts";
import { attempt, complain, say } from "../../state/tell.ts";

/** What came of a review: done, or why it has to be looked at again. */
export type Reviewed = { readonly done: true } | { readonly done: false; readonly why: string };

/** Approves hunks of a proposal by their numbers, or all of it, as it was looked at. */
export function approve(proposal: Proposal, hunks: readonly number[] | undefined): Promise<Reviewed> {
  const { id, version, path } = proposal;
  return review("It could not be approved", async () => {
    const { edit } = await theDaemon().proposal.approve({
      id,
      ...(hunks && { hunks: [...hunks] }),
      ...(version !== null && { version }),
    });
    const what = hunks === undefined ? "Approved" : `Approved ${plural(hunks.length, "hunk")}`;
    sayDone(`${what}: ${path}`, edit.changeId === null ? undefined : { changeId: edit.changeId });
  });
}

export function reject(proposal: Proposal, reason: string): Promise<Reviewed> {
  const given = reason.trim();
  return review("It could not be rejected", async () => {
    await theDaemon().proposal.reject({ id: proposal.id, ...(given !== "" && { reason: given }) });
    say("info", `Rejected: ${proposal.path}`);
  });
}

/** Makes the edit that was shown. */
export function confirm({ patch_id, base_hash, files }: Preview): Promise<Reviewed> {
  return review("It could not be applied", async () => {
    const made = await theDaemon().preview.apply({ patch_id, base_hash, confirm: true });
    const paths = files.map(({ path }) => path).join(", ");
    sayDone(`Applied: ${paths}`, undoingOf(made));
  });
}

function undoingOf({ files, batch }: Result<"preview.apply">): Undoing | undefined {
  if (batch !== undefined && batch.batchId !== null) return { batchId: batch.batchId };
  const changeId = files[0]?.changeId ?? null;
  return changeId === null ? undefined : { changeId };
}

type Undoing = { readonly changeId: string } | { readonly batchId: string };

/** Takes a change back, and says so. */
export async function takeBack(undoing: Undoing): Promise<void> {
  const undone = await attempt("It could not be undone", () => theDaemon().undo(undoing));
  if (undone !== undefined) say("good", `Undone: ${undone.path}`);
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function sayDone(text: string, undoing: Undoing | undefined): void {
  const action = undoing && { label: "Undo", run: () => void takeBack(undoing) };
  say("good", text, undefined, action);
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
function whyConflict({ message, details }: RefusedError): string {
  if ("version" in details)
    return "Nothing was changed: the document moved on while you looked. This is the diff against what it is now.";
  if ("conflicts" in details)
    return "Nothing was changed: the document moved on while you looked, and now the same characters differ.";
  const proposal = details["proposal"] as Pick<Proposal, "status" | "reviewer"> | undefined;
  if (proposal === undefined) return message;
  const by = proposal.reviewer === null ? "" : ` by ${proposal.reviewer}`;
  return `You were not the first: it was ${proposal.status} already${by}. Nothing more was changed.`;
}
