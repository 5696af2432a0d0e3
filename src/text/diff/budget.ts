/** Counts steps of work instead of time, so that a search ends at the same point on every machine (I14). */
export class StepBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Spends steps. Returns false once the budget is used up; the caller then falls back to a coarser answer. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}
