import type { StepBudget } from "./budget.ts";
import type { Stretch } from "./stretch.ts";

/** A run of `size` equal elements, from `a` in one sequence and from `b` in the other. */
export interface DiffRun {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Walk {
  readonly runs: DiffRun[];
  /** The end of the runs: the end of the stretch, or the best point found. */
  readonly a: number;
  readonly b: number;
}

/** A point at entry `index` of the row for `edits` edits. */
interface Point {
  readonly edits: number;
  readonly index: number;
  readonly x: number;
}

/** Marks "no path reaches this diagonal"; stays negative through any number of steps. */
const NOWHERE = -(2 ** 30);

/**
 * Runs Myers' greedy search for the fewest edits, forward only and up to `maxEdits`. When that is not enough, or the
 * budget ends, it returns the path to the farthest point.
 */
export function walk(a: Int32Array, b: Int32Array, at: Stretch, maxEdits: number, budget: StepBudget): Walk {
  const n = at.a1 - at.a0;
  const m = at.b1 - at.b0;
  const rows: Int32Array[] = [];
  let best: Point = { edits: 0, index: 0, x: 0 };
  for (let d = 0; d <= Math.min(maxEdits, n + m); d++) {
    const last = rows[d - 1];
    const row = new Int32Array(d + 1);
    let steps = d + 1;
    let far = -1;
    let index = 0;
    for (let i = 0; i <= d; i++) {
      const start = last === undefined ? 0 : reach(last, i, d, n, m);
      let x = start;
      let y = x - 2 * i + d;
      if (x >= 0) {
        while (x < n && y < m && a[at.a0 + x] === b[at.b0 + y]) {
          x++;
          y++;
        }
        if (x + y > far) {
          far = x + y;
          index = i;
        }
      }
      steps += x - start;
      row[i] = x;
    }
    rows.push(row);
    best = { edits: d, index, x: row[index]! };
    if (far === n + m || !budget.spend(steps)) break;
  }
  return back(rows, best, at);
}

/**
 * Returns the index in `a` at which entry `i` of the row for `d` edits starts. It follows a deletion from the diagonal
 * below or an insertion from the diagonal above: the farther one inside the stretch. Entry `i` is the diagonal `2i -
 * d`: the index in `a` minus the index in `b`.
 */
function reach(last: Int32Array, i: number, d: number, n: number, m: number): number {
  const deletion = i > 0 && last[i - 1]! < n ? last[i - 1]! + 1 : NOWHERE;
  const insertion = i < d && last[i]! - 2 * i + d <= m ? last[i]! : NOWHERE;
  return Math.max(deletion, insertion);
}

/** Follows the path from the best point back to its start. */
function back(rows: readonly Int32Array[], best: Point, at: Stretch): Walk {
  const runs: DiffRun[] = [];
  let { index, x } = best;
  for (let d = best.edits; d >= 0; d--) {
    const k = 2 * index - d;
    const last = rows[d - 1];
    const start = last === undefined ? 0 : reach(last, index, d, at.a1 - at.a0, at.b1 - at.b0);
    if (x > start) runs.push({ a: at.a0 + start, b: at.b0 + start - k, size: x - start });
    if (last === undefined) break;
    // Deletions come first: the last edit was a deletion only if no insertion reaches as far.
    if (last[index] !== start) index--;
    x = last[index]!;
  }
  return {
    runs: runs.reverse(),
    a: at.a0 + best.x,
    b: at.b0 + best.x - (2 * best.index - best.edits),
  };
}
