/** Who listens to which events of an object; `E` maps their names to what is told of each. */
export class Listeners<E extends object> {
  readonly #listeners = new Map<keyof E, Set<(event: never) => void>>();
  readonly #failed: (error: unknown) => void;

  /** `failed` is told of what a listener threw; by default that surfaces as an uncaught error. */
  constructor(failed: (error: unknown) => void = uncaught) {
    this.#failed = failed;
  }

  /** Calls back with each event of a kind, until the answer is called. */
  on<K extends keyof E>(kind: K, listener: (event: E[K]) => void): () => void {
    const entry = (event: E[K]) => listener(event);
    this.#listeners.set(kind, (this.#listeners.get(kind) ?? new Set()).add(entry));
    return () => void this.#listeners.get(kind)?.delete(entry);
  }

  /** A listener that throws keeps nobody else from hearing. */
  tell<K extends keyof E>(kind: K, event: E[K]): void {
    for (const listener of this.#listeners.get(kind) ?? [])
      try {
        (listener as (event: E[K]) => void)(event);
      } catch (error) {
        this.#failed(error);
      }
  }
}

function uncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
