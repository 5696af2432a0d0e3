import type { Baseline, BaselineStore, Content } from "../../store/baselines.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { everyBaseline, inTurns } from "./every-baseline.ts";

/** Contents that one write removes. */
const AT_ONCE = 500;

/** Owns which contents the store has: those of baselines, and no others for longer than until the next `forget`. */
export class Contents {
  readonly #store: BaselineStore;
  /** A content must not be removed between the check that it is there and the baseline that names it. */
  readonly #queue = new KeyedQueue<"contents">();

  constructor(store: BaselineStore) {
    this.#store = store;
  }

  /**
   * Stores baselines with the contents that the store does not have yet; returns the stored ones. A path that a document
   * took meanwhile (`isTaken`) gets none. @throws StoreError
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

  /** Removes the contents that no baseline names any more. @throws StoreError */
  forget(): Promise<void> {
    return this.#queue.run(["contents"], async () => {
      if (!this.#store.mayHaveUnnamed) return;
      await this.#store.searching();
      const named = new Set<string>();
      for await (const { sha256 } of everyBaseline(this.#store)) if (sha256 !== undefined) named.add(sha256);
      const unnamed: string[] = [];
      for await (const sha256 of inTurns(this.#store.contents()))
        if (!named.has(sha256)) unnamed.push(sha256);
      while (unnamed.length > 0) await this.#store.dropContents(unnamed.splice(0, AT_ONCE));
    });
  }
}
