import type { Stretch } from "../diff/stretch.ts";

/** A range of the base with each side's version of it, and the side or sides that changed it. */
interface Region {
  readonly by: "ours" | "theirs" | "both";
  readonly ours: Stretch;
  readonly theirs: Stretch;
}

/**
 * Returns the changed regions of the base, ascending. Changes of the two sides share a region when they overlap or
 * have no unchanged line between them, as in git.
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
      if (left.next <= to) to = left.add(to);
      else if (right.next <= to) to = right.add(to);
      else break;
    }
    const by = !right.changed ? "ours" : !left.changed ? "theirs" : "both";
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
  /** The line number on this side minus the line number in the base, after the last change. */
  #drift = 0;
  #a0 = 0;
  #b0 = 0;
  /** True when the open region contains a change of this side. */
  changed = false;

  constructor(changes: readonly Stretch[]) {
    this.#changes = changes;
  }

  /** The start of the next change in the base. */
  get next(): number {
    return this.#changes[this.#index]?.a0 ?? Number.POSITIVE_INFINITY;
  }

  open(from: number): void {
    this.#a0 = from;
    this.#b0 = from + this.#drift;
    this.changed = false;
  }

  /** Adds the next change to the region that ends at `to` and returns the region's new end. */
  add(to: number): number {
    const { a1, b1 } = this.#changes[this.#index++]!;
    this.#drift = b1 - a1;
    this.changed = true;
    return Math.max(to, a1);
  }

  close(to: number): Stretch {
    return { a0: this.#a0, a1: to, b0: this.#b0, b1: to + this.#drift };
  }
}
