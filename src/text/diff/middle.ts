import type { StepBudget } from "./budget.ts";
import type { DiffRun } from "./myers.ts";
import type { Stretch } from "./stretch.ts";

/** The steps from either end beyond which two sequences are too different. Git starts to guess there, too. */
const MOST = 256;
/** Marks "no path reaches this diagonal" in the search from the end. */
const NOWHERE = 2 ** 30;

/**
 * Returns the equal runs that leave the fewest edits, ascending, by Myers' search from both ends. The search cuts a
 * box where the two paths meet, and then cuts each part. Among equally short answers it chooses the one that git
 * chooses. Undefined when the search needs more than `MOST` steps, or the budget ends.
 */
export function shortest(a: Int32Array, b: Int32Array, budget: StepBudget): DiffRun[] | undefined {
  const search = new Search(a, b, budget);
  return search.match({ a0: 0, a1: a.length, b0: 0, b1: b.length }) ? search.runs : undefined;
}

class Search {
  readonly runs: DiffRun[] = [];
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #budget: StepBudget;
  /** For each diagonal, the index in `a` that the paths from the start, and the paths from the end, have reached. */
  readonly #ahead = new Int32Array(2 * MOST + 3);
  readonly #behind = new Int32Array(2 * MOST + 3);

  constructor(a: Int32Array, b: Int32Array, budget: StepBudget) {
    this.#a = a;
    this.#b = b;
    this.#budget = budget;
  }

  /** Finds the runs of a box; returns false when it gives up. */
  match(box: Stretch): boolean {
    let { a0, a1, b0, b1 } = box;
    while (a0 < a1 && b0 < b1 && this.#a[a0] === this.#b[b0]) {
      a0++;
      b0++;
    }
    while (a0 < a1 && b0 < b1 && this.#a[a1 - 1] === this.#b[b1 - 1]) {
      a1--;
      b1--;
    }
    if (!this.#budget.spend(box.a1 - box.a0 - (a1 - a0))) return false;
    this.#add({ a: box.a0, b: box.b0, size: a0 - box.a0 });
    if (a0 < a1 && b0 < b1) {
      const cut = this.#middle({ a0, a1, b0, b1 });
      if (cut === undefined) return false;
      if (!this.match({ a0, a1: cut.a, b0, b1: cut.b })) return false;
      if (!this.match({ a0: cut.a, a1, b0: cut.b, b1 })) return false;
    }
    this.#add({ a: a1, b: b1, size: box.a1 - a1 });
    return true;
  }

  #add(run: DiffRun): void {
    if (run.size > 0) this.runs.push(run);
  }

  /**
   * Returns the point where the paths from the start and from the end first meet. A diagonal is the index in `a` minus
   * the index in `b`. Each round extends the range of diagonals by one on each side, or shrinks it at a corner of the
   * box.
   */
  #middle({ a0, a1, b0, b1 }: Stretch): { readonly a: number; readonly b: number } | undefined {
    const ahead = this.#ahead;
    const behind = this.#behind;
    const start = MOST + 1 - (a0 - b0); // added to a diagonal, this gives its index in `ahead`
    const end = MOST + 1 - (a1 - b1);
    const odd = ((start - end) & 1) !== 0;
    let f0 = a0 - b0; // the range of diagonals of the paths from the start
    let f1 = f0;
    let r0 = a1 - b1; // the range of diagonals of the paths from the end
    let r1 = r0;
    ahead[start + f0] = a0;
    behind[end + r0] = a1;
    for (let round = 1; round <= MOST; round++) {
      let steps = 2 * round;
      if (f0 > a0 - b1) ahead[start + --f0 - 1] = -1;
      else f0++;
      if (f1 < a1 - b0) ahead[start + ++f1 + 1] = -1;
      else f1--;
      for (let d = f1; d >= f0; d -= 2) {
        const from = Math.max(ahead[start + d - 1]! + 1, ahead[start + d + 1]!);
        let x = from;
        while (x < a1 && x - d < b1 && this.#a[x] === this.#b[x - d]) x++;
        ahead[start + d] = x;
        steps += x - from;
        if (odd && r0 <= d && d <= r1 && behind[end + d]! <= x) return { a: x, b: x - d };
      }
      if (r0 > a0 - b1) behind[end + --r0 - 1] = NOWHERE;
      else r0++;
      if (r1 < a1 - b0) behind[end + ++r1 + 1] = NOWHERE;
      else r1--;
      for (let d = r1; d >= r0; d -= 2) {
        const from = Math.min(behind[end + d - 1]!, behind[end + d + 1]! - 1);
        let x = from;
        while (x > a0 && x - d > b0 && this.#a[x - 1] === this.#b[x - d - 1]) x--;
        behind[end + d] = x;
        steps += from - x;
        if (!odd && f0 <= d && d <= f1 && x <= ahead[start + d]!) return { a: x, b: x - d };
      }
      if (!this.#budget.spend(steps)) return undefined;
    }
    return undefined;
  }
}
