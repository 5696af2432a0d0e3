import { INLINE_COST, JOB_MS, MOST_WAITING_JOBS, WORKER_REST_MS, WORKERS } from "../../work/bounds.ts";
import { WorkerPool } from "../../work/pool.ts";
import type { Actor } from "../access/actor.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import type { TaskName, Tasks } from "./tasks.ts";

/** Whose work it is: the rights of a token, one object each. Work of one owner never keeps another's from beginning. */
export type WorkOwner = object;

/** What a task answers; the refusals among it are values. */
export type TaskResult<T extends TaskName> = Exclude<ReturnType<Tasks[T]>, Refusal>;

/** Does elsewhere what would hold up everybody here (I14). A port: tests and simulations give one of their own. */
export interface Workers {
  /** True when work of a cost, in UTF-16 units that are read about once, is too much for one turn. */
  offloads(cost: number): boolean;
  /**
   * Refuses what takes too long, and what waits in too long a queue. The bytes of `json` belong to the worker from then
   * on. @throws on a defect of the task
   */
  run<T extends TaskName>(
    owner: WorkOwner,
    task: T,
    ...args: Parameters<Tasks[T]>
  ): Promise<Outcome<TaskResult<T>>>;
}

/** Workers as one token has them. */
export class TokenWorkers {
  readonly #workers: Workers;
  readonly #owner: WorkOwner;

  constructor(workers: Workers, { rights }: Pick<Actor, "rights">) {
    this.#workers = workers;
    this.#owner = rights;
  }

  offloads(cost: number): boolean {
    return this.#workers.offloads(cost);
  }

  run<T extends TaskName>(task: T, ...args: Parameters<Tasks[T]>): Promise<Outcome<TaskResult<T>>> {
    return this.#workers.run(this.#owner, task, ...args);
  }
}

/** Workers in threads. A thread answers a refusal as its fields, which become a refusal again here. */
export class ThreadWorkers implements Workers {
  readonly #pool = new WorkerPool({
    // The built file: threads run JavaScript.
    main: new URL("./tasks-main.js", import.meta.url),
    workers: WORKERS,
    waiting: MOST_WAITING_JOBS,
    deadlineMs: JOB_MS,
    restMs: WORKER_REST_MS,
  });

  offloads(cost: number): boolean {
    return cost > INLINE_COST;
  }

  async run<T extends TaskName>(
    owner: WorkOwner,
    task: T,
    ...args: Parameters<Tasks[T]>
  ): Promise<Outcome<TaskResult<T>>> {
    const moved = task === "json" ? ownMemory(args[0] as Uint8Array) : [];
    const ended = await this.#pool.run(owner, { task, args, moved });
    switch (ended.is) {
      case "done":
        return arrived<TaskResult<T>>(ended.result as OutcomeMessage<TaskResult<T>>);
      case "late":
        return new Refusal(
          "TOO_LARGE",
          `this would take longer than ${JOB_MS / 1000} s; nothing was changed`,
          {
            suggestion: "Send it in smaller parts.",
            details: { limit: JOB_MS },
          },
        );
      case "full":
        return new Refusal("OVERLOADED", `${MOST_WAITING_JOBS} large requests of this token wait already`, {
          suggestion: "Wait for their answers, then send this one again.",
          details: { limit: MOST_WAITING_JOBS },
        });
      case "failed":
        throw new Error(`${task} failed in a worker: ${ended.reason}`);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** The memory of bytes that have one of their own, as long frames do. */
function ownMemory({ buffer, length }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === length ? [buffer] : [];
}

/** An outcome as structured clone carries it. */
export type OutcomeMessage<T> = { readonly value: T } | { readonly refused: Pick<Refusal, keyof Refusal> };

/** An outcome on its way out of a thread. */
export function outcomeMessage<T>(outcome: Outcome<T>): OutcomeMessage<T> {
  if (!isRefusal(outcome)) return { value: outcome };
  const { code, message, suggestion, details } = outcome;
  return { refused: { code, message, suggestion, details } };
}

function arrived<T>(answer: OutcomeMessage<T>): Outcome<T> {
  if ("value" in answer) return answer.value;
  const { code, message, suggestion, details } = answer.refused;
  return new Refusal(code, message, { ...(suggestion !== undefined && { suggestion }), details });
}
