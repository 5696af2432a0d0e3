import { Worker } from "node:worker_threads";

/** A step that takes longer hangs. */
const HANGS_MS = 60_000;

/** Ends the process and names the step when a step blocks its thread for too long; a test cannot do that itself. */
export class HangWatch {
  readonly #step = shared();
  readonly #seed = shared();
  readonly #worker: Worker;

  constructor() {
    const workerData = { step: this.#step, seed: this.#seed, hangsMs: HANGS_MS };
    this.#worker = new Worker(new URL("./hang-watch.js", import.meta.url), { workerData });
    this.#worker.unref();
  }

  /** Reports the begin of a step. */
  begin(seed: number, step: number): void {
    Atomics.store(this.#seed, 0, seed);
    Atomics.store(this.#step, 0, step);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

function shared(): Int32Array {
  const numbers = new Int32Array(new SharedArrayBuffer(4));
  numbers[0] = -1;
  return numbers;
}
