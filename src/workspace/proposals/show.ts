import { type NumberedHunk, numberedDiff } from "../../text/numbered.ts";
import type { Refusal } from "../outcome/refusal.ts";
import type { Version } from "../versions/version.ts";
import type { Approval, Proposal } from "./proposal.ts";
import { type Conflict, conflictsOf, type RebasedProposal } from "./rebase.ts";

/** A proposal as a reviewer sees it. */
export interface ShownProposal
  extends Omit<Proposal, "splices" | "approvals" | "opId">,
    Pick<RebasedProposal, "stale"> {
  /**
   * The diff from the newest text to the text after an approval; of a closed proposal, the diff that it made or would
   * have made.
   */
  readonly diff: string;
  /** The diff's hunks, by the numbers that approving takes; none unless the proposal is pending. */
  readonly hunks: readonly NumberedHunk[];
  /** The version that the diff is against; null unless the proposal is pending. */
  readonly version: Version | null;
  readonly conflicts: readonly Conflict[];
  readonly appliedChange: string | null;
  readonly approvals: readonly Omit<Approval, "left">[];
  /** The reason why the proposal cannot be approved at present. */
  readonly problem: string | null;
}

/** Returns a proposal for a reviewer; `rebased` is a pending proposal on the newest text. */
export function shownOf(
  { splices: _splices, approvals, opId: _opId, ...proposal }: Proposal,
  path: string,
  rebased: RebasedProposal | Refusal | undefined,
): ShownProposal {
  const appliedChange = approvals.at(-1)?.change ?? null;
  const given = approvals.map(({ left: _left, ...approval }) => approval);
  const rest = { ...proposal, path, appliedChange, approvals: given };
  if (rebased === undefined || "code" in rebased) {
    const problem = rebased?.message ?? null;
    return { ...rest, hunks: [], version: null, stale: false, conflicts: [], problem };
  }
  const { version, stale } = rebased;
  return {
    ...rest,
    ...diffOf(rebased, path),
    version,
    stale,
    conflicts: conflictsOf(rebased),
    problem: null,
  };
}

/** Returns the diff from the newest text to the text after an approval. */
export function diffOf(
  { now, splices }: Pick<RebasedProposal, "now" | "splices">,
  path: string,
): { readonly diff: string; readonly hunks: readonly NumberedHunk[] } {
  const names = { from: `a/${path}`, to: `b/${path}` };
  return numberedDiff(now.toString(), now.splice(splices).toString(), names);
}
