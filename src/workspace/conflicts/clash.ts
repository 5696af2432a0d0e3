import { mapPosition, type Overlap, rebase } from "../../text/delta.ts";
import { countChars } from "../../text/positions.ts";
import { normalize, type Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";

/** A stretch of a text that an edit and the changes since its base rewrote differently. */
export interface Clash {
  /** The edit's own splices in it, in base positions. */
  readonly own: readonly Splice[];
  /** The range of the stretch in the newest text. */
  readonly now: { readonly from: number; readonly to: number };
  readonly saved: string;
  /** The text of the stretch after the edit alone. */
  readonly wanted: string;
}

/** Returns the clashes of an edit; overlaps that touch become one clash. */
export function clashesOf(
  base: Text,
  newest: Text,
  own: readonly Splice[],
  since: readonly Splice[],
  overlaps: readonly Overlap[],
): Clash[] {
  const hulls: { from: number; to: number }[] = [];
  const spans = overlaps
    .map(({ ours, theirs }) => ({ from: Math.min(ours.from, theirs.from), to: Math.max(ours.to, theirs.to) }))
    .sort((a, b) => a.from - b.from);
  for (const span of spans) {
    const last = hulls.at(-1);
    if (last === undefined || span.from > last.to) hulls.push(span);
    else last.to = Math.max(last.to, span.to);
  }
  return hulls.map(({ from, to }) => {
    const inside = own.filter((splice) => splice.from >= from && splice.to <= to);
    const now = { from: mapPosition(from, since, "before"), to: mapPosition(to, since, "after") };
    const before = base.slice(from, to);
    return { own: inside, now, saved: newest.slice(now.from, now.to), wanted: applied(before, inside, from) };
  });
}

/**
 * Returns the splices of the newest text that preserve one side of each clash and merge all other text. `losing` are
 * the splices of the result that would preserve the other side.
 */
export function settledFor(
  side: "disk" | "agent",
  own: readonly Splice[],
  since: readonly Splice[],
  clashes: readonly Clash[],
): { readonly splices: readonly Splice[]; readonly losing: readonly Splice[] } {
  const clashing = new Set(clashes.flatMap((clash) => clash.own));
  const rest = rebase(
    own.filter((splice) => !clashing.has(splice)),
    since,
  ).splices;
  const places = clashes.map(({ now }) => carried(now, rest));
  if (side === "disk")
    return { splices: rest, losing: clashes.map(({ wanted }, i) => ({ ...places[i]!, insert: wanted })) };
  const swaps = clashes.map(({ now, wanted }) => ({ ...now, insert: wanted }));
  let shift = 0;
  const losing = clashes.map(({ wanted, saved }, i) => {
    const from = places[i]!.from + shift;
    const size = countChars(wanted);
    shift += size - (places[i]!.to - places[i]!.from);
    return { from, to: from + size, insert: saved };
  });
  return { splices: normalize([...rest, ...swaps].sort((a, b) => a.from - b.from || a.to - b.to)), losing };
}

/** Returns a range after splices outside it; inserts at its edges stay outside. */
function carried({ from, to }: Clash["now"], splices: readonly Splice[]): Clash["now"] {
  const before = splices.filter((splice) => splice.to <= from);
  const shift = before.reduce(
    (sum, splice) => sum + countChars(splice.insert) - (splice.to - splice.from),
    0,
  );
  return { from: from + shift, to: to + shift };
}

/** Returns the piece of a text that begins at `start`, after splices in the whole text's positions. */
function applied(piece: string, splices: readonly Splice[], start: number): string {
  const chars = Array.from(piece);
  for (const { from, to, insert } of splices.toReversed()) chars.splice(from - start, to - from, insert);
  return chars.join("");
}
