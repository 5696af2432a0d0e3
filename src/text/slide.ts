import type { StepBudget } from "./budget.ts";

/**
 * Slides the changes of one side to where git shows them: each next to the last change of the other side that
 * it can get to, else as late as it goes; those that meet become one. `kept` and `other` are the places of the
 * lines that both sides kept, from a -1 ahead of the first to the length behind the last. Change `k` is what
 * lies between `kept[k]` and `kept[k + 1]`, so one that slides past a kept line has that line's place moved to
 * its other end. False when the budget ended.
 */
export function slide(lines: Int32Array, kept: Int32Array, other: Int32Array, budget: StepBudget): boolean {
  const last = kept.length - 2;
  const size = (k: number) => kept[k + 1]! - kept[k]! - 1;
  const up = (k: number) => {
    if (k === 0 || lines[kept[k]!] !== lines[kept[k + 1]! - 1]) return false;
    kept[k] = kept[k + 1]! - 1;
    return true;
  };
  const down = (k: number) => {
    if (k === last || lines[kept[k]! + 1] !== lines[kept[k + 1]!]) return false;
    kept[k + 1] = kept[k]! + 1;
    return true;
  };
  const beside = (k: number) => other[k + 1]! - other[k]! > 1;
  for (let k = 0; k <= last; k++) {
    if (size(k) === 0) continue;
    let met = -1; // the last place beside a change of the other side
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
