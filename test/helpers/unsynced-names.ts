import type { Clock } from "../../src/mirror/clock.ts";
import type { Inode } from "./fake-disk.ts";
import type { Seeded } from "./seeded.ts";

/** A change of names: what was at its paths before. */
interface Renaming {
  readonly before: ReadonlyMap<string, { readonly inode: Inode; readonly ctimeNs: bigint } | undefined>;
  readonly undone: () => void;
  readonly at: number;
}

/** The time after which a file system writes what nobody synced, as btrfs does; ext4 and xfs are sooner. Milliseconds. */
const WRITTEN_MS = 30_000;

/** What decides about the extent of a power cut. */
export type Draws = Pick<Seeded, "int" | "pick" | "chance">;

/** The states of a new file that nobody synced. */
const LEFT = ["whole", "cut short", "empty", "zeros"] as const;

/**
 * The changes of a disk's names that nobody synced, and the new files of the daemon. A power cut undoes the newest changes,
 * as a journal of a file system does that it had not written. Syncing a path keeps the changes up to its last one, and
 * none after that. The store's own flushes keep none: fdatasync writes only what its own file needs.
 */
export class UnsyncedNames {
  readonly #names: Map<string, Inode>;
  readonly #clock: Pick<Clock, "elapsed">;
  #changes: Renaming[] = [];
  readonly #files = new Set<Inode>();

  constructor(names: Map<string, Inode>, clock: Pick<Clock, "elapsed">) {
    this.#names = names;
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  /** Notes a change of names before it is made; `undone` is called if a power cut undoes it. */
  note(paths: readonly string[], undone: () => void): void {
    const before = paths.map((path) => {
      const inode = this.#names.get(path);
      return [path, inode && { inode, ctimeNs: inode.ctimeNs }] as const;
    });
    this.#changes.push({ before: new Map(before), undone, at: this.#clock.elapsed() });
  }

  /** Notes the content of a new file. */
  made(inode: Inode): void {
    this.#files.add(inode);
  }

  isSynced(path: string): boolean {
    const inode = this.#names.get(path);
    return inode === undefined || !this.#files.has(inode);
  }

  /** Notes that a file was synced, and then the folder of a path. */
  synced(path: string, inode: Inode | undefined): void {
    if (inode !== undefined) this.#files.delete(inode);
    const last = this.#changes.findLastIndex(({ before }) => before.has(path));
    this.#changes.splice(0, last + 1);
  }

  /** Undoes some of the newest changes, and damages some new files. */
  cut(random: Draws): void {
    const since = this.#clock.elapsed() - WRITTEN_MS;
    const lost = this.#changes.filter(({ at }) => at > since);
    for (const change of lost.slice(random.int(lost.length + 1)).reverse()) this.#undo(change);
    for (const inode of this.#names.values()) {
      if (!this.#files.has(inode)) continue;
      const { bytes } = inode;
      const left = random.pick(LEFT);
      if (left === "cut short") inode.bytes = bytes.slice(0, random.int(bytes.length));
      if (left === "empty") inode.bytes = bytes.slice(0, 0);
      if (left === "zeros") inode.bytes = new Uint8Array(bytes.length);
    }
    this.#changes = [];
    this.#files.clear();
  }

  #undo({ before, undone }: Renaming): void {
    for (const path of before.keys()) {
      const inode = this.#names.get(path);
      if (inode !== undefined) inode.links--;
      this.#names.delete(path);
    }
    for (const [path, former] of before) {
      if (former === undefined) continue;
      former.inode.links++;
      former.inode.ctimeNs = former.ctimeNs;
      former.inode.writers = 0;
      this.#names.set(path, former.inode);
    }
    undone();
  }
}
