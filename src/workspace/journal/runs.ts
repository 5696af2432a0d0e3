import { tailAt } from "../../store/format/change-id.ts";
import type { ChangeRecord } from "../../store/store.ts";
import { composeAll } from "../../text/delta.ts";
import { countChars } from "../../text/positions.ts";

/** The longest pause between two edits of one run, and the longest time that a run takes; milliseconds. */
export const PAUSE_MS = 2_000;
const LONGEST_MS = 30_000;
/** The most edits of a run, and the most code points that each of them inserts or deletes. */
const MOST_EDITS = 500;
const MOST_CHARS = 32;

/** The facts of a plain edit. A change with any other fact is no part of a run. */
const OWN = ["seq", "id", "time", "sha256", "splices", "removed"] as const;
const SHARED = ["author", "agent", "origin", "session", "machine"] as const;
const PLAIN: ReadonlySet<string> = new Set([...OWN, ...SHARED]);

/**
 * Groups changes that follow one another into runs, which become one entry of the history each. A run has small edits
 * of one author that touch one another, soon one after the other. `undone` are the ids of changes that were undone by
 * name.
 */
export function runsOf(
  changes: readonly ChangeRecord[],
  undone: ReadonlySet<string>,
): readonly (readonly ChangeRecord[])[] {
  const runs: ChangeRecord[][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    if (run !== undefined && !undone.has(change.id) && !undone.has(run[0]!.id) && continues(run, change))
      run.push(change);
    else runs.push([change]);
  }
  return runs.flatMap((run) => (hasEffect(run) ? [run] : run.map((change) => [change])));
}

function continues(run: readonly ChangeRecord[], next: ChangeRecord): boolean {
  const [first, last] = [run[0]!, run.at(-1)!];
  const pause = next.time - last.time;
  return (
    run.length < MOST_EDITS &&
    pause >= 0 &&
    pause <= PAUSE_MS &&
    next.time - first.time <= LONGEST_MS &&
    next.seq === last.seq + 1 &&
    isSmallEdit(last) &&
    isSmallEdit(next) &&
    SHARED.every((fact) => last[fact] === next[fact]) &&
    tailAt(last.id, last.seq) === tailAt(next.id, next.seq) &&
    touches(last, next)
  );
}

function isSmallEdit({ splices, ...facts }: ChangeRecord): boolean {
  const [splice] = splices;
  if (splice === undefined || splices.length > 1 || tailAt(facts.id, facts.seq) === undefined) return false;
  const isSmall = splice.to - splice.from <= MOST_CHARS && countChars(splice.insert) <= MOST_CHARS;
  return (
    isSmall &&
    (facts.origin === "agent" || facts.origin === "remote") &&
    Object.keys(facts).every((fact) => PLAIN.has(fact))
  );
}

/** Returns true if an edit is made in, or at the edge of, the text that the edit before it left. */
function touches(last: ChangeRecord, next: ChangeRecord): boolean {
  const { from, insert } = last.splices[0]!;
  const splice = next.splices[0]!;
  return splice.from <= from + countChars(insert) && splice.to >= from;
}

/** Returns false for edits that leave the text as it was: one entry of them could not be undone. */
function hasEffect(run: readonly ChangeRecord[]): boolean {
  return run.length === 1 || composeAll(run.map(({ splices }) => splices)).length > 0;
}
