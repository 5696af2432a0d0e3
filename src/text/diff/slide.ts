import type { StepBudget } from "./budget.ts";

/**
 * Moves the changes of one side to their places in git: next to the last reachable change of the other side, else as
 * late as possible. Changes that meet become one. Returns false when the budget ended.
 *
 * `unchanged` and `otherUnchanged` are the indexes of the unchanged lines on each side, from a leading -1 to a trailing
 * length. Change `k` is the range between `unchanged[k]` and `unchanged[k + 1]`. A change that moves past an unchanged
 * line therefore moves that line's index to the change's other end.
 */
export function slide(
  lines: Int32Array,
  unchanged: Int32Array,
  otherUnchanged: Int32Array,
  budget: StepBudget,
): boolean {
  const last = unchanged.length - 2;
  const size = (k: number) => unchanged[k + 1]! - unchanged[k]! - 1;
  const up = (k: number) => {
    if (k === 0 || lines[unchanged[k]!] !== lines[unchanged[k + 1]! - 1]) return false;
    unchanged[k] = unchanged[k + 1]! - 1;
    return true;
  };
  const down = (k: number) => {
    if (k === last || lines[unchanged[k]! + 1] !== lines[unchanged[k + 1]!]) return false;
    unchanged[k + 1] = unchanged[k]! + 1;
    return true;
  };
  const beside = (k: number) => otherUnchanged[k + 1]! - otherUnchanged[k]! > 1;
  for (let k = 0; k <= last; k++) {
    if (size(k) === 0) continue;
    let met = -1; // the last position next to a change of the other side
    for (let before = 0; before !== size(k); ) {
      before = size(k);
      const from = k;
      while (up(k)) k--;
      const first = k;
      met = beside(k) ? k : -1;
      while (down(k)) if (beside(++k)) met = k;
      if (!budget.spend(1 + from - first + (k - first))) return false;
    }
    if (met >= 0) while (k > met && up(k)) k--;
  }
  return true;
}
