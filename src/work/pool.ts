import { Worker } from "node:worker_threads";

/** One job for a thread: the name of a task, and arguments that structured clone supports. */
export interface PoolJob {
  readonly task: string;
  readonly args: readonly unknown[];
  /** Memory that moves to the thread instead of being copied; the caller must not use it afterwards. */
  readonly moved?: readonly ArrayBuffer[];
}

/** A thread's reply: a result, or the error that the task threw. */
export type Reply = { readonly result: unknown } | { readonly thrown: string };

/** The first message of a thread, sent when it can run jobs. */
export const READY = "ready";

/** The end of a job. `late`: it exceeded its deadline. `full`: its owner has too many waiting jobs. */
export type EndedJob =
  | { readonly is: "done"; readonly result: unknown }
  | { readonly is: "late" }
  | { readonly is: "full" }
  | { readonly is: "failed"; readonly reason: string };

export interface PoolOptions {
  /** The module that a thread runs; it runs jobs through `answerJobs`. */
  readonly main: URL;
  readonly workers: number;
  /** The most waiting jobs of one owner. */
  readonly waiting: number;
  /** Milliseconds that a job may run, from the moment its thread is ready. */
  readonly deadlineMs: number;
  /** Milliseconds after which a thread without a job ends. */
  readonly restMs: number;
  /** The most megabytes of a thread's new objects; otherwise 48, which a thread keeps until it ends. */
  readonly newObjectsMb?: number;
}

interface WaitingJob extends PoolJob {
  readonly owner: object;
  readonly ended: (ended: EndedJob) => void;
}

interface Thread {
  readonly worker: Worker;
  job: WaitingJob | undefined;
  ready: boolean;
  /** Ends the thread when its job exceeds the deadline, or when it had no job for too long. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * A few threads for work that would block the daemon's own thread (I14).
 *
 * - Owners take turns: the next job belongs to the owner with the fewest running jobs; among equals, to the one
 *   waiting longest.
 * - One owner never occupies all threads, so another owner's job starts at once.
 * - A thread that dies or exceeds the deadline is discarded with its job; the next job starts another thread.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  /** The waiting jobs by owner, in the order in which the owners last got a thread. */
  readonly #queues = new Map<object, WaitingJob[]>();
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
      this.#startJobs();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const waiting = [...this.#queues.values()].flat();
    this.#queues.clear();
    const threads = [...this.#threads];
    for (const thread of threads) this.#discard(thread, { is: "failed", reason: "the pool is closed" });
    for (const { ended } of waiting) ended({ is: "failed", reason: "the pool is closed" });
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #startJobs(): void {
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      const thread = this.#free() ?? this.#begin();
      thread.job = job;
      thread.worker.ref();
      this.#limit(thread);
      const { task, args, moved = [] } = job;
      thread.worker.postMessage({ task, args } satisfies PoolJob, moved);
    }
  }

  /** Removes the next job from its queue, if a thread may start it. */
  #next(): WaitingJob | undefined {
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
    const { main, newObjectsMb } = this.#options;
    const resourceLimits = newObjectsMb === undefined ? {} : { maxYoungGenerationSizeMb: newObjectsMb };
    const worker = new Worker(main, { stdout: true, stderr: true, resourceLimits });
    // The daemon's own output is its clients'. Unread, the thread's output would stay in memory.
    worker.stdout.resume();
    worker.stderr.resume();
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
    worker.on("error", (error) => this.#discard(thread, { is: "failed", reason: String(error) }));
    worker.on("exit", (code) =>
      this.#discard(thread, { is: "failed", reason: `the thread ended with exit code ${code}` }),
    );
    return thread;
  }

  /** Starts the timer of a thread. A job's time begins when its thread is ready. */
  #limit(thread: Thread): void {
    clearTimeout(thread.timer);
    const { deadlineMs, restMs } = this.#options;
    if (thread.job === undefined)
      thread.timer = setTimeout(() => this.#discard(thread, { is: "late" }), restMs).unref();
    else if (thread.ready) thread.timer = setTimeout(() => this.#discard(thread, { is: "late" }), deadlineMs);
  }

  #end(thread: Thread, ended: EndedJob): void {
    const { job } = thread;
    thread.job = undefined;
    thread.worker.unref();
    this.#limit(thread);
    job?.ended(ended);
    this.#startJobs();
  }

  #discard(thread: Thread, ended: EndedJob): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    thread.job?.ended(ended);
    this.#startJobs();
  }
}
