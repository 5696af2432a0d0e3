import { type NumberedHunk, numberedDiff } from "../../text/numbered.ts";
import type { Refusal } from "../outcome/refusal.ts";
import type { Version } from "../versions/version.ts";
import type { Approval, Proposal } from "./proposal.ts";
import { type Conflict, conflictsOf, type RebasedProposal } from "./rebase.ts";

/** A proposal as it is shown to who reviews it. */
export interface ShownProposal
  extends Omit<Proposal, "splices" | "approvals" | "opId">,
    Pick<RebasedProposal, "stale"> {
  /** What approving it would do to the text as it is now; of a reviewed one, what it did or would have done. */
  readonly diff: string;
  /** The diff's hunks, by the numbers that approving takes; none unless it is pending. */
  readonly hunks: readonly NumberedHunk[];
  /** The version that the diff is against; null unless it is pending. */
  readonly version: Version | null;
  readonly conflicts: readonly Conflict[];
  readonly applied_change: string | null;
  readonly approvals: readonly Omit<Approval, "left">[];
  /** Why it cannot be approved at present, whatever it says. */
  readonly problem: string | null;
}

/** `standing` is that of a pending proposal whose document can be read. */
export function shownOf(
  { splices: _splices, approvals, opId: _opId, ...proposal }: Proposal,
  path: string,
  standing: RebasedProposal | Refusal | undefined,
): ShownProposal {
  const applied_change = approvals.at(-1)?.change ?? null;
  const given = approvals.map(({ left: _left, ...approval }) => approval);
  const rest = { ...proposal, path, applied_change, approvals: given };
  if (standing === undefined || "code" in standing) {
    const problem = standing?.message ?? null;
    return { ...rest, hunks: [], version: null, stale: false, conflicts: [], problem };
  }
  const { version, stale } = standing;
  return {
    ...rest,
    ...diffOf(standing, path),
    version,
    stale,
    conflicts: conflictsOf(standing),
    problem: null,
  };
}

/** From the text as it is now to what approving would make of it. */
export function diffOf(
  { now, splices }: Pick<RebasedProposal, "now" | "splices">,
  path: string,
): { readonly diff: string; readonly hunks: readonly NumberedHunk[] } {
  const names = { from: `a/${path}`, to: `b/${path}` };
  return numberedDiff(now.toString(), now.splice(splices).toString(), names);
}
