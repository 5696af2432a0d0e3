import { type Image, onDevice, sameContentStamp } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Baseline, BaselineStore } from "../../store/baselines.ts";
import { everyBaseline } from "./every-baseline.ts";

/** Finds the baseline of a file that was moved, by the inode that a move keeps. */
export class BaselineMoves {
  readonly #store: BaselineStore;
  readonly #paths = new Map<bigint, DocPath>();

  constructor(store: BaselineStore) {
    this.#store = store;
  }

  /** Learns the inodes of all stored baselines. */
  async load(): Promise<void> {
    for await (const baseline of everyBaseline(this.#store)) this.add(baseline);
  }

  add({ path, image, sha256 }: Baseline): void {
    if (sha256 !== undefined) this.#paths.set(image.ino, path as DocPath);
  }

  /** Returns the baseline of the file that is `image` now; undefined where none has its inode and its stamps. */
  from(image: Image): Baseline | undefined {
    const path = this.#paths.get(image.ino);
    const baseline = path === undefined ? undefined : this.#store.at(path);
    if (baseline === undefined) return undefined;
    return sameContentStamp(onDevice(baseline.image, image.dev), image) ? baseline : undefined;
  }
}
