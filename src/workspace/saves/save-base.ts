import { diff } from "../../text/diff/diff.ts";
import { type Merge, merge } from "../../text/merge/merge.ts";
import { invert, type Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { FileText } from "../versions/file-text.ts";
import type { VersionHistory } from "../versions/version-history.ts";
import { duplicatesText } from "./duplicated-text.ts";
import { editSize, insertedRanges, joined, type Range, sharedLength, touches } from "./ranges.ts";
import { type SaveEvidence, textOf } from "./save-evidence.ts";
import { SEEN_SHARE, type UnseenStep } from "./unseen-steps.ts";
import { quotedShareIn } from "./words.ts";

/** A version that a save may have been made from. */
interface EarlierVersion {
  readonly text: Text;
  /** The first step after the version. */
  readonly next: UnseenStep;
}

/** The version that a save was made from, as far as the texts show. */
export interface SaveBase extends EarlierVersion {
  /** The newer edits merged with the save; undefined if the save may have been made from another version. */
  readonly merge: Merge | undefined;
}

/** The earlier version that a save differs least from. */
interface NearestVersion extends EarlierVersion {
  /** The edits that turn the version into the save. */
  readonly own: readonly Splice[];
}

/** The most characters that all comparisons of one save read; a large document is compared with fewer versions (I14). */
const MOST_CHARS = 32_000_000;
/** The characters beside a newer edit that are its context. */
const CONTEXT = 32;
/** An earlier version is certainly the base if the save is nearer to it by this share of the newer edits. */
const NEARER_SHARE = 0.5;

/** Returns the version before each step, newest first, as far back as MOST_CHARS allows. */
export function earlierVersions(
  steps: readonly UnseenStep[],
  known: Text,
  saved: Text,
): readonly EarlierVersion[] {
  const versions: EarlierVersion[] = [];
  let left = MOST_CHARS;
  let text = known;
  for (const next of steps.toReversed()) {
    text = text.splice(invert(next.splices, next.removed));
    left -= text.utf16 + saved.utf16;
    if (left < 0) break;
    versions.push({ text, next });
  }
  return versions;
}

/**
 * Returns the earlier version that a save was made from. Returns undefined if the save is nearest to `known`, the
 * newest text of the file, or contains enough of the newer edits. `changes` turn `known` into `saved`.
 */
export function findBase(
  versions: readonly EarlierVersion[],
  known: Text,
  saved: Text,
  changes: readonly Splice[],
): SaveBase | undefined {
  const nearest = nearestVersion(versions, saved, changes);
  if (nearest === undefined) return undefined;
  const { text, next, own } = nearest;
  const [base, newest, save] = [text.toString(), known.toString(), saved.toString()] as const;
  const newer = diff(base, newest);
  if (isShown(newer, own, changes)) return undefined;
  const shareOf = quotedShareIn(save);
  const isQuoted = (edits: readonly Splice[], before: string) => (shareOf(edits, before) ?? 0) > SEEN_SHARE;
  const isCertain =
    editSize(changes) - editSize(own) >= NEARER_SHARE * editSize(newer) &&
    own.some(({ insert }) => insert !== "") &&
    !isQuoted(newer, base) &&
    retainsContext(newer, own, text.chars);
  if (!isCertain) {
    // The author of a save has seen the step that it quotes, and all earlier ones: only later versions can be its base.
    const seen = versions.findIndex(({ text, next }) => isQuoted(next.splices, text.toString()));
    const later = seen > 0 ? findBase(versions.slice(0, seen), known, saved, changes) : undefined;
    return later ?? { text, next, merge: undefined };
  }
  const merged = merge(base, newest, save);
  const isDoubtful = merged.conflicts.length > 0 || duplicatesText(own, newer, merged.text, [newest, save]);
  return { text, next, merge: isDoubtful ? undefined : merged };
}

/**
 * Returns the text of the evidence that the save differs least from, and of equally near ones the oldest. It compares as
 * many of the oldest ones as MOST_CHARS allows.
 */
export function nearestNamed(
  versions: VersionHistory,
  { text, instead = [] }: SaveEvidence,
  saved: Text,
): FileText {
  const most = Math.ceil(MOST_CHARS / (2 * saved.utf16 + 1));
  let [nearest, distance] = [text, Number.POSITIVE_INFINITY];
  for (const named of instead.length === 0 ? [] : [...instead.slice(0, most), text]) {
    const base = textOf(versions, named);
    const size = base === undefined ? distance : editSize(diff(base.toString(), saved.toString()));
    if (size < distance) [nearest, distance] = [named, size];
  }
  return nearest;
}

/** True when a save shows that its author had seen the newer edits. See `seenShare`. */
export function isShown(
  newer: readonly Splice[],
  own: readonly Splice[],
  changes: readonly Splice[],
): boolean {
  return seenShare(newer, own, changes) > SEEN_SHARE;
}

/**
 * True when a save left most of the base around the newer edits, and at least half of the whole base. Otherwise its
 * author rewrote the text, so that the newer edits have no place in it. `chars` is the length of the base.
 */
function retainsContext(newer: readonly Splice[], own: readonly Splice[], chars: number): boolean {
  const removed = own.filter(({ from, to }) => to > from);
  const size = (ranges: readonly Range[]) => ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  const contexts = joined(
    newer.flatMap(({ from, to }) => [
      { from: Math.max(0, from - CONTEXT), to: from },
      { from: to, to: Math.min(chars, to + CONTEXT) },
    ]),
  );
  return sharedLength(contexts, removed) * 2 <= size(contexts) && size(removed) * 2 <= chars;
}

/** Returns the version that the save differs least from; undefined if the save is nearer to the newest text. */
function nearestVersion(
  versions: readonly EarlierVersion[],
  saved: Text,
  changes: readonly Splice[],
): NearestVersion | undefined {
  const text = saved.toString();
  let nearest: NearestVersion | undefined;
  let distance = editSize(changes);
  for (const version of versions) {
    const own = diff(version.text.toString(), text);
    // Of two equally near versions the older one wins: a merge from it preserves more edits.
    if (editSize(own) > distance) continue;
    nearest = { ...version, own };
    distance = editSize(own);
  }
  return nearest;
}

/**
 * Returns the share of the newer edits that the save contains, compared by position. The save contains two things:
 *
 * - text that the newer edits inserted and the save retains; `changes` turn the newest text into the save,
 * - removals that the save does not restore; `own` turn the base into the save.
 *
 * This ignores newer edits that no own edit touches: there the save has the base's text, even if it reads alike. For
 * example, "and macOS" became "macOS and BSD", and both contain "and". Where the save has its own words in place of
 * removed ones, it shows nothing either.
 */
function seenShare(newer: readonly Splice[], own: readonly Splice[], changes: readonly Splice[]): number {
  const isTouched = (edit: Range) => own.some((ownEdit) => touches(ownEdit, edit));
  const touched = newer.filter(isTouched);
  const inserted = insertedRanges(newer).filter((_, i) => isTouched(newer[i]!));
  const insertedSize = inserted.reduce((sum, { from, to }) => sum + to - from, 0);
  const retained = insertedSize - sharedLength(inserted, changes);
  const deletions = own.filter(({ insert }) => insert === "");
  return (retained + sharedLength(touched, deletions)) / editSize(newer);
}
