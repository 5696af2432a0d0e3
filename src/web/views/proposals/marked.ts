import { computed, signal } from "@preact/signals";
import { reasonNotWritable } from "../../state/documents/permission.ts";
import { pathsOf } from "../../state/proposals/proposal-files.ts";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";
import { pendingProposals } from "../../state/proposals/proposals.ts";

const markedIds = signal<ReadonlySet<string>>(new Set());

/** Returns whether a proposal can be approved together with others. */
export function canBeMarked(proposal: ProposalEntry): boolean {
  const { conflicts, problem } = proposal;
  return conflicts.length === 0 && problem === null && reasonNotWritable(pathsOf(proposal)) === undefined;
}

/** The pending proposals that the person marked, to approve them together. */
export const marked = computed<readonly ProposalEntry[]>(
  () => pendingProposals.value?.filter((each) => markedIds.value.has(each.id) && canBeMarked(each)) ?? [],
);

export function isMarked(id: string): boolean {
  return markedIds.value.has(id);
}

export function toggleMark(id: string): void {
  const next = new Set(markedIds.value);
  if (!next.delete(id)) next.add(id);
  markedIds.value = next;
}

export function clearMarks(): void {
  markedIds.value = new Set();
}
