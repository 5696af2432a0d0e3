import type { Baseline, BaselineStore, Content } from "../../store/baselines.ts";
import type { Elapsing } from "../../work/pause.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { everyBaseline, inTurns } from "./every-baseline.ts";

/** The contents that one write removes. */
const AT_ONCE = 500;

/** Owns the contents in the store: the contents of baselines, and others only until the next `forget`. */
export class Contents {
  readonly #store: BaselineStore;
  readonly #clock: Elapsing;
  /** The order of the writes. No write may remove a content between the check for it and the baseline that names it. */
  readonly #queue = new KeyedQueue<"contents">();

  constructor(store: BaselineStore, clock: Elapsing) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Stores baselines with the contents that the store does not have yet; returns the stored ones. A path that a
   * document has meanwhile (`isTaken`) gets no baseline. @throws StoreError
   */
  save(
    baselines: readonly Baseline[],
    contents: readonly Content[],
    isTaken: (path: string) => boolean,
  ): Promise<readonly Baseline[]> {
    return this.#queue.run(["contents"], async () => {
      const records = baselines.filter(({ path }) => !isTaken(path));
      const missing = contents.filter(({ sha256 }) => !this.#store.hasContent(sha256));
      const unique = new Map(missing.map((content) => [content.sha256, content]));
      await this.#store.save(records, [...unique.values()]);
      return records;
    });
  }

  /** Removes the contents that no baseline names any more; stops when the signal aborts. @throws StoreError */
  forget(signal: AbortSignal): Promise<void> {
    return this.#queue.run(["contents"], async () => {
      if (!this.#store.mayHaveUnnamed) return;
      await this.#store.searching();
      const named = new Set<string>();
      for await (const { sha256 } of everyBaseline(this.#store, this.#clock)) {
        if (signal.aborted) return;
        if (sha256 !== undefined) named.add(sha256);
      }
      const unnamed: string[] = [];
      for await (const sha256 of inTurns(this.#store.contents(), this.#clock)) {
        if (signal.aborted) return;
        if (!named.has(sha256)) unnamed.push(sha256);
      }
      while (unnamed.length > 0 && !signal.aborted)
        await this.#store.dropContents(unnamed.splice(0, AT_ONCE));
    });
  }
}
