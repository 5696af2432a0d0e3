import type { ProposalEntry } from "../../state/proposal-types.ts";

type Hunk = ProposalEntry["hunks"][number];

/**
 * Names for hunks by what they change, so that a choice among them stands when their document moves: their
 * lines' numbers and the lines around them may become others. Equal ones are counted.
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

/** Switches one of a set's members. */
export function toggleMember<T>(set: ReadonlySet<T>, member: T): ReadonlySet<T> {
  const out = new Set(set);
  if (!out.delete(member)) out.add(member);
  return out;
}
