import { rebase } from "../../text/delta.ts";
import type { Splice } from "../../text/splice.ts";
import type { Document } from "../document/document.ts";
import type { Draft } from "../edits/draft.ts";
import type { DoneStep } from "../folder/file-batch.ts";
import type { Outcome } from "../outcome/refusal.ts";
import { versionOf } from "../versions/version.ts";
import type { ChosenPart } from "./chosen-parts.ts";
import { hunksOf } from "./hunks.ts";
import { type Approval, type Left, openParts, type Proposal } from "./proposal.ts";
import type { RebasedProposal } from "./rebase.ts";
import { newHunks, noHunk, uncountedHunks } from "./refusals.ts";
import { diffOf } from "./show.ts";

/** The hunks of an edit that are approved and that are not, both in positions of the newest text. */
export interface Choice {
  /** The index of the part. */
  readonly part: number;
  readonly chosen: readonly Splice[];
  readonly rest: readonly Splice[];
  /** True when the document has changed since the base. */
  readonly stale: boolean;
  /** The diff of the approved hunks. */
  readonly diff: string;
  /** The places where others changed words beside the proposed ones, and the base of these positions. */
  readonly met: Pick<RebasedProposal, "base" | "baseVersion" | "seq" | "close">;
}

/** Chooses the hunks with these numbers, counted as in the diff with this context; all of them without numbers. */
export function choose(
  id: string,
  document: Document,
  rebased: RebasedProposal,
  { index: part, hunks: numbers, version, context, ...open }: ChosenPart,
): Outcome<Choice> {
  const { now, splices, stale, ...met } = rebased;
  const { path } = document;
  const common = { part, stale, met };
  if (numbers === undefined)
    return { ...common, chosen: splices, rest: [], diff: diffOf({ now, splices }, path).diff };
  const { hunks, stable } = hunksOf(document, open, rebased, context);
  if (version === undefined && numbers.some((number) => number > stable))
    return stable === 0 ? uncountedHunks(id, document) : newHunks(id, document);
  const there = new Set(hunks.map(({ number }) => number));
  const missing = numbers.find((number) => !there.has(number));
  if (missing !== undefined) return noHunk(id, missing, [...there]);
  const wanted = new Set(numbers);
  const chosen = hunks.flatMap((hunk) => (wanted.has(hunk.number) ? hunk.splices : []));
  const rest = hunks.flatMap((hunk) => (wanted.has(hunk.number) ? [] : hunk.splices));
  return { ...common, chosen, rest, diff: diffOf({ now, splices: chosen }, path).diff };
}

/** The changes of an approval: edits as chosen and drafted, and changes of files. */
export interface ApprovedParts {
  readonly edits: readonly { readonly choice: Choice; readonly draft: Draft }[];
  readonly steps: readonly { readonly part: number; readonly done: DoneStep }[];
  /** The indexes of parts with nothing left to do. */
  readonly superseded: readonly number[];
  readonly batch: string | undefined;
}

/** Returns the proposal after the changes of an approval. */
export function afterApproval(
  proposal: Proposal,
  { edits, steps, superseded, batch }: ApprovedParts,
  review: Pick<Approval, "userId" | "reviewer" | "reviewedAt">,
): Proposal {
  const closed = new Set([...superseded, ...steps.map(({ part }) => part)]);
  const left: Left[] = [];
  for (const { index, part } of openParts(proposal)) {
    const edit = edits.find(({ choice }) => choice.part === index);
    if (edit === undefined) {
      if (!closed.has(index)) left.push({ part: index, base: part.base, splices: part.splices });
    } else if (edit.choice.rest.length > 0) {
      const { splices } = rebase(edit.choice.rest, edit.choice.chosen);
      left.push({ part: index, base: edit.draft.answer.version, splices });
    }
  }
  const changes = [
    ...edits.map(({ draft: { edit, answer } }) => {
      return { docId: edit.document.id, change: answer.changeId!, version: answer.version };
    }),
    ...steps.map(({ done: { document, change } }) => {
      return { docId: document.id, change: change.id, version: versionOf(change) };
    }),
  ];
  const diffs = new Map(edits.map(({ choice }) => [choice.part, choice.diff]));
  const { userId, reviewer, reviewedAt } = review;
  const approval = { changes, ...(batch !== undefined && { batch }), userId, reviewer, reviewedAt, left };
  return {
    ...proposal,
    ...review,
    reason: null,
    parts: proposal.parts.map((part, i) => ({ ...part, diff: diffs.get(i) ?? part.diff })),
    status: left.length === 0 ? "approved" : "pending",
    approvals: [...proposal.approvals, approval],
  };
}
