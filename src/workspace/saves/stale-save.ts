import type { Decoded } from "../../mirror/format.ts";
import type { Beside, Lacked, Seq } from "../../store/store.ts";
import { compose } from "../../text/delta.ts";
import { diff } from "../../text/diff.ts";
import { type Merge, merge } from "../../text/merge.ts";
import { countChars } from "../../text/positions.ts";
import { countsOf, invert, type Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { digestNow } from "../versions/digest.ts";
import { versionOf } from "../versions/version.ts";
import type { VersionHistory } from "../versions/version-history.ts";
import { duplicatesText } from "./duplicated-text.ts";
import { erasedSteps, SEEN } from "./erased-steps.ts";
import { givenBack, type UnseenStep, unseenSteps } from "./unseen-steps.ts";
import { shareQuoted, wordsOf } from "./words.ts";

/** What a save took out that whoever saved need not have seen; one of the two, or both. */
export interface StaleSave {
  /** The save is an older version with something of its own, and lacks all that came after: it is given back. */
  readonly rescue: StaleBase | undefined;
  /** It may as well have been taken out on purpose: there the save stands. */
  readonly superseded: Lacked | undefined;
}

/** An older version of the file that a save was made from. */
export interface StaleBase extends Lacked {
  readonly text: Text;
  /** What came after it, with what the save made of it. */
  readonly merge: Merge;
}

/** A version that a save may have been made from. */
interface Candidate {
  /** What came next. */
  readonly step: UnseenStep;
  readonly text: Text;
}

/** The version that a save is nearest to, and what the save changes of it. */
interface Nearest extends Candidate {
  readonly own: readonly Splice[];
}

/** Where a save comes from, as far as the texts tell. */
interface Origin extends Candidate {
  /** What came after the version merged with the save; undefined where it may be another version. */
  readonly merge: Merge | undefined;
}

type Range = Pick<Splice, "from" | "to">;

/** Characters that the comparisons of one save may read in all; large documents reach less far back (I14). */
const MOST_CHARS = 32_000_000;
/** A save comes for sure from a version that it is nearer to by this share of what came after that. */
const NEARER = 0.5;

/**
 * What a save of the file undoes of others' edits, without its author having seen them as far as the texts tell (I6);
 * undefined for a save that is to be taken as it is. A save equal to any earlier version is a deliberate return to
 * it. `newest` is the change that the file last held, `known` its text, `saved` the text of the save.
 */
export function staleSave(
  past: VersionHistory,
  newest: Seq,
  known: Text,
  { bom, text: saved }: Decoded,
): StaleSave | undefined {
  const since = unseenSteps(past, newest);
  const back = givenBack(past, since[0]?.from ?? newest);
  const doubtful = back === undefined ? since : [back, ...since];
  if (doubtful.length === 0) return undefined;
  const changes = diff(known.toString(), saved.toString());
  if (!undoes(changes, doubtful) || !past.textAt(newest)?.equals(known)) return undefined;
  const sha256 = digestNow({ bom, text: saved });
  if (sha256 !== undefined && past.findHash(sha256) !== undefined) return undefined;
  const versions = versionsBefore(since, known, saved);
  if (versions.some(({ text }) => text.equals(saved))) return undefined;
  const origin = originOf(versions, known, saved, changes);
  const lacked = origin === undefined ? [] : since.slice(since.indexOf(origin.step));
  const gone = erasedSteps(doubtful, known, saved, changes).filter((step) => !lacked.includes(step));
  const base = origin?.merge && lackedOf(past, lacked);
  const superseded = lackedOf(past, base === undefined ? [...gone, ...lacked] : gone);
  if (origin?.merge && base)
    return { rescue: { ...base, text: origin.text, merge: origin.merge }, superseded };
  return superseded && { rescue: undefined, superseded };
}

/** The versions that came before each step, newest first, as many as may be compared with a save. */
function versionsBefore(since: readonly UnseenStep[], known: Text, saved: Text): readonly Candidate[] {
  const versions: Candidate[] = [];
  let left = MOST_CHARS;
  let text = known;
  for (const step of since.toReversed()) {
    text = text.splice(invert(step.splices, step.removed));
    left -= text.utf16 + saved.utf16;
    if (left < 0) break;
    versions.push({ step, text });
  }
  return versions;
}

/** The version that the save differs least from, if from none less than from the newest (by `changes`). */
function nearestOf(
  versions: readonly Candidate[],
  saved: Text,
  changes: readonly Splice[],
): Nearest | undefined {
  const text = saved.toString();
  let nearest: Nearest | undefined;
  let distance = size(changes);
  for (const version of versions) {
    const own = diff(version.text.toString(), text);
    // Of two that explain the save equally well, from the older one more is kept.
    if (size(own) > distance) continue;
    nearest = { ...version, own };
    distance = size(own);
  }
  return nearest;
}

/**
 * The version that a save was made from, if that is an older one. It is for sure where the save is much nearer to it,
 * has something of its own, and quotes nothing of what came after.
 */
function originOf(
  versions: readonly Candidate[],
  known: Text,
  saved: Text,
  changes: readonly Splice[],
): Origin | undefined {
  const nearest = nearestOf(versions, saved, changes);
  if (nearest === undefined) return undefined;
  const { own } = nearest;
  const [base, newest, save] = [nearest.text.toString(), known.toString(), saved.toString()] as const;
  const came = diff(base, newest);
  if (shareSeen(came, own, changes) > SEEN) return undefined;
  const old = new Set(wordsOf(base));
  const put = came.flatMap(({ insert }) => wordsOf(insert)).filter((word) => !old.has(word));
  const sure =
    size(changes) - size(own) >= NEARER * size(came) &&
    own.some(({ insert }) => insert !== "") &&
    (shareQuoted(put, new Set(wordsOf(save))) ?? 0) <= SEEN;
  const merged = sure ? merge(base, newest, save) : undefined;
  const doubled = merged && duplicatesText(own, came, merged.text, [newest, save]);
  return { ...nearest, merge: doubled ? undefined : merged };
}

/** What is lacked of some steps, since the version before the first of them; undefined for none. */
function lackedOf(past: VersionHistory, steps: readonly UnseenStep[]): Lacked | undefined {
  const change = steps[0] && past.change(steps[0].from);
  const authors = new Set(steps.flatMap(({ authors }) => authors));
  return change && { base: versionOf(change), authors: [...authors] };
}

/** What a save was merged with; nothing when that made no difference. */
export function mergedUnseen(
  saved: Text,
  merged: Text,
  authors: readonly string[],
): { readonly beside?: Beside } {
  if (merged.equals(saved)) return {};
  const splices = diff(saved.toString(), merged.toString());
  return { beside: { splices, removed: saved.removed(splices), authors } };
}

/** True when a save touches what those changes put in, or where they took something out. */
function undoes(saved: readonly Splice[], since: readonly UnseenStep[]): boolean {
  const came = since.reduce<Splice[]>((all, { splices }) => compose(all, splices), []);
  const places = placesOf(came);
  let next = 0;
  return saved.some(({ from, to }) => {
    while (next < places.length && places[next]!.to < from) next++;
    return next < places.length && places[next]!.from <= to;
  });
}

/**
 * How much of what came after a version is in a save: what was put in and is still there (`changes` are those of
 * the save to the newest text), and what was taken out and is not back (`own` are those to that version).
 * Where the save has words of its own in its place, that tells nothing. Where it has that version's text, nothing of
 * it is there, though it may read alike: "and macOS" became "macOS and BSD", and has an "and" still.
 */
function shareSeen(came: readonly Splice[], own: readonly Splice[], changes: readonly Splice[]): number {
  const isTouched = ({ from, to }: Range) => own.some((ours) => ours.from <= to && ours.to >= from);
  const touched = came.filter(isTouched);
  const places = placesOf(came).filter((_, i) => isTouched(came[i]!));
  const put = places.reduce((sum, { from, to }) => sum + to - from, 0);
  const stillThere = put - common(places, changes);
  const notBack = common(
    touched,
    own.filter(({ insert }) => insert === ""),
  );
  return (stillThere + notBack) / size(came);
}

/** Where the splices' inserts are in the text that they make. */
function placesOf(splices: readonly Splice[]): readonly Range[] {
  let shift = 0;
  return splices.map(({ from, to, insert }) => {
    const start = from + shift;
    const end = start + countChars(insert);
    shift += end - start - (to - from);
    return { from: start, to: end };
  });
}

/** How many positions two ascending lists of ranges share. */
function common(a: readonly Range[], b: readonly Range[]): number {
  let sum = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    sum += Math.max(0, Math.min(a[i]!.to, b[j]!.to) - Math.max(a[i]!.from, b[j]!.from));
    if (a[i]!.to < b[j]!.to) i++;
    else j++;
  }
  return sum;
}

/** Code points taken out and put in. */
function size(splices: readonly Splice[]): number {
  const { added, removed } = countsOf(splices);
  return added + removed;
}
