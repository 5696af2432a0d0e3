import type { ChangeRecord, Seq, UpgradeStep } from "../../store/store.ts";
import { diff } from "../../text/diff/diff.ts";
import { type Actor, isSave, RESCUER } from "../access/actor.ts";
import type { FileText } from "../versions/file-text.ts";
import type { VersionHistory } from "../versions/version-history.ts";
import { textOf } from "./save-evidence.ts";

/** A step from one version to the next that the author of a save may not have seen. */
export interface UnseenStep extends UpgradeStep {
  /** The change that made the version before the step. */
  readonly from: Seq;
  /** The names of the step's authors. */
  readonly authors: readonly string[];
}

/** The author of a save. */
export type Saver = Pick<Actor, "agent" | "credit">;

/** If a save contains more than this share of a step's text, its author has seen the step. */
export const SEEN_SHARE = 0.25;

/** The most steps that a save is checked against. */
const MOST_STEPS = 512;

/**
 * Returns the steps up to a text of the file that the author of a save may not have seen, oldest first. They begin at
 * the last rescue, or at the last save that may be the same author's. The edits that the daemon merged into that save
 * (`beside`) are unseen, too: the file did not contain them when its author saved.
 */
export function unseenSteps(versions: VersionHistory, newest: FileText, saver: Saver): UnseenStep[] {
  const steps: UnseenStep[] = [];
  for (let { seq } = newest; steps.length < MOST_STEPS; seq--) {
    const change = versions.change(seq);
    if (change === undefined || change.seq === 0) break;
    const isLast = change.agent === RESCUER.agent || (isSave(change) && !isByAnother(change, saver));
    const isAlone = seq === newest.seq && newest.isAlone;
    if (isLast || isAlone) {
      if (change.beside && !isAlone) steps.push({ ...change.beside, from: seq });
      break;
    }
    steps.push({ ...change, from: seq - 1, authors: authorsOf(change) });
  }
  return steps.reverse();
}

/** Returns the steps from one text of the file to a later one, oldest first; at most the newest MOST_STEPS. */
export function stepsBetween(versions: VersionHistory, first: FileText, last: FileText): UnseenStep[] {
  const steps: UnseenStep[] = [];
  for (let { seq } = last; seq > first.seq && steps.length < MOST_STEPS; seq--) {
    const change = versions.change(seq);
    if (change === undefined) break;
    steps.push({ ...change, from: seq - 1, authors: authorsOf(change) });
  }
  const beside = first.isAlone && !(last.isAlone && last.seq === first.seq);
  const merged = beside ? versions.change(first.seq)?.beside : undefined;
  if (merged !== undefined) steps.push({ ...merged, from: first.seq });
  return steps.reverse();
}

/**
 * Returns the change `seq` as a step if it is a rescue: from the text of the save alone to that text with the rescued
 * edits. The edits that the file did not hold are a step of `unseenSteps`. The author of the next save may remove
 * rescued edits on purpose, or save the same old buffer again.
 */
export function rescueStep(versions: VersionHistory, seq: Seq): UnseenStep | undefined {
  const change = versions.change(seq);
  if (change?.agent !== RESCUER.agent) return undefined;
  const authors = authorsOf(change);
  if (change.beside === undefined) return { ...change, from: seq - 1, authors };
  const [save, rescued] = [seq - 1, seq].map((at) => textOf(versions, { seq: at, isAlone: true }));
  if (save === undefined || rescued === undefined) return undefined;
  const splices = diff(save.toString(), rescued.toString());
  return { ...change, splices, removed: save.removed(splices), from: seq - 1, authors };
}

/** Returns the authors of a change's text; a rescue has the text of those whose edits it returned. */
function authorsOf({ agent, author, lacked }: ChangeRecord): readonly string[] {
  return agent === RESCUER.agent && lacked !== undefined ? lacked.authors : [author];
}

/** Returns true for a save that certainly has another author: a claim names the author of one of both. */
function isByAnother(
  { agent, certainty }: { readonly agent: string; readonly certainty?: unknown },
  saver: Saver,
): boolean {
  const isSure = certainty === "sure" || saver.credit?.certainty === "sure";
  return isSure && certainty !== "likely" && saver.credit?.certainty !== "likely" && agent !== saver.agent;
}
