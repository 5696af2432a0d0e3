import type { Decoded } from "../../mirror/format.ts";
import type { Beside, Lacked, Seq } from "../../store/store.ts";
import { compose } from "../../text/delta.ts";
import { diff } from "../../text/diff.ts";
import type { Merge } from "../../text/merge.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { digestNow } from "../versions/digest.ts";
import { versionOf } from "../versions/version.ts";
import type { VersionHistory } from "../versions/version-history.ts";
import { erasedSteps } from "./erased-steps.ts";
import { anyTouches, insertedRanges } from "./ranges.ts";
import { earlierVersions, findBase } from "./save-base.ts";
import { rescueStep, type UnseenStep, unseenSteps } from "./unseen-steps.ts";

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

/**
 * Returns the edits of others that a save of the file undoes although its author may not have seen them (I6). It is
 * undefined if there is none to rescue or report.
 *
 *     base ─── newer edits ───► known   the text that the file held, made by the change `newest`
 *       └────── own edits ────► saved   the text of the save
 *
 * 1. The save is stale only if it touches an edit that its author may not have seen.
 * 2. A save equal to an earlier version returns to that version on purpose; it is not stale.
 * 3. If the save was certainly made from an earlier version, the daemon rescues all edits after that version.
 * 4. If that is uncertain, the edits remain removed, and the daemon reports them.
 * 5. An edit of which the save left at most a quarter is reported, too, unless the save shows that its author had seen it.
 */
export function staleSave(
  versions: VersionHistory,
  newest: Seq,
  known: Text,
  { bom, text: saved }: Decoded,
): StaleSave | undefined {
  const unseen = unseenSteps(versions, newest);
  const rescued = rescueStep(versions, unseen[0]?.from ?? newest);
  const doubtful = rescued === undefined ? unseen : [rescued, ...unseen];
  if (doubtful.length === 0) return undefined;
  const changes = diff(known.toString(), saved.toString());
  if (!touchSteps(changes, doubtful) || !versions.textAt(newest)?.equals(known)) return undefined;
  const sha256 = digestNow({ bom, text: saved });
  if (sha256 !== undefined && versions.findHash(sha256) !== undefined) return undefined;
  const earlier = earlierVersions(unseen, known, saved);
  if (earlier.some(({ text }) => text.equals(saved))) return undefined;

  const base = findBase(earlier, known, saved, changes);
  const newer = base === undefined ? [] : unseen.slice(unseen.indexOf(base.next));
  const erased = erasedSteps(doubtful, known, saved, changes).filter((step) => !newer.includes(step));
  const lacked = base?.merge && lackedEdits(versions, newer);
  const superseded = lackedEdits(versions, lacked === undefined ? [...erased, ...newer] : erased);
  if (base?.merge && lacked) return { rescue: { ...lacked, text: base.text, merge: base.merge }, superseded };
  return superseded && { rescue: undefined, superseded };
}

/** True when `changes` touch text that the steps inserted, or a place where the steps removed text. */
function touchSteps(changes: readonly Splice[], steps: readonly UnseenStep[]): boolean {
  const all = steps.reduce<Splice[]>((sum, { splices }) => compose(sum, splices), []);
  return anyTouches(changes, insertedRanges(all));
}

/** Returns the version before some steps and the steps' authors; undefined for no steps. */
function lackedEdits(versions: VersionHistory, steps: readonly UnseenStep[]): Lacked | undefined {
  const base = steps[0] && versions.change(steps[0].from);
  const authors = new Set(steps.flatMap((step) => step.authors));
  return base && { base: versionOf(base), authors: [...authors] };
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
