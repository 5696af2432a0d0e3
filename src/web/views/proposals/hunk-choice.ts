import type { ProposalEntry } from "../../state/proposal-types.ts";

type Hunk = ProposalEntry["hunks"][number];

/**
 * Returns a name for each hunk, made of its changed lines. The person's choice stays valid when the document changes,
 * although line numbers and context change. Equal hunks get a number.
 */
export function hunkNames(hunks: readonly Hunk[]): string[] {
  const seen = new Map<string, number>();
  return hunks.map(({ diff }) => {
    const [, ...lines] = diff.split("\n");
    const changed = lines.filter((line) => /^[-+]/.test(line)).join("\n");
    const count = (seen.get(changed) ?? 0) + 1;
    seen.set(changed, count);
    return `${count} ${changed}`;
  });
}

/** Returns a set with the member added, or removed if it was there. */
export function toggleMember<T>(set: ReadonlySet<T>, member: T): ReadonlySet<T> {
  const out = new Set(set);
  if (!out.delete(member)) out.add(member);
  return out;
}
