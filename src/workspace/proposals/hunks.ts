import { diff } from "../../text/diff/diff.ts";
import { hunkNumbers } from "../../text/diff/hunk-numbers.ts";
import { hunkSplices } from "../../text/diff/numbered.ts";
import type { Splice } from "../../text/splice.ts";
import type { Document } from "../document/document.ts";
import type { OpenPart } from "./proposal.ts";
import type { RebasedProposal } from "./rebase.ts";

/** One hunk of a proposed edit: its splices in positions of the newest text, and its number. */
export interface EditHunk {
  readonly number: number;
  readonly splices: readonly Splice[];
}

/** The hunks of a proposed edit. Numbers above `stable` may mean another hunk after later changes. */
export interface EditHunks {
  readonly hunks: readonly EditHunk[];
  readonly stable: number;
}

/** Hunks in their order, as splices in positions of the newest text. */
type Hunks = readonly (readonly Splice[])[];

/**
 * Returns the hunks of an open edit with `context` unchanged lines around their changes. Each has the number that it had
 * when the edit was proposed, whatever was approved or changed since; a hunk that was not there then has a higher one.
 */
export function hunksOf(
  document: Document,
  open: Pick<OpenPart, "part" | "first">,
  rebased: RebasedProposal,
  context?: number,
): EditHunks {
  const present = presentHunks(rebased, context);
  const { numbers, stable } = numbering(document, open, rebased, () => present, context);
  const hunks = present.map((splices, i) => ({ number: numbers?.[i] ?? i + 1, splices }));
  return { hunks, stable };
}

/** Returns the numbers of the hunks that `hunksOf` returns; undefined where they count from 1. */
export function hunkNumbersOf(
  document: Document,
  open: Pick<OpenPart, "part" | "first">,
  rebased: RebasedProposal,
  context?: number,
): readonly number[] | undefined {
  return numbering(document, open, rebased, () => presentHunks(rebased, context), context).numbers;
}

function presentHunks({ now, splices }: RebasedProposal, context?: number): Hunks {
  return hunkSplices(now.toString(), now.splice(splices).toString(), context);
}

function numbering(
  { versions, head }: Document,
  { part, first }: Pick<OpenPart, "part" | "first">,
  { now, stale }: RebasedProposal,
  present: () => Hunks,
  context?: number,
): { readonly numbers?: readonly number[]; readonly stable: number } {
  if (!stale && part.base === first.base) return { stable: Number.POSITIVE_INFINITY };
  const seq = versions.find(first.base)?.seq;
  const base = seq === undefined ? undefined : versions.textAt(seq);
  if (seq === undefined || base === undefined) return { stable: 0 };
  const proposed = hunkSplices(base.toString(), base.splice(first.splices).toString(), context);
  const since = head.seq === seq ? [] : versions.since(seq);
  const numbers = hunkNumbers(proposed, since ?? diff(base.toString(), now.toString()), present());
  return { numbers, stable: proposed.length };
}
