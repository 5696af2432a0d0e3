import type { Outcome } from "../../src/workspace/refusal.ts";
import { type TaskName, type Tasks, tasks } from "../../src/workspace/tasks.ts";
import type { Owner, TaskResult, Workers } from "../../src/workspace/workers.ts";

/** Workers in this thread. `takes` says what is given to them, so that small texts can go their way, too. */
export class InlineWorkers implements Workers {
  readonly #takes: (cost: number) => boolean;
  readonly #gate: () => Promise<void>;

  /** Each job waits at the gate before it begins. */
  constructor(takes: (cost: number) => boolean = () => false, gate = () => Promise.resolve()) {
    this.#takes = takes;
    this.#gate = gate;
  }

  takes(cost: number): boolean {
    return this.#takes(cost);
  }

  async run<T extends TaskName>(
    _owner: Owner,
    task: T,
    ...args: Parameters<Tasks[T]>
  ): Promise<Outcome<TaskResult<T>>> {
    await this.#gate();
    const perform = tasks[task] as (...args: Parameters<Tasks[T]>) => Outcome<TaskResult<T>>;
    return perform(...structuredClone(args));
  }
}
