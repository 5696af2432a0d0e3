import { setMaxListeners } from "node:events";
import type { Clock } from "../../src/mirror/clock.ts";
import { drained } from "./drained.ts";

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

/** A clock whose time passes only when a test moves it. */
export class FakeClock implements Clock {
  #now: number;
  /** The milliseconds by which the machine's clock is ahead. */
  #ahead = 0;
  #timers: Timer[] = [];
  readonly #wakes = new WeakMap<AbortSignal, Set<() => void>>();

  constructor(now = Date.UTC(2025, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#ahead;
  }

  elapsed(): number {
    return this.#now;
  }

  /** Sets the machine's clock ahead, or back. */
  jump(ms: number): void {
    this.#ahead += ms;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wakes = this.#wakesOf(signal);
      const cancel = this.after(ms, () => {
        wakes.delete(wake);
        resolve();
      });
      const wake = () => {
        cancel();
        resolve();
      };
      wakes.add(wake);
    });
  }

  /** Returns what a signal wakes, in this order. One listener for all of them takes less time than one for each. */
  #wakesOf(signal: AbortSignal): Set<() => void> {
    const known = this.#wakes.get(signal);
    if (known !== undefined) return known;
    const wakes = new Set<() => void>();
    this.#wakes.set(signal, wakes);
    const wakeAll = () => {
      for (const wake of [...wakes]) wake();
    };
    setMaxListeners(0, signal); // many clocks may wake by one signal
    signal.addEventListener("abort", wakeAll, { once: true });
    return wakes;
  }

  /** Calls a function `ms` from now; the returned function cancels the call. */
  after(ms: number, fire: () => void): () => void {
    const timer = { due: this.#now + ms, fire };
    const later = this.#timers.findIndex(({ due }) => due > timer.due);
    this.#timers.splice(later < 0 ? this.#timers.length : later, 0, timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Returns when the next timer is due; undefined without any. */
  get next(): number | undefined {
    return this.#timers[0]?.due;
  }

  /** Moves on to the next timer, if it is due within `ms`, and fires it; otherwise moves on by `ms`. */
  step(ms: number): void {
    const timer = this.#timers[0];
    if (timer === undefined || timer.due > this.#now + ms) {
      this.#now += ms;
      return;
    }
    this.#timers.shift();
    this.#now = Math.max(this.#now, timer.due);
    timer.fire();
  }

  /** Lets `ms` pass, and runs every timer that is due by then. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    do {
      this.step(until - this.#now);
      await drained();
    } while (this.#now < until || (this.next ?? Number.POSITIVE_INFINITY) <= until);
  }
}
