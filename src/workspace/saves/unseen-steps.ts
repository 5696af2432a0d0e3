import type { Seq, UpgradeStep } from "../../store/store.ts";
import { DISK, RESCUER } from "../access/actor.ts";
import type { VersionHistory } from "../versions/version-history.ts";

/** A step to the next version, which whoever saved the file last need not have seen. */
export interface UnseenStep extends UpgradeStep {
  /** The change that made the version before. */
  readonly from: Seq;
  readonly authors: readonly string[];
}

/** How many versions back a stale buffer is looked for. */
const REACH = 512;

/**
 * What the last save was merged with, if that is what made a version. Whoever saves again without it may have taken
 * it out on purpose, or from the same buffer as before: the save stands, and what it took out is told.
 */
export function givenBack(past: VersionHistory, seq: Seq): UnseenStep | undefined {
  const change = past.change(seq);
  if (change?.agent !== RESCUER.agent || change.beside !== undefined) return undefined;
  return { ...change, from: seq - 1, authors: change.lacked?.authors ?? [] };
}

/**
 * What was done up to `newest` that whoever saved the file last need not have seen, oldest first. What a save was
 * merged with, because the file did not hold it yet, its author has not seen.
 */
export function unseenSteps(past: VersionHistory, newest: Seq): UnseenStep[] {
  const steps: UnseenStep[] = [];
  for (let seq = newest; steps.length < REACH; seq--) {
    const change = past.change(seq);
    if (change === undefined || change.seq === 0) break;
    if (change.beside) steps.push({ ...change.beside, from: seq });
    if (change.beside || change.agent === DISK.agent || change.agent === RESCUER.agent) break;
    steps.push({ ...change, from: seq - 1, authors: [change.author] });
  }
  return steps.reverse();
}
