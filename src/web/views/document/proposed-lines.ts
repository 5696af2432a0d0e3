import { filesOf } from "../../../client/browser.ts";
import { type DiffLine, parseDiff } from "../../parts/changes/diff-lines.ts";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";

/** The lines that a part of a pending proposal would change. */
export interface ProposedLines {
  readonly author: string;
  /** The proposal's id. */
  readonly id: string;
  /** 1-based. */
  readonly first: number;
  /** 1-based and inclusive; 0 for an insertion below `first`, which changes no line. */
  readonly last: number;
}

/** Returns the lines of a document that a proposal would change; a pure insertion names the line before it. */
export function proposedLines(proposal: ProposalEntry, path: string): ProposedLines[] {
  const { id, author } = proposal;
  return filesOf(proposal)
    .filter((file) => file.path === path && file.operation !== "create")
    .flatMap(({ diff }) => parseDiff(diff))
    .flatMap(({ hunks }) => hunks)
    .flatMap(({ lines }) => changedLines(lines))
    .map(({ first, last }) => ({ id, author, first, last }));
}

interface LineRange {
  readonly first: number;
  readonly last: number;
}

function changedLines(lines: readonly DiffLine[]): LineRange[] {
  const ranges: LineRange[] = [];
  let before = 0;
  for (const [i, { kind, old }] of lines.entries()) {
    if (old === undefined) {
      const isPure = i === 0 || lines[i - 1]?.kind === "same";
      if (isPure) ranges.push({ first: Math.max(1, before), last: 0 });
      continue;
    }
    before = old;
    if (kind === "same") continue;
    const last = ranges.at(-1);
    if (last !== undefined && last.last === old - 1 && lines[i - 1]?.kind === "removed")
      ranges[ranges.length - 1] = { first: last.first, last: old };
    else ranges.push({ first: old, last: old });
  }
  return ranges;
}
