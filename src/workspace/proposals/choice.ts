import type { ChangeRecord } from "../../store/store.ts";
import { rebase } from "../../text/delta.ts";
import { hunkSplices } from "../../text/numbered.ts";
import type { Splice } from "../../text/splice.ts";
import type { Outcome } from "../outcome/refusal.ts";
import { versionOf } from "../versions/version.ts";
import type { Approval, Proposal } from "./proposal.ts";
import type { RebasedProposal } from "./rebase.ts";
import { noHunk } from "./refusals.ts";
import { diffOf } from "./show.ts";

/** The parts of a proposal that are approved and that are not, both in positions of the newest text. */
export interface Choice {
  readonly chosen: readonly Splice[];
  readonly rest: readonly Splice[];
  /** True when the document has changed since the base. */
  readonly stale: boolean;
  /** True when nothing is left to do: the text that it would change is changed or gone. */
  readonly superseded: boolean;
  /** The diff of the approved part. */
  readonly diff: string;
  /** Where others changed words beside the proposed ones, and the base that this is in positions of. */
  readonly met: Pick<RebasedProposal, "base" | "baseVersion" | "seq" | "close">;
}

/** Chooses the hunks with these numbers, counted as in the diff; all of them without numbers. */
export function choose(
  id: string,
  { now, splices, stale, superseded, ...met }: RebasedProposal,
  path: string,
  numbers: readonly number[] | undefined,
): Outcome<Choice> {
  if (superseded) return { chosen: [], rest: [], stale, superseded, diff: "", met };
  if (numbers === undefined)
    return { chosen: splices, rest: [], stale, superseded, diff: diffOf({ now, splices }, path).diff, met };
  const hunks = hunkSplices(now.toString(), now.splice(splices).toString());
  const missing = numbers.find((number) => number > hunks.length);
  if (missing !== undefined) return noHunk(id, missing, hunks.length);
  const wanted = new Set(numbers);
  const chosen = hunks.filter((_, i) => wanted.has(i + 1)).flat();
  const rest = hunks.filter((_, i) => !wanted.has(i + 1)).flat();
  return { chosen, rest, stale, superseded, diff: diffOf({ now, splices: chosen }, path).diff, met };
}

/** Returns the proposal after a change made the chosen part of it. */
export function afterApproval(
  proposal: Proposal,
  change: ChangeRecord,
  { chosen, rest, diff }: Choice,
  review: Pick<Approval, "userId" | "reviewer" | "reviewedAt">,
): Proposal {
  const left = { base: versionOf(change), splices: rebase(rest, chosen).splices };
  const { userId, reviewer, reviewedAt } = review;
  const approvals = [...proposal.approvals, { change: change.id, userId, reviewer, reviewedAt, left }];
  const status = rest.length === 0 ? "approved" : "pending";
  return { ...proposal, ...review, reason: null, status, approvals, diff };
}
