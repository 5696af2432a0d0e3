import { diff } from "../../text/diff.ts";
import { hunkNumbers } from "../../text/hunk-numbers.ts";
import { hunkSplices } from "../../text/numbered.ts";
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

/**
 * Returns the hunks of an open edit with `context` unchanged lines around their changes. Each has the number that it had
 * when the edit was proposed, whatever was approved or changed since; a hunk that was not there then has a higher one.
 */
export function hunksOf(
  document: Document,
  { part, first }: Pick<OpenPart, "part" | "first">,
  { now, splices, stale }: RebasedProposal,
  context?: number,
): EditHunks {
  const present = hunkSplices(now.toString(), now.splice(splices).toString(), context);
  const numbered = (numbers?: readonly number[]) =>
    present.map((hunk, i) => ({ number: numbers?.[i] ?? i + 1, splices: hunk }));
  if (!stale && part.base === first.base) return { hunks: numbered(), stable: Number.POSITIVE_INFINITY };
  const { versions, head } = document;
  const seq = versions.find(first.base)?.seq;
  const base = seq === undefined ? undefined : versions.textAt(seq);
  if (seq === undefined || base === undefined) return { hunks: numbered(), stable: 0 };
  const proposed = hunkSplices(base.toString(), base.splice(first.splices).toString(), context);
  const since = head.seq === seq ? [] : versions.since(seq);
  const numbers = hunkNumbers(proposed, since ?? diff(base.toString(), now.toString()), present);
  return { hunks: numbered(numbers), stable: proposed.length };
}
