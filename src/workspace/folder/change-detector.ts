import { relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Files, type Image, isFileProblem, sameImage } from "../../mirror/files.ts";
import { type DocPath, isPathProblem, parsePath } from "../../mirror/path.ts";
import type { Document } from "../document/document.ts";

/** What there is to look after, and what is done about what was noticed. */
export interface DetectorEvents {
  readonly loaded: () => Iterable<Document>;
  readonly loadedAt: (path: DocPath) => Document | undefined;
  /** The file of a document that is not in memory has changed. */
  readonly changed: (path: DocPath) => void;
  /** Something that nobody knew is there, and somebody asked to be told. */
  readonly appeared: (path: DocPath) => void;
}

/** So many files are looked at in one turn of the event loop; a look takes some 20 µs. */
const LOOKS_A_TURN = 64;
/** So many hints at once may be the first of more than the system's queue could hold; that it does not tell. */
const BURST = 256;

/** Notices that files changed, from hints and by looking, whether or not their documents are in memory (I9). */
export class ChangeDetector {
  readonly #files: Files;
  readonly #notice: DetectorEvents;
  readonly #hinted = new Set<string>();
  readonly #interests = new Set<(path: string) => boolean>();
  /** Documents dropped from memory, and what their files were then. */
  readonly #dormant = new Map<DocPath, Image>();

  constructor(files: Files, notice: DetectorEvents) {
    this.#files = files;
    this.#notice = notice;
  }

  /** New files whose path passes `match` are noticed, until the answer is called. */
  watchFor(match: (path: string) => boolean): () => void {
    this.#interests.add(match);
    return () => this.#interests.delete(match);
  }

  /** A document has left memory; its file is looked at from here on. */
  rest(path: DocPath, image: Image): void {
    this.#dormant.set(path, image);
  }

  /** A document is in memory and looks after its own file. */
  awake(path: DocPath): void {
    this.#dormant.delete(path);
  }

  /** Something may have changed at an absolute path. Hints that come together are looked into once. */
  hint(absolute: string): void {
    if (this.#hinted.size === 0) void setImmediate().then(() => this.#lookInto());
    this.#hinted.add(absolute);
  }

  /** Looks at every file, those of loaded documents and those of dormant ones. */
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

  /** Wakes a dormant document if its file is not what it was. */
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
