import { type ResourceLimits, type TransferListItem, Worker } from "node:worker_threads";
import { programState } from "../own-program.ts";

/** The first message of a thread, sent when it can run jobs. */
export const READY = "ready";

interface ThreadListener<Reply> {
  /** Called when the thread can run jobs. */
  ready(): void;
  replied(reply: Reply): void;
  /** Called at most once, when the thread ends by itself or the system cannot start it. */
  died(reason: string): void;
}

/** A thread that runs the jobs of its owner. The owner discards one that dies or exceeds its time, and starts another. */
export class Thread<Job, Reply> {
  readonly #worker: Worker | undefined;
  readonly #listener: ThreadListener<Reply>;
  #isReady = false;
  #isOver = false;

  /** Starts the module `main`, which sends `READY` and answers each job with one reply. */
  constructor(main: URL, listener: ThreadListener<Reply>, resourceLimits: ResourceLimits = {}) {
    this.#listener = listener;
    try {
      this.#worker = this.#start(main, resourceLimits);
    } catch (error) {
      // The system has no thread or no memory to spare. The owner hears of it as of a death, after it has its job.
      process.nextTick(() => this.#died(String(error)));
    }
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Hands over a job. The process stays alive until `rest`. Memory in `moved` moves to the thread. */
  begin(job: Job, moved: readonly TransferListItem[] = []): void {
    this.#worker?.ref();
    this.#worker?.postMessage(job, moved);
  }

  /** Lets the process end although this thread waits for a job. */
  rest(): void {
    this.#worker?.unref();
  }

  /** Ends the thread, of which its owner hears nothing any more. Resolves once it has ended. */
  async discard(): Promise<void> {
    this.#isOver = true;
    await this.#worker?.terminate();
  }

  #start(main: URL, resourceLimits: ResourceLimits): Worker {
    // A thread of another version would read this one's jobs wrongly.
    if (programState() === "replaced") throw new Error("the program was replaced while it runs");
    const worker = new Worker(main, { stdout: true, stderr: true, resourceLimits });
    // The daemon's own output is its clients'. Unread, the thread's output would stay in memory.
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on("message", (reply: Reply | typeof READY) => {
      if (this.#isOver) return;
      if (reply !== READY) return this.#listener.replied(reply as Reply);
      this.#isReady = true;
      this.#listener.ready();
    });
    worker.on("error", (error) => this.#died(String(error)));
    worker.on("exit", (code) => this.#died(`the thread ended with exit code ${code}`));
    return worker;
  }

  #died(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.died(reason);
  }
}
