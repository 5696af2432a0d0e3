import type { Stretch } from "./stretch.ts";

/** What each side made of the same lines of the base, and which of them changed any. */
interface Region {
  readonly by: "ours" | "theirs" | "both";
  readonly ours: Stretch;
  readonly theirs: Stretch;
}

/**
 * The regions of the base that were changed, ascending. Changes of the two sides that overlap, or have no
 * unchanged line between them, share a region, as they do in git.
 */
export function regionsOf(ours: readonly Stretch[], theirs: readonly Stretch[]): Region[] {
  const regions: Region[] = [];
  const left = new Changes(ours);
  const right = new Changes(theirs);
  for (let from = first(left, right); from !== Number.POSITIVE_INFINITY; from = first(left, right)) {
    let to = from;
    left.open(from);
    right.open(from);
    for (;;) {
      if (left.next <= to) to = left.take(to);
      else if (right.next <= to) to = right.take(to);
      else break;
    }
    const by = !right.taken ? "ours" : !left.taken ? "theirs" : "both";
    regions.push({ by, ours: left.close(to), theirs: right.close(to) });
  }
  return regions;
}

function first(left: Changes, right: Changes): number {
  return Math.min(left.next, right.next);
}

/** Reads the changes of one side, region by region. */
class Changes {
  readonly #changes: readonly Stretch[];
  #index = 0;
  /** By how many lines the side is ahead of the base. */
  #drift = 0;
  #a0 = 0;
  #b0 = 0;
  /** Whether a change of this side is in the open region. */
  taken = false;

  constructor(changes: readonly Stretch[]) {
    this.#changes = changes;
  }

  /** Where in the base the next change begins. */
  get next(): number {
    return this.#changes[this.#index]?.a0 ?? Number.POSITIVE_INFINITY;
  }

  open(from: number): void {
    this.#a0 = from;
    this.#b0 = from + this.#drift;
    this.taken = false;
  }

  /** Takes the next change into the region that ends at `to`; returns where the region ends then. */
  take(to: number): number {
    const { a1, b1 } = this.#changes[this.#index++]!;
    this.#drift = b1 - a1;
    this.taken = true;
    return Math.max(to, a1);
  }

  close(to: number): Stretch {
    return { a0: this.#a0, a1: to, b0: this.#b0, b1: to + this.#drift };
  }
}
