import { eolOf } from "../../src/text/lines.ts";
import { Text } from "../../src/text/text.ts";
import type { Outcome } from "../../src/workspace/outcome/refusal.ts";
import type { Base, Planner, PlannerTask } from "../../src/workspace/planners/plan.ts";
import { type TaskName, type Tasks, tasks } from "../../src/workspace/workers/tasks.ts";
import type { TaskResult, Workers, WorkOwner } from "../../src/workspace/workers/workers.ts";

/** A planner that simulated workers run in place of the daemon. */
export function elsewhere(plan: Planner): Planner {
  // These workers ignore the name and run the planner among the arguments.
  const task: PlannerTask = { planner: "write", args: [plan], cost: () => 1 };
  return Object.assign((base: Base) => plan(base), { task });
}

/** Workers that get all jobs or none; each job starts when its gate opens. */
export class SimulatedWorkers implements Workers {
  readonly #gate: () => Promise<void>;
  readonly #takes: boolean;

  constructor(gate: () => Promise<void>, takes: boolean) {
    this.#gate = gate;
    this.#takes = takes;
  }

  offloads(): boolean {
    return this.#takes;
  }

  async run<T extends TaskName>(
    _owner: WorkOwner,
    task: T,
    ...args: Parameters<Tasks[T]>
  ): Promise<Outcome<TaskResult<T>>> {
    await this.#gate();
    if (task !== "plan") {
      const perform = tasks[task] as (...args: Parameters<Tasks[T]>) => Outcome<TaskResult<T>>;
      return perform(...args);
    }
    const [, [plan], text, maxBytes] = args as Parameters<Tasks["plan"]>;
    const base = Text.of(text);
    return (plan as Planner)({ text: base, eol: eolOf(base), maxBytes }) as Outcome<TaskResult<T>>;
  }
}
