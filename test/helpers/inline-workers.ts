import type { Outcome } from "../../src/workspace/outcome/refusal.ts";
import { type TaskName, type Tasks, tasks } from "../../src/workspace/workers/tasks.ts";
import type { TaskResult, Workers, WorkOwner } from "../../src/workspace/workers/workers.ts";

/** Workers in this thread; a test chooses the sizes of their jobs, and may delay them. */
export class InlineWorkers implements Workers {
  /** Chooses the jobs for these workers; none by default. */
  wanted: (cost: number) => boolean = () => false;
  /** Each job waits here before it begins. */
  gate: (task: TaskName) => Promise<void> = () => Promise.resolve();

  offloads(cost: number): boolean {
    return this.wanted(cost);
  }

  async run<T extends TaskName>(
    _owner: WorkOwner,
    task: T,
    ...args: Parameters<Tasks[T]>
  ): Promise<Outcome<TaskResult<T>>> {
    const sent = structuredClone(args);
    await this.gate(task);
    const perform = tasks[task] as (...args: Parameters<Tasks[T]>) => Outcome<TaskResult<T>>;
    return perform(...sent);
  }
}
