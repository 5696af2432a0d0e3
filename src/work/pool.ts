import { Worker } from "node:worker_threads";

/** One piece of work for a thread: the name of a task, and arguments that structured clone can carry. */
export interface PoolJob {
  readonly task: string;
  readonly args: readonly unknown[];
  /** Memory that goes over to the thread instead of being copied; nobody here uses it any more. */
  readonly moved?: readonly ArrayBuffer[];
}

/** What a thread answers: a result, or the error that the task threw. */
export type Reply = { readonly result: unknown } | { readonly thrown: string };

/** What a thread says once it has begun. */
export const READY = "ready";

/** What became of a job. `late`: it passed its deadline. `full`: its owner has too many jobs waiting. */
type EndedJob =
  | { readonly is: "done"; readonly result: unknown }
  | { readonly is: "late" }
  | { readonly is: "full" }
  | { readonly is: "failed"; readonly reason: string };

export interface PoolOptions {
  /** The module that a thread runs; it answers jobs by `answerJobs`. */
  readonly main: URL;
  readonly workers: number;
  /** Jobs of one owner that wait. */
  readonly waiting: number;
  /** Milliseconds that a job may take once its thread runs. */
  readonly deadlineMs: number;
  /** Milliseconds that a thread without a job is kept. */
  readonly restMs: number;
}

interface Waiting extends PoolJob {
  readonly owner: object;
  readonly ended: (ended: EndedJob) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Waiting | undefined;
  ready: boolean;
  /** Ends the job that takes too long, or the thread that rests for too long. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * A few threads for work that would hold up everybody on the daemon's own (I14).
 *
 * - Owners take turns: the next job is of the owner that has the fewest under way, the longest waiting first.
 * - One owner never has all threads, so another's job begins at once.
 * - A thread that dies or passes the deadline is given up with its job; the next job begins another.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  /** By owner, in the order in which the owners last got a thread. */
  readonly #queues = new Map<object, Waiting[]>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  run(owner: object, job: PoolJob): Promise<EndedJob> {
    if (this.#closed) return Promise.resolve({ is: "failed", reason: "the pool is closed" });
    const queue = this.#queues.get(owner) ?? [];
    if (queue.length >= this.#options.waiting) return Promise.resolve({ is: "full" });
    this.#queues.set(owner, queue);
    return new Promise((ended) => {
      queue.push({ ...job, owner, ended });
      this.#proceed();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const waiting = [...this.#queues.values()].flat();
    this.#queues.clear();
    const threads = [...this.#threads];
    for (const thread of threads) this.#giveUp(thread, { is: "failed", reason: "the pool is closed" });
    for (const { ended } of waiting) ended({ is: "failed", reason: "the pool is closed" });
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #proceed(): void {
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      const thread = this.#free() ?? this.#begin();
      thread.job = job;
      thread.worker.ref();
      this.#limit(thread);
      const { task, args, moved = [] } = job;
      thread.worker.postMessage({ task, args } satisfies PoolJob, moved);
    }
  }

  /** Takes the next job from its queue, if a thread may begin it. */
  #next(): Waiting | undefined {
    const { workers } = this.#options;
    const busy = [...this.#threads].flatMap(({ job }) => job ?? []);
    if (this.#closed || busy.length >= workers) return undefined;
    const underWay = (owner: object) => busy.filter((job) => job.owner === owner).length;
    const most = Math.max(1, workers - 1);
    const owners = [...this.#queues.keys()].filter((owner) => underWay(owner) < most);
    if (owners.length === 0) return undefined;
    const owner = owners.reduce((best, other) => (underWay(other) < underWay(best) ? other : best));
    const queue = this.#queues.get(owner)!;
    const job = queue.shift();
    this.#queues.delete(owner);
    if (queue.length > 0) this.#queues.set(owner, queue);
    return job;
  }

  #free(): Thread | undefined {
    for (const thread of this.#threads) if (thread.job === undefined) return thread;
    return undefined;
  }

  #begin(): Thread {
    const worker = new Worker(this.#options.main, { stdout: true, stderr: true });
    const thread: Thread = { worker, job: undefined, ready: false, timer: undefined };
    this.#threads.add(thread);
    worker.on("message", (reply: Reply | typeof READY) => {
      if (!this.#threads.has(thread)) return;
      if (reply === READY) {
        thread.ready = true;
        this.#limit(thread);
      } else if ("thrown" in reply) this.#end(thread, { is: "failed", reason: reply.thrown });
      else this.#end(thread, { is: "done", result: reply.result });
    });
    worker.on("error", (error) => this.#giveUp(thread, { is: "failed", reason: String(error) }));
    worker.on("exit", (code) => this.#giveUp(thread, { is: "failed", reason: `it ended with ${code}` }));
    return thread;
  }

  /** A job's time begins once its thread runs. */
  #limit(thread: Thread): void {
    clearTimeout(thread.timer);
    const { deadlineMs, restMs } = this.#options;
    if (thread.job === undefined)
      thread.timer = setTimeout(() => this.#giveUp(thread, { is: "late" }), restMs).unref();
    else if (thread.ready) thread.timer = setTimeout(() => this.#giveUp(thread, { is: "late" }), deadlineMs);
  }

  #end(thread: Thread, ended: EndedJob): void {
    const { job } = thread;
    thread.job = undefined;
    thread.worker.unref();
    this.#limit(thread);
    job?.ended(ended);
    this.#proceed();
  }

  #giveUp(thread: Thread, ended: EndedJob): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    thread.job?.ended(ended);
    this.#proceed();
  }
}
