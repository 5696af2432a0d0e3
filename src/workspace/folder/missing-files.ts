import type { Clock } from "../../mirror/clock.ts";
import { type Files, type Image, isFileProblem, type Skip, sameContentStamp } from "../../mirror/files.ts";
import type { Fate } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";

/** Files that go missing within this time of each other are decided together; milliseconds. */
const GATHER_MS = 50;
/** The most such times that a decision waits for further files. */
const MOST_GATHERINGS = 40;
/** If this many files are missing, and at least half of all, none of them counts as deleted (I10). */
const MASS = 10;
const MASS_SHARE = 0.5;

export interface KnownDocuments {
  readonly loaded: () => readonly Document[];
  /** Returns true for files that are no documents: no document moves there. */
  readonly skips: Skip;
  /** Returns false for the path of another document that has a file. */
  readonly isFree: (path: DocPath) => boolean;
  /** Returns the path where a file that no document has was before: `image` is the file now. */
  readonly movedFrom: (image: Image) => DocPath | undefined;
  /** Yields the paths of all files that could be missing. */
  readonly known: () => AsyncIterable<DocPath>;
  readonly load: (path: DocPath) => Promise<Document | undefined>;
  /** Moves a document to another path; refused for a document that was dropped. */
  readonly move: (document: Document, to: DocPath, image: Image) => Promise<Outcome<void>>;
}

/** Decides the fate of missing files: moved, deleted, or unsure, when many are missing at once (I10). */
export class MissingFiles {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #tree: KnownDocuments;
  readonly #abort = new AbortController();
  /** The documents that are decided next. */
  #batch: { readonly documents: Document[]; readonly fates: Promise<Map<Document, Fate>> } | undefined;
  readonly #unsure = new WeakSet<Document>();
  /** Documents whose files a person accepted as deleted. */
  readonly #allowed = new WeakSet<Document>();
  /** The files of documents that are not in memory, by inode. */
  readonly #resting = new Map<string, { readonly path: DocPath; readonly image: Image }>();

  constructor(files: Files, clock: Clock, tree: KnownDocuments) {
    this.#files = files;
    this.#clock = clock;
    this.#tree = tree;
  }

  /** Remembers the file of a document that is not in memory. */
  rest(path: DocPath, image: Image): void {
    this.#resting.set(inodeOf(image), { path, image });
  }

  /** Decides the fate of a document's file that has been missing for the grace time. */
  async fateOf(document: Document): Promise<Fate> {
    if (this.#allowed.has(document)) return "deleted";
    // The document is one of many that the daemon waits for, and its file was not back since.
    if (this.#unsure.has(document) && document.mirror.problem?.kind === "missing") return "unsure";
    if (this.#batch === undefined) {
      const documents: Document[] = [];
      this.#batch = { documents, fates: this.#decide(documents) };
    }
    const { documents, fates } = this.#batch;
    documents.push(document);
    return (await fates).get(document) ?? "unsure";
  }

  /** Ends all waiting. */
  close(): void {
    this.#abort.abort();
  }

  /** Accepts that the missing files that the daemon waits for were deleted; returns their documents. */
  allow(): Document[] {
    const missing = this.#tree.loaded().filter(({ mirror }) => mirror.problem?.kind === "missing");
    for (const document of missing) this.#allowed.add(document);
    return missing;
  }

  /** Finds the document whose file was moved to an unknown path, and moves the document there. */
  async arrivedAt(path: DocPath): Promise<Document | undefined> {
    const image = this.#files.look(path);
    if (isFileProblem(image) || !this.#tree.isFree(path)) return undefined;
    const from = this.#loadedFrom(image) ?? this.#restingFrom(image);
    const document = typeof from === "string" ? await this.#tree.load(from) : from;
    if (document !== undefined) await this.#tree.move(document, path, knownAs(document, image));
    return document;
  }

  /** Returns true for a file that a document had at a path where it is missing now: `image` is the file. */
  isMoved(image: Image): boolean {
    return (this.#loadedFrom(image) ?? this.#restingFrom(image)) !== undefined;
  }

  #loadedFrom(image: Image): Document | undefined {
    return this.#tree.loaded().find(({ path, mirror }) => this.#isMissing(path, mirror.image, image));
  }

  /** Returns the former path of a file whose document is not in memory, or that had none. */
  #restingFrom(image: Image): DocPath | undefined {
    const known = this.#resting.get(inodeOf(image));
    if (known !== undefined && this.#isMissing(known.path, known.image, image)) return known.path;
    const from = this.#tree.movedFrom(image);
    return from !== undefined && this.#isMissing(from, image, image) ? from : undefined;
  }

  /** Returns true when the file that was `known` at a path is gone from there, and `image` may be it. */
  #isMissing(path: DocPath, known: Image | undefined, image: Image): boolean {
    if (known === undefined || !sameContentStamp(known, image)) return false;
    const there = this.#files.look(path);
    return isFileProblem(there) && there.kind === "missing";
  }

  async #decide(documents: readonly Document[]): Promise<Map<Document, Fate>> {
    for (let i = 0, before = -1; i < MOST_GATHERINGS && before !== documents.length; i++) {
      before = documents.length;
      await this.#clock.sleep(GATHER_MS, this.#abort.signal);
    }
    this.#batch = undefined;
    const fates = new Map<Document, Fate>();
    const { found, there } = await this.#walk(documents);
    for (const [document, to] of found)
      if (!isRefusal(await this.#tree.move(document, to.path, to.image))) fates.set(document, "moved");
    // A document that was dropped meanwhile is decided when it is loaded again.
    const lost = documents.filter((document) => !fates.has(document) && document.closed === undefined);
    const many = lost.length > 0 && (await this.#areMany(new Set(lost.map(({ path }) => path)), there));
    for (const document of lost) {
      fates.set(document, many ? "unsure" : "deleted");
      if (many) this.#unsure.add(document);
    }
    return fates;
  }

  /**
   * Returns true if these files, of which `there` has none, are many together with those that are missing and that the
   * daemon has not missed yet: on a busy machine it notices one deletion of many files little by little.
   */
  async #areMany(lost: ReadonlySet<DocPath>, there: ReadonlySet<DocPath>): Promise<boolean> {
    let known = 0;
    let missing = lost.size;
    for await (const path of this.#tree.known()) {
      known++;
      if (lost.has(path) || there.has(path)) continue;
      const image = this.#files.look(path);
      if (isFileProblem(image) && image.kind === "missing") missing++;
    }
    return missing >= MASS && missing >= MASS_SHARE * known;
  }

  /** Finds missing files under other names, the same file at a path of no other document, and all paths of files. */
  async #walk(documents: readonly Document[]): Promise<{
    readonly found: Map<Document, { path: DocPath; image: Image }>;
    readonly there: ReadonlySet<DocPath>;
  }> {
    const there = new Set<DocPath>();
    const bySize = new Map<number, Document[]>();
    for (const document of documents) {
      const size = document.mirror.image?.size;
      if (size !== undefined) bySize.set(size, [...(bySize.get(size) ?? []), document]);
    }
    const found = new Map<Document, { path: DocPath; image: Image }>();
    for await (const { path, image } of this.#files.walk(this.#tree.skips)) {
      there.add(path);
      const candidates = bySize.get(image.size);
      if (candidates === undefined || !this.#tree.isFree(path)) continue;
      const document = candidates.find(({ mirror }) => mirror.image && sameContentStamp(mirror.image, image));
      if (document !== undefined) found.set(document, { path, image });
    }
    return { found, there };
  }
}

/** Returns the image that a document records for its moved file: a save since the last read is still to be merged. */
export function knownAs({ mirror }: Document, image: Image): Image {
  return mirror.image === undefined || sameContentStamp(mirror.image, image) ? image : mirror.image;
}

function inodeOf({ dev, ino }: Image): string {
  return `${dev}:${ino}`;
}
