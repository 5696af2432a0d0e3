import { type Overlap, rebase } from "../delta.ts";
import { growth, normalize, type Splice, spliceKey } from "../splice.ts";
import type { Text } from "../text.ts";
import type { Side, SideEdits } from "./blocks.ts";
import { type Edits, meet, spliceOf } from "./meet.ts";
import { Place, TokenEdges } from "./place.ts";
import { REACH } from "./tokens.ts";

/** Two edits of one base, merged. */
export interface MergedEdits {
  /** The splices that apply ours to the text after theirs. */
  readonly splices: readonly Splice[];
  /** Both edits, in positions of the base. Where they meet, they replace whole tokens. */
  readonly ours: readonly Splice[];
  readonly theirs: readonly Splice[];
  /** Places where both sides changed the same token. The merged text has each side's whole token. */
  readonly overlaps: readonly Overlap[];
  /** Places where the sides changed words beside each other. The merged text has both changes. */
  readonly close: readonly Overlap[];
}

/** Splices of both sides that are on one line and near each other. */
interface Near extends Edits {
  readonly from: number;
  readonly to: number;
}

/**
 * Merges two edits of one base as `rebase` does, and by whole tokens where they meet. No word or number of the result
 * is made of two. Every merge uses this function, so it alone decides which places are close.
 */
export function mergeEdits(base: Text, ours: readonly Splice[], theirs: readonly Splice[]): MergedEdits {
  if (theirs.length === 0) return { splices: normalize(ours), ours, theirs, overlaps: [], close: [] };
  const meetings = nearEdits(base, ours, theirs).map((near) =>
    meet(new Place(base, near.from, near.to), near),
  );
  const met = meetings.flatMap((meeting) => meeting.met);
  const parts = new Set(met.flatMap((block) => block.parts));
  const apart = (splices: readonly Splice[]) => splices.filter((splice) => !parts.has(splice));
  const whole = (side: Side) => met.filter((block) => block.side === side).map(spliceOf);
  const rest = rebase(apart(ours), theirs).splices;
  return {
    splices: normalize(
      inOrder(
        rest,
        meetings.flatMap(({ splices }) => splices),
      ),
    ),
    ours: inOrder(apart(ours), whole("ours")),
    theirs: inOrder(apart(theirs), whole("theirs")),
    overlaps: meetings.flatMap(({ overlaps }) => overlaps),
    close: meetings.flatMap(({ close }) => close),
  };
}

function inOrder(one: readonly Splice[], other: readonly Splice[]): readonly Splice[] {
  return other.length === 0 ? one : [...one, ...other].sort((a, b) => a.from - b.from || a.to - b.to);
}

/** Returns the splices that are near splices of the other side, except where both sides made the same splices. */
function nearEdits(base: Text, ours: readonly Splice[], theirs: readonly Splice[]): Near[] {
  const isShared = sharedBy(ours, theirs);
  const acts = (splices: readonly Splice[]) => splices.some((splice) => !isShared(splice));
  const sides = { ours: new SideReader(base, ours), theirs: new SideReader(base, theirs) };
  const found: Near[] = [];
  while (sides.ours.next !== undefined && sides.theirs.next !== undefined) {
    const from = Math.min(sides.ours.next.from, sides.theirs.next.from);
    let to = from;
    for (;;) {
      const side = isBefore(sides.ours.next, sides.theirs.next) ? sides.ours : sides.theirs;
      if (side.next === undefined || !isNear(base, to, side.next.from)) break;
      to = Math.max(to, side.next.to);
      side.take();
    }
    const near = { ours: sides.ours.taken(), theirs: sides.theirs.taken() };
    if (acts(near.ours.splices) && acts(near.theirs.splices)) found.push({ ...near, from, to, isShared });
  }
  return found;
}

function isBefore(own: Splice | undefined, other: Splice | undefined): boolean {
  return own !== undefined && (other === undefined || own.from < other.from);
}

/** Reads the splices of one side, place by place. */
class SideReader {
  readonly #splices: readonly Splice[];
  readonly #edges: TokenEdges;
  #first = 0;
  #index = 0;
  #shift = 0;

  constructor(base: Text, splices: readonly Splice[]) {
    this.#splices = splices;
    this.#edges = new TokenEdges(() => base.splice(splices));
  }

  get next(): Splice | undefined {
    return this.#splices[this.#index];
  }

  take(): void {
    this.#index++;
  }

  /** Returns the splices taken since the last call. */
  taken(): SideEdits {
    const splices = this.#splices.slice(this.#first, this.#index);
    const shift = this.#shift;
    this.#first = this.#index;
    this.#shift += growth(splices);
    return { splices, shift, edges: this.#edges };
  }
}

/** Returns true when one line, and perhaps one token, reaches from one position to another. */
function isNear(base: Text, from: number, to: number): boolean {
  return to - from <= REACH && !base.slice(from, to).includes("\n");
}

function sharedBy(ours: readonly Splice[], theirs: readonly Splice[]): (splice: Splice) => boolean {
  const own = new Set(ours.map(spliceKey));
  const shared = new Set(theirs.map(spliceKey).filter((key) => own.has(key)));
  return (splice) => shared.size > 0 && shared.has(spliceKey(splice));
}
