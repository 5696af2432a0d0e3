/** Counts steps of work instead of time, so that a search ends at the same point on every machine (I14). */
export class StepBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** False once more has been spent than there was; what asked then takes its coarser way out. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}
