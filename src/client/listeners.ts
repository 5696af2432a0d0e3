/** The listeners to the events of an object; `E` maps the names of events to their values. */
export class Listeners<E extends object> {
  readonly #listeners = new Map<keyof E, Set<(event: never) => void>>();
  readonly #failed: (error: unknown) => void;

  /** `failed` receives the error of a listener that throws. Default: it becomes an uncaught error. */
  constructor(failed: (error: unknown) => void = throwUncaught) {
    this.#failed = failed;
  }

  /** Calls back with each event of a kind. Returns a function that ends this. */
  on<K extends keyof E>(kind: K, listener: (event: E[K]) => void): () => void {
    const entry = (event: E[K]) => listener(event);
    this.#listeners.set(kind, (this.#listeners.get(kind) ?? new Set()).add(entry));
    return () => void this.#listeners.get(kind)?.delete(entry);
  }

  /** Calls every listener to a kind of event, also if another one throws. */
  emit<K extends keyof E>(kind: K, event: E[K]): void {
    for (const listener of this.#listeners.get(kind) ?? [])
      try {
        (listener as (event: E[K]) => void)(event);
      } catch (error) {
        this.#failed(error);
      }
  }
}

function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
