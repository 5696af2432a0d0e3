import { INLINE_COST, JOB_MS, MOST_WAITING_JOBS, WORKER_REST_MS, WORKERS } from "../../work/bounds.ts";
import { WorkerPool } from "../../work/pool.ts";
import type { Actor } from "../access/actor.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import type { TaskName, Tasks } from "./tasks.ts";

/** The owner of a job: the rights object of a token. Jobs of one owner never delay the start of another owner's. */
export type WorkOwner = object;

/** The result of a task without its refusals. */
export type TaskResult<T extends TaskName> = Exclude<ReturnType<Tasks[T]>, Refusal>;

/** Runs long computations outside the main thread (I14). This is a port: tests and simulations have implementations. */
export interface Workers {
  /** True if a computation is too long for the main thread; reading one UTF-16 unit costs 1. */
  offloads(cost: number): boolean;
  /**
   * Runs a task. It refuses a task that takes too long, or that would wait in too long a queue. The worker becomes the
   * owner of the bytes of a `json` task.
   *
   * @throws if the task has a defect.
   */
  run<T extends TaskName>(
    owner: WorkOwner,
    task: T,
    ...args: Parameters<Tasks[T]>
  ): Promise<Outcome<TaskResult<T>>>;
}

/** The workers for the jobs of one token. */
export class TokenWorkers {
  readonly #workers: Workers;
  readonly #owner: WorkOwner;

  constructor(workers: Workers, { rights }: Pick<Actor, "rights">) {
    this.#workers = workers;
    this.#owner = rights.token;
  }

  offloads(cost: number): boolean {
    return this.#workers.offloads(cost);
  }

  run<T extends TaskName>(task: T, ...args: Parameters<Tasks[T]>): Promise<Outcome<TaskResult<T>>> {
    return this.#workers.run(this.#owner, task, ...args);
  }
}

/** Workers in threads. */
export class ThreadWorkers implements Workers {
  readonly #pool = new WorkerPool({
    // The path is that of the built file: threads run JavaScript.
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
        return outcomeOf<TaskResult<T>>(ended.result as OutcomeMessage<TaskResult<T>>);
      case "late":
        return new Refusal(
          "TOO_LARGE",
          `the request would take longer than ${JOB_MS / 1000} s; nothing was changed`,
          {
            suggestion: "Split the request into smaller ones.",
            details: { limit: JOB_MS },
          },
        );
      case "full":
        return new Refusal(
          "OVERLOADED",
          `${MOST_WAITING_JOBS} large requests of this token are already waiting`,
          {
            suggestion: "Wait for their answers, then send this request again.",
            details: { limit: MOST_WAITING_JOBS },
          },
        );
      case "failed":
        throw new Error(`${task} failed in a worker: ${ended.reason}`);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Returns the buffer of bytes that fill a whole buffer, to be moved to a thread; otherwise the bytes are copied. */
function ownMemory({ buffer, length }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === length ? [buffer] : [];
}

/** An outcome in a form that structured clone can copy: a refusal becomes its fields. */
type OutcomeMessage<T> = { readonly value: T } | { readonly refused: Pick<Refusal, keyof Refusal> };

/** Returns the message for an outcome. */
export function outcomeMessage<T>(outcome: Outcome<T>): OutcomeMessage<T> {
  if (!isRefusal(outcome)) return { value: outcome };
  const { code, message, suggestion, details } = outcome;
  return { refused: { code, message, suggestion, details } };
}

/** Returns the outcome in a message. */
function outcomeOf<T>(sent: OutcomeMessage<T>): Outcome<T> {
  if ("value" in sent) return sent.value;
  const { code, message, suggestion, details } = sent.refused;
  return new Refusal(code, message, { ...(suggestion !== undefined && { suggestion }), details });
}
