import type { Seq, UpgradeStep } from "../../store/store.ts";
import { isSave, RESCUER } from "../access/actor.ts";
import type { VersionHistory } from "../versions/version-history.ts";

/** A step from one version to the next that the author of a save may not have seen. */
export interface UnseenStep extends UpgradeStep {
  /** The change that made the version before the step. */
  readonly from: Seq;
  /** The names of the step's authors. */
  readonly authors: readonly string[];
}

/** If a save contains more than this share of a step's text, its author has seen the step. */
export const SEEN_SHARE = 0.25;

/** The most steps that a save is checked against. */
const MOST_STEPS = 512;

/**
 * Returns the steps up to the change `newest` that the author of a save may not have seen, oldest first. They begin
 * at the last save or rescue. The edits that the daemon merged into that save (`beside`) are unseen, too: the file
 * did not contain them when its author saved.
 */
export function unseenSteps(versions: VersionHistory, newest: Seq): UnseenStep[] {
  const steps: UnseenStep[] = [];
  for (let seq = newest; steps.length < MOST_STEPS; seq--) {
    const change = versions.change(seq);
    if (change === undefined || change.seq === 0) break;
    if (change.beside) steps.push({ ...change.beside, from: seq });
    if (change.beside || isSave(change) || change.agent === RESCUER.agent) break;
    steps.push({ ...change, from: seq - 1, authors: [change.author] });
  }
  return steps.reverse();
}

/**
 * Returns the change `seq` as a step if it is a rescue that `unseenSteps` does not cover already. The author of the
 * next save may remove rescued edits on purpose, or save the same old buffer again.
 */
export function rescueStep(versions: VersionHistory, seq: Seq): UnseenStep | undefined {
  const change = versions.change(seq);
  if (change?.agent !== RESCUER.agent || change.beside !== undefined) return undefined;
  return { ...change, from: seq - 1, authors: change.lacked?.authors ?? [] };
}
