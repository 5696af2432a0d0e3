import { relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Files, type Image, isFileProblem, sameImage } from "../../mirror/files.ts";
import { type DocPath, isPathProblem, parsePath } from "../../mirror/path.ts";
import type { Document } from "../document/document.ts";

/** The documents to watch, and the callbacks for changes. */
export interface DetectorEvents {
  readonly loaded: () => Iterable<Document>;
  readonly loadedAt: (path: DocPath) => Document | undefined;
  /** Called when the file of a document has changed that is not in memory, or deleted. */
  readonly changed: (path: DocPath) => void;
  /** Called when the file of such a document is missing; `image` is the file before. */
  readonly missing: (path: DocPath, image: Image) => void;
  /** Called for each hint about a path that may be a file's. */
  readonly hinted: (path: DocPath) => void;
  /** Called for a path that no document has that was in use. */
  readonly unknown: (path: DocPath) => void;
  /** Called when a look at a hinted path fails. */
  readonly failed: (path: DocPath, error: unknown) => void;
  /** Called when too many hints came together, so that the system may have dropped others. */
  readonly overflowed: () => void;
}

/** The number of files to look at in one turn of the event loop; a look takes about 20 µs. */
const LOOKS_A_TURN = 64;
/** The most dormant documents whose files are looked at in one round: an idle daemon has little to do. */
const LOOKS_A_ROUND = 256;
/**
 * If this many hints arrive together, the system's event queue may have overflowed, which it does not report. The
 * daemon then checks all files.
 */
const BURST = 50;

/** Detects that files changed, from hints and by looking, whether or not their documents are in memory (I9). */
export class ChangeDetector {
  readonly #files: Files;
  readonly #notice: DetectorEvents;
  readonly #hinted = new Set<string>();
  #looking: Promise<unknown> = Promise.resolve();
  /** Documents dropped from memory, and their files' images at that time. */
  readonly #dormant = new Map<DocPath, Image>();
  /** The dormant documents that this round and the next ones look at. */
  #round: Iterator<[DocPath, Image]> = this.#dormant.entries();

  constructor(files: Files, notice: DetectorEvents) {
    this.#files = files;
    this.#notice = notice;
  }

  /** Looks at the file of a document that left memory from now on. */
  rest(path: DocPath, image: Image): void {
    this.#dormant.set(path, image);
  }

  /** Stops looking at the file of a document that is in memory again: the document does that itself. */
  awake(path: DocPath): void {
    this.#dormant.delete(path);
  }

  /** Receives a hint of a possible change at an absolute path. Hints that arrive together are handled once. */
  hint(absolute: string): void {
    if (this.#hinted.size === 0) this.#looking = setImmediate().then(() => this.#lookInto());
    this.#hinted.add(absolute);
  }

  /** Resolves once every hint so far is handled. */
  settled(): Promise<unknown> {
    return this.#looking;
  }

  /** Looks at the files of all loaded documents, and of some dormant ones: in turn, each of them is looked at. */
  async verify(): Promise<void> {
    await inTurns(this.#notice.loaded(), (document) => {
      if (!this.#isBack(document)) void document.mirror.verify();
    });
    await inTurns(this.#nextDormant(), ([path, image]) => this.#check(path, image));
  }

  *#nextDormant(): Iterable<[DocPath, Image]> {
    for (let looks = 0; looks < LOOKS_A_ROUND; looks++) {
      const next = this.#round.next();
      if (next.done) {
        this.#round = this.#dormant.entries();
        return;
      }
      yield next.value;
    }
  }

  async #lookInto(): Promise<void> {
    const hinted = [...this.#hinted];
    this.#hinted.clear();
    await inTurns(hinted, (absolute) => {
      const path = parsePath(relative(this.#files.root, absolute).split(sep).join("/"));
      if (isPathProblem(path)) return;
      try {
        this.#lookAt(path);
      } catch (error) {
        this.#notice.failed(path, error); // the other paths are looked at
      }
    });
    if (hinted.length < BURST) return;
    this.#notice.overflowed();
    await this.verify();
    await inTurns(this.#dormant, ([path, image]) => this.#check(path, image));
  }

  #lookAt(path: DocPath): void {
    this.#notice.hinted(path);
    const document = this.#notice.loadedAt(path);
    const dormant = this.#dormant.get(path);
    if (document !== undefined) void (this.#isBack(document) || document.mirror.fresh());
    else if (dormant !== undefined) this.#check(path, dormant);
    else this.#notice.unknown(path);
  }

  /** Reports a deleted document with a file at its path, which may be that of another document (I10b). */
  #isBack({ deleted, path }: Document): boolean {
    const isBack = deleted && !isFileProblem(this.#files.look(path));
    if (isBack) this.#notice.changed(path);
    return isBack;
  }

  /** Reports a dormant document whose file has changed. */
  #check(path: DocPath, image: Image): void {
    const seen = this.#files.look(path);
    if (!isFileProblem(seen) && sameImage(seen, image)) return;
    if (isFileProblem(seen) && !this.#files.isRootPresent()) return;
    this.#dormant.delete(path);
    if (isFileProblem(seen) && seen.kind === "missing") this.#notice.missing(path, image);
    else this.#notice.changed(path);
  }
}

async function inTurns<T>(all: Iterable<T>, look: (one: T) => void): Promise<void> {
  let looks = 0;
  for (const one of all) {
    if (++looks % LOOKS_A_TURN === 0) await setImmediate();
    look(one);
  }
}
