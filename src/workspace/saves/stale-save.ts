import type { Decoded } from "../../mirror/format.ts";
import type { Beside, Lacked } from "../../store/store.ts";
import { composeAll } from "../../text/delta.ts";
import { diff } from "../../text/diff/diff.ts";
import { type Merge, merge } from "../../text/merge/merge.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { isSave } from "../access/actor.ts";
import { digestNow } from "../versions/digest.ts";
import type { FileText } from "../versions/file-text.ts";
import { versionOf } from "../versions/version.ts";
import type { VersionHistory } from "../versions/version-history.ts";
import { duplicatesText, quotesText } from "./duplicated-text.ts";
import { erasedSteps } from "./erased-steps.ts";
import { anyTouches, insertedRanges, onlyAdds } from "./ranges.ts";
import { returnedText } from "./returned-text.ts";
import { earlierVersions, findBase, isShown, nearestNamed, type SaveBase } from "./save-base.ts";
import { type SaveEvidence, textOf } from "./save-evidence.ts";
import { rescueStep, type Saver, stepsBetween, type UnseenStep, unseenSteps } from "./unseen-steps.ts";
import { hasNewLines } from "./words.ts";

/** A save of the file, with the known facts about it. */
export interface JudgedSave {
  readonly versions: VersionHistory;
  /** The text that the file held before, and which of the document's texts that is. */
  readonly known: Text;
  readonly held: FileText;
  readonly content: Decoded;
  readonly saver: Saver;
  /** The first that speaks decides. */
  readonly evidence: readonly SaveEvidence[];
}

/** The edits that a stale save undoes; at least one of the two fields is set. */
export interface StaleSave {
  /** The certain base of the save. The daemon rescues all edits that were made after it. */
  readonly rescue: StaleBase | undefined;
  /** Edits that the author may have removed on purpose. They remain removed, and the daemon reports them. */
  readonly superseded: Lacked | undefined;
}

/** The base of a stale save, and the authors of the edits that the save lacks. */
export interface StaleBase extends Lacked {
  readonly text: Text;
  /** The merge of the save into the text that the file held. */
  readonly merge: Merge;
}

/** The result of a judgement by evidence: `fresh` if the author had seen the file's whole text. */
type Verdict = StaleSave | "fresh" | "unsure";

/**
 * Returns the edits of others that a save of the file undoes although its author may not have seen them (I6). It is
 * undefined if there is none to rescue or report.
 *
 *     base ─── newer edits ───► known   the text that the file held
 *       └────── own edits ────► saved   the text of the save
 *
 * 1. Where evidence names the base, the daemon rescues all edits after it.
 * 2. Otherwise the texts decide. The save is stale only if it touches an edit that its author may not have seen.
 * 3. If the texts show for certain that the save was made from an earlier version, the daemon rescues all later edits.
 * 4. If that is uncertain, or the save equals an earlier version, the edits remain removed, and the daemon reports them.
 * 5. An edit of which the save left at most a quarter is reported, too, unless the save shows that its author had seen it.
 */
export function staleSave(save: JudgedSave): StaleSave | undefined {
  if (!textOf(save.versions, save.held)?.equals(save.known)) return undefined;
  for (const evidence of save.evidence) {
    const verdict = judgeByEvidence(save, evidence);
    if (verdict !== "unsure") return verdict === "fresh" ? undefined : verdict;
  }
  return judgeByTexts(save) ?? judgeReturn(save);
}

function judgeByEvidence(save: JudgedSave, evidence: SaveEvidence): Verdict {
  const { by, isBound = false, isUnclear = false } = evidence;
  const { versions, known, held, content, saver } = save;
  const named = nearestNamed(versions, evidence, content.text);
  const text = textOf(versions, named);
  const newer = stepsBetween(versions, named, held);
  if (text === undefined) return "unsure";
  if (newer.length === 0) return by === "claim" ? "fresh" : "unsure";
  const changes = diff(known.toString(), content.text.toString());
  if (!touchSteps(changes, newer)) return "unsure";

  // The texts may show that the base is older than a bound.
  const before = isBound ? unseenSteps(versions, named, saver) : [];
  const doubtful = isBound ? withRescue(versions, named, before) : [];
  const own = diff(text.toString(), content.text.toString());
  const older =
    savedAgain(doubtful, before, text, content.text, own) ??
    findBase(earlierVersions(before, text, content.text), text, content.text, own);
  const base = older?.merge === undefined ? { text, steps: newer } : olderBase(older, doubtful, newer);
  const ownEdits = base.text === text ? own : diff(base.text.toString(), content.text.toString());
  const newerEdits = diff(base.text.toString(), known.toString());
  if (isUnclear && !onlyAdds(ownEdits)) return "unsure";
  // An editor may have the file open while another program saves it.
  if (by === "editor" && isShown(newerEdits, ownEdits, changes)) return "unsure";
  // The author may have seen the edits elsewhere, such as in an answer of the daemon.
  if (quotesText(ownEdits, newerEdits)) return "unsure";
  const [from, newest, saved] = [base.text.toString(), known.toString(), content.text.toString()] as const;
  if (hasNewLines(saved, newest, from)) return "unsure";
  const merged = merge(from, newest, saved);
  if (duplicatesText(ownEdits, newerEdits, merged.text, [newest, saved])) return "unsure";
  const lacked = lackedEdits(versions, base.steps, by);
  if (lacked === undefined || merged.text === saved) return "unsure";
  const isLeft = (step: UnseenStep) => !isAmong(step, base.steps);
  const returned = returnedSteps(save).filter(isLeft);
  const left = doubtful.filter(isLeft);
  const removed = returned.length > 0 ? returned : erasedSteps(left, text, content.text, own);
  return {
    rescue: { ...lacked, text: base.text, merge: merged },
    superseded: lackedEdits(versions, removed, "texts"),
  };
}

/** Returns an older base than the evidence names, and all steps after it. */
function olderBase(
  { text, next }: { readonly text: Text; readonly next: UnseenStep },
  before: readonly UnseenStep[],
  newer: readonly UnseenStep[],
): { readonly text: Text; readonly steps: readonly UnseenStep[] } {
  return { text, steps: [...before.slice(before.indexOf(next)), ...newer] };
}

/**
 * Returns the text before a rescue as the base of a save that lacks the rescued edits and newer ones, too, if the texts
 * show this for certain: an author who had read the rescue would not have written the old text again. `doubtful` are
 * the `unseen` steps after the rescue, if there is one. `changes` turn `known` into `saved`.
 */
function savedAgain(
  doubtful: readonly UnseenStep[],
  unseen: readonly UnseenStep[],
  known: Text,
  saved: Text,
  changes: readonly Splice[],
): SaveBase | undefined {
  if (doubtful.length === unseen.length) return undefined;
  const base = findBase(earlierVersions(doubtful, known, saved), known, saved, changes);
  return base?.merge !== undefined && base.next === doubtful[0] ? base : undefined;
}

function judgeByTexts(save: JudgedSave): StaleSave | undefined {
  const { versions, known, held, saver } = save;
  const { bom, text: saved } = save.content;
  const unseen = unseenSteps(versions, held, saver);
  const doubtful = withRescue(versions, held, unseen);
  if (doubtful.length === 0) return undefined;
  const changes = diff(known.toString(), saved.toString());
  if (!touchSteps(changes, doubtful)) return undefined;
  const earlier = earlierVersions(unseen, known, saved);
  const sha256 = digestNow({ bom, text: saved });
  const isReturn =
    earlier.some(({ text }) => text.equals(saved)) ||
    (sha256 !== undefined && versions.findHash(sha256) !== undefined);

  const again =
    unseen.length > 0 && touchSteps(changes, unseen)
      ? savedAgain(doubtful, unseen, known, saved, changes)
      : undefined;
  const base = isReturn ? undefined : (again ?? findBase(earlier, known, saved, changes));
  const newer = base === undefined ? [] : doubtful.slice(doubtful.indexOf(base.next));
  const erased = erasedSteps(doubtful, known, saved, changes).filter((step) => !newer.includes(step));
  const lacked = base?.merge && lackedEdits(versions, newer, "texts");
  const rescued = lacked === undefined ? [] : newer;
  const removed = lacked === undefined ? [...erased, ...newer] : erased;
  // A return removes also edits that its author had seen.
  const returned = returnedSteps(save).filter((step) => !isAmong(step, [...rescued, ...removed]));
  const superseded = lackedEdits(versions, inOrder([...returned, ...removed]), "texts");
  if (base?.merge && lacked) return { rescue: { ...lacked, text: base.text, merge: base.merge }, superseded };
  return superseded && { rescue: undefined, superseded };
}

/** Reports the edits of others that a save removed by a return to an earlier text (I6b). */
function judgeReturn(save: JudgedSave): StaleSave | undefined {
  const superseded = lackedEdits(save.versions, returnedSteps(save), "texts");
  return superseded && { rescue: undefined, superseded };
}

/**
 * Returns the edits of others that a save removed by a return to an earlier text, whether or not its author had seen
 * them; none for any other save.
 */
function returnedSteps({ versions, known, held, content }: JudgedSave): readonly UnseenStep[] {
  const merged = versions.textAt(held.seq);
  if (merged === undefined || addsLines(merged, content.text)) return [];
  const earlier = returnedText(versions, held, content);
  if (earlier === undefined) return [];
  const steps = stepsBetween(versions, earlier, { ...held, isAlone: false });
  const erasedFrom = (text: Text) =>
    erasedSteps(steps, merged, text, diff(merged.toString(), text.toString()));
  // The file did not hold the edits that were merged beside its last save.
  const absent = held.isAlone ? erasedFrom(known) : [];
  return erasedFrom(content.text).filter((step) => !absent.includes(step) && !isSaveStep(step));

  /** A step of edits that were merged beside a save is none. */
  function isSaveStep(step: UnseenStep): boolean {
    const change = versions.change(step.from + 1);
    return change !== undefined && step.splices === change.splices && isSave(change);
  }
}

/** Returns the unseen steps up to a text, after the rescue that they begin at, if there is one. */
function withRescue(
  versions: VersionHistory,
  { seq }: FileText,
  unseen: readonly UnseenStep[],
): readonly UnseenStep[] {
  const rescue = rescueStep(versions, unseen[0]?.from ?? seq);
  return rescue === undefined ? unseen : [rescue, ...unseen];
}

function isAmong({ from }: UnseenStep, steps: readonly UnseenStep[]): boolean {
  return steps.some((step) => step.from === from);
}

function inOrder(steps: readonly UnseenStep[]): readonly UnseenStep[] {
  return [...steps].sort((a, b) => a.from - b.from);
}

/** True for a save that has all of a text, and only lines after it: it removed nothing. */
function addsLines(before: Text, saved: Text): boolean {
  const isWhole = before.endsWithBreak && saved.chars > before.chars;
  return isWhole && saved.slice(0, before.chars) === before.toString();
}

/** True when `changes` touch text that the steps inserted, or a place where the steps removed text. */
function touchSteps(changes: readonly Splice[], steps: readonly UnseenStep[]): boolean {
  const all = composeAll(steps.map(({ splices }) => splices));
  return anyTouches(changes, insertedRanges(all));
}

/** Returns the version before some steps and the steps' authors; undefined for no steps. */
function lackedEdits(
  versions: VersionHistory,
  steps: readonly UnseenStep[],
  evidence: Lacked["evidence"],
): Lacked | undefined {
  const base = steps[0] && versions.change(steps[0].from);
  const authors = new Set(steps.flatMap((step) => step.authors));
  return base && { base: versionOf(base), authors: [...authors], evidence };
}

/**
 * Returns the edits that the daemon merged into a save, which the author of the save has not seen. The result is
 * empty if the merge equals the save.
 */
export function mergedUnseen(
  saved: Text,
  merged: Text,
  authors: readonly string[],
): { readonly beside?: Beside } {
  if (merged.equals(saved)) return {};
  const splices = diff(saved.toString(), merged.toString());
  return { beside: { splices, removed: saved.removed(splices), authors } };
}
