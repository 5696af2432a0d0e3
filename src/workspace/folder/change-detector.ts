import { relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Files, type Image, isFileProblem, sameImage } from "../../mirror/files.ts";
import { type DocPath, isPathProblem, parsePath } from "../../mirror/path.ts";
import type { Document } from "../document/document.ts";

/** The documents to watch, and the callbacks for what changed. */
export interface DetectorEvents {
  readonly loaded: () => Iterable<Document>;
  readonly loadedAt: (path: DocPath) => Document | undefined;
  /** Called when the file of a document that is not in memory has changed. */
  readonly changed: (path: DocPath) => void;
  /** Called for a new file that somebody watches for. */
  readonly appeared: (path: DocPath) => void;
}

/** Files that are looked at in one turn of the event loop; a look takes about 20 µs. */
const LOOKS_A_TURN = 64;
/**
 * If this many hints arrive together, the system's event queue may have overflowed without a word: all files are
 * checked.
 */
const BURST = 256;

/** Detects that files changed, from hints and by looking, whether or not their documents are in memory (I9). */
export class ChangeDetector {
  readonly #files: Files;
  readonly #notice: DetectorEvents;
  readonly #hinted = new Set<string>();
  readonly #interests = new Set<(path: string) => boolean>();
  /** Documents dropped from memory, and their files' images at that time. */
  readonly #dormant = new Map<DocPath, Image>();

  constructor(files: Files, notice: DetectorEvents) {
    this.#files = files;
    this.#notice = notice;
  }

  /** Reports new files whose path passes `match`, until the returned function is called. */
  watchFor(match: (path: string) => boolean): () => void {
    this.#interests.add(match);
    return () => this.#interests.delete(match);
  }

  /** Looks at the file of a document that left memory from now on. */
  rest(path: DocPath, image: Image): void {
    this.#dormant.set(path, image);
  }

  /** Stops looking at the file of a document that is in memory again: the document does that itself. */
  awake(path: DocPath): void {
    this.#dormant.delete(path);
  }

  /** Takes a hint that something may have changed at an absolute path. Hints that arrive together are handled once. */
  hint(absolute: string): void {
    if (this.#hinted.size === 0) void setImmediate().then(() => this.#lookInto());
    this.#hinted.add(absolute);
  }

  /** Looks at the files of all documents, loaded and dormant. */
  async verify(): Promise<void> {
    await inTurns(this.#notice.loaded(), (document) => void document.mirror.verify());
    await inTurns(this.#dormant, ([path, image]) => this.#check(path, image));
  }

  async #lookInto(): Promise<void> {
    const hinted = [...this.#hinted];
    this.#hinted.clear();
    await inTurns(hinted, (absolute) => {
      const path = parsePath(relative(this.#files.root, absolute).split(sep).join("/"));
      if (isPathProblem(path)) return;
      const document = this.#notice.loadedAt(path);
      const dormant = this.#dormant.get(path);
      if (document !== undefined) void document.mirror.fresh();
      else if (dormant !== undefined) this.#check(path, dormant);
      else if ([...this.#interests].some((match) => match(path))) this.#notice.appeared(path);
    });
    if (hinted.length >= BURST) await this.verify();
  }

  /** Reports a dormant document whose file is not what it was. */
  #check(path: DocPath, image: Image): void {
    const seen = this.#files.look(path);
    if (!isFileProblem(seen) && sameImage(seen, image)) return;
    if (isFileProblem(seen) && !this.#files.rootStands()) return;
    this.#dormant.delete(path);
    this.#notice.changed(path);
  }
}

async function inTurns<T>(all: Iterable<T>, look: (one: T) => void): Promise<void> {
  let looks = 0;
  for (const one of all) {
    if (++looks % LOOKS_A_TURN === 0) await setImmediate();
    look(one);
  }
}
