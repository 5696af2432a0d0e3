import type { Decoded } from "../mirror/format.ts";
import type { Beside, ChangeRecord, Lacked, Seq, Step } from "../store/store.ts";
import { compose } from "../text/delta.ts";
import { diff } from "../text/diff.ts";
import { countChars } from "../text/positions.ts";
import { countsOf, invert, type Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";
import { DISK, RESCUER } from "./actor.ts";
import { digestNow } from "./digest.ts";
import type { Past } from "./past.ts";
import { versionOf } from "./version.ts";

/** An older version of the file that a save was made from. */
export interface StaleBase {
  readonly change: ChangeRecord;
  readonly text: Text;
  /** Whose edits since then the save lacks, by name. */
  readonly authors: readonly string[];
  /**
   * `sure`: the save is that version with something of its own, and lacks all that came after. `open`: it may as
   * well be the newest version with others' edits taken out on purpose, and it stands.
   */
  readonly verdict: "sure" | "open";
}

/** A step to the next version. */
interface Since extends Step {
  /** The change that made the version before. */
  readonly from: Seq;
  readonly authors: readonly string[];
}

type Range = Pick<Splice, "from" | "to">;

/** How many versions back a stale buffer is looked for. */
const REACH = 64;
/** Characters that the comparisons of one save may read in all; large documents reach less far back (I14). */
const MOST_CHARS = 32_000_000;
/** More than this share of what came after a version, found in a save, shows that its author has seen it. */
const SEEN = 0.25;
/** Words long enough to be told from one another. */
const WORDS = /[\p{L}\p{N}_]{4,}/gu;
/** A save comes for sure from a version that it is nearer to by this share of what came after that. */
const NEARER = 0.5;

/**
 * The version that a save of the file was made from, when that is an older one than the file last held (I6).
 * Only the texts are judged: of the versions since the last save or rescue, whose authors have seen what was
 * there then, the one that the save differs least from. What that save was merged with, because the file did not
 * hold it yet, its author has not seen. A save equal to any earlier version is a deliberate return to it and stands.
 *
 * `newest` is the change that the file last held, `known` its text, `saved` the text of the save.
 */
export function staleBase(
  past: Past,
  newest: Seq,
  known: Text,
  { bom, text: saved }: Decoded,
): StaleBase | undefined {
  const since = unseen(past, newest);
  if (since.length === 0 || saved.chars === 0) return undefined;
  const text = saved.toString();
  const changes = diff(known.toString(), text);
  if (!undoes(changes, since) || !past.textAt(newest)?.equals(known)) return undefined;
  const sha256 = digestNow({ bom, text: saved });
  if (sha256 !== undefined && past.findHash(sha256) !== undefined) return undefined;
  const distance = size(changes);
  let nearest: { readonly step: Since; readonly text: Text; readonly own: readonly Splice[] } | undefined;
  let left = MOST_CHARS;
  let version = known;
  for (const step of since.toReversed()) {
    version = version.splice(invert(step.splices, step.removed));
    left -= version.utf16 + saved.utf16;
    if (left < 0) break;
    if (version.equals(saved)) return undefined;
    const own = diff(version.toString(), text);
    // Of two that explain the save equally well, from the older one more is kept.
    if (size(own) <= (nearest ? size(nearest.own) : distance)) nearest = { step, text: version, own };
  }
  const change = nearest && past.change(nearest.step.from);
  if (nearest === undefined || change === undefined) return undefined;
  const came = diff(nearest.text.toString(), known.toString());
  if (shareSeen(came, nearest.own, changes) > SEEN) return undefined;
  const nearer = distance - size(nearest.own);
  const sure =
    nearer >= NEARER * size(came) &&
    nearest.own.some(({ insert }) => insert !== "") &&
    shareQuoted(came, nearest.text.toString(), text) <= SEEN;
  const authors = new Set(since.slice(since.indexOf(nearest.step)).flatMap(({ authors }) => authors));
  return {
    change,
    text: nearest.text,
    authors: [...authors],
    verdict: sure ? "sure" : "open",
  };
}

/** What a save that was made from an older version lacked. */
export function lackedBy({ change, authors }: StaleBase): Lacked {
  return { base: versionOf(change), authors };
}

/** What a save was merged with; nothing when that made no difference. */
export function besideOf(
  saved: Text,
  merged: Text,
  authors: readonly string[],
): { readonly beside?: Beside } {
  if (merged.equals(saved)) return {};
  const splices = diff(saved.toString(), merged.toString());
  return { beside: { splices, removed: saved.removed(splices), authors } };
}

/** What was done up to `newest` that whoever saved the file last need not have seen, oldest first. */
function unseen(past: Past, newest: Seq): Since[] {
  const steps: Since[] = [];
  for (let seq = newest; steps.length < REACH; seq--) {
    const change = past.change(seq);
    if (change === undefined || change.seq === 0) break;
    if (change.beside) steps.push({ ...change.beside, from: seq });
    if (change.beside || change.agent === DISK.agent || change.agent === RESCUER.agent) break;
    steps.push({ ...change, from: seq - 1, authors: [change.author] });
  }
  return steps.reverse();
}

/** True when a save touches what those changes put in, or where they took something out. */
function undoes(saved: readonly Splice[], since: readonly Since[]): boolean {
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
 * Where the save has words of its own in its place, that tells nothing.
 */
function shareSeen(came: readonly Splice[], own: readonly Splice[], changes: readonly Splice[]): number {
  const places = placesOf(came);
  const put = places.reduce((sum, { from, to }) => sum + to - from, 0);
  const stillThere = put - common(places, changes);
  const notBack = common(
    came,
    own.filter(({ insert }) => insert === ""),
  );
  return (stillThere + notBack) / size(came);
}

/** How much of the words that came after a version and are new to it a save has, too, wherever. */
function shareQuoted(came: readonly Splice[], base: string, saved: string): number {
  const known = new Set(base.match(WORDS));
  const put = came.flatMap(({ insert }) => insert.match(WORDS) ?? []).filter((word) => !known.has(word));
  const has = new Set(saved.match(WORDS));
  const quoted = put.filter((word) => has.has(word));
  return put.length === 0 ? 0 : quoted.length / put.length;
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
