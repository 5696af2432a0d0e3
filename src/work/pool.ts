import { Thread } from "./thread.ts";

/** One job for a thread: the name of a task, and arguments that structured clone supports. */
export interface PoolJob {
  readonly task: string;
  readonly args: readonly unknown[];
  /** Memory that moves to the thread instead of being copied; the caller must not use it afterwards. */
  readonly moved?: readonly ArrayBuffer[];
}

/** A thread's reply: a result, or the error that the task threw. */
export type Reply = { readonly result: unknown } | { readonly thrown: string };

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

/** A thread with its job. */
interface Hand {
  readonly thread: Thread<PoolJob, Reply>;
  job: WaitingJob | undefined;
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
  readonly #hands = new Set<Hand>();
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
    const hands = [...this.#hands];
    for (const hand of hands) this.#discard(hand, { is: "failed", reason: "the pool is closed" });
    for (const { ended } of waiting) ended({ is: "failed", reason: "the pool is closed" });
    await Promise.all(hands.map(({ thread }) => thread.discard()));
  }

  #startJobs(): void {
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      const hand = this.#free() ?? this.#begin();
      hand.job = job;
      this.#limit(hand);
      const { task, args, moved } = job;
      hand.thread.begin({ task, args }, moved);
    }
  }

  /** Removes the next job from its queue, if a thread may start it. */
  #next(): WaitingJob | undefined {
    const { workers } = this.#options;
    const busy = [...this.#hands].flatMap(({ job }) => job ?? []);
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

  #free(): Hand | undefined {
    for (const hand of this.#hands) if (hand.job === undefined) return hand;
    return undefined;
  }

  #begin(): Hand {
    const { main, newObjectsMb } = this.#options;
    const resourceLimits = newObjectsMb === undefined ? {} : { maxYoungGenerationSizeMb: newObjectsMb };
    const listener = {
      ready: () => this.#limit(hand),
      replied: (reply: Reply) =>
        this.#end(
          hand,
          "thrown" in reply ? { is: "failed", reason: reply.thrown } : { is: "done", result: reply.result },
        ),
      died: (reason: string) => this.#discard(hand, { is: "failed", reason }),
    };
    const thread = new Thread<PoolJob, Reply>(main, listener, resourceLimits);
    const hand: Hand = { thread, job: undefined, timer: undefined };
    this.#hands.add(hand);
    return hand;
  }

  /** Starts the timer of a thread. A job's time begins when its thread is ready. */
  #limit(hand: Hand): void {
    clearTimeout(hand.timer);
    const { deadlineMs, restMs } = this.#options;
    const late = () => this.#discard(hand, { is: "late" });
    if (hand.job === undefined) hand.timer = setTimeout(late, restMs).unref();
    else if (hand.thread.isReady) hand.timer = setTimeout(late, deadlineMs);
  }

  #end(hand: Hand, ended: EndedJob): void {
    const { job } = hand;
    hand.job = undefined;
    hand.thread.rest();
    this.#limit(hand);
    job?.ended(ended);
    this.#startJobs();
  }

  #discard(hand: Hand, ended: EndedJob): void {
    if (!this.#hands.delete(hand)) return;
    clearTimeout(hand.timer);
    void hand.thread.discard();
    hand.job?.ended(ended);
    this.#startJobs();
  }
}
