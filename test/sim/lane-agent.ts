import { sameImage } from "../../src/mirror/files.ts";
import { sharedLines } from "../../src/text/diff/shared-lines.ts";
import type { FakeDisk } from "../helpers/fake-disk.ts";
import { imageOfInode } from "../helpers/fake-disk.ts";
import type { LanesWorld } from "./lanes-world.ts";

interface FileText {
  readonly path: string;
  readonly text: string;
}

/** What the agent of a lane did to its files since the daemon saw them. */
export class LaneAgent {
  /** The files that the agent deleted, as they were then. */
  readonly deleted: FileText[] = [];
  /** The file that is open in an editor, as it was then. */
  buffer: FileText | undefined;
  readonly #world: LanesWorld;
  readonly #lane: string;
  /** A file that was saved from an older buffer: nobody writes it again before the daemon has seen that. */
  #stale: string | undefined;
  /** The texts that a file had since the daemon last saw it. */
  readonly #former = new Map<string, readonly string[]>();
  /** Files that were saved as other files, by rename, and that the daemon may not have seen since. */
  readonly #replaced = new Set<string>();

  constructor(world: LanesWorld, lane: string) {
    this.#world = world;
    this.#lane = lane;
  }

  /** Notes that the agent saved a file from an older buffer. */
  savedStale(path: string): void {
    this.#stale = path;
  }

  isStale(path: string): boolean {
    if (this.#stale === path && this.isSeen(path)) this.#stale = undefined;
    return this.#stale === path;
  }

  noteWrite(path: string, isSave: boolean, text: string): void {
    const isItself = this.isItself(path) && !isSave && this.#disk.exists(path);
    this.#former.set(path, [...this.#formerOf(path), this.#disk.text(path) ?? text]);
    if (!isItself) this.#replaced.add(path);
  }

  noteMove(from: string, to: string): void {
    this.#former.set(to, [...this.#formerOf(from), this.#disk.read(from)!]);
    if (!this.isItself(from)) this.#replaced.add(to);
  }

  /** Returns true for a file that the daemon knows, maybe at another path and with another text. */
  isItself(path: string): boolean {
    if (this.isSeen(path)) this.#replaced.delete(path);
    return !this.#replaced.has(path);
  }

  /**
   * Returns true for a text with at least half of each one that the file had since the daemon saw it. Saved with another
   * text, and moved, it is a new file (see the limits in `docs/lanes.md`).
   */
  isAlike(path: string, text: string): boolean {
    return this.#formerOf(path).every((former) => sharedLines(former, text) >= former.length / 2);
  }

  #formerOf(path: string): readonly string[] {
    return this.isSeen(path) ? [] : (this.#former.get(path) ?? []);
  }

  /** Returns true if the daemon has taken in what the file is now. */
  isSeen(path: string): boolean {
    const inode = this.#disk.inode(path);
    const image = this.#world.process?.imageOf(this.#lane, path);
    return inode !== undefined && image !== undefined && sameImage(image, imageOfInode(inode));
  }

  get #disk(): FakeDisk {
    return this.#world.disk(this.#lane);
  }
}
