import type { Clock } from "../../mirror/clock.ts";
import { type Files, type Image, isFileProblem, sameContentStamp } from "../../mirror/files.ts";
import type { Fate } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";

/** Files that are found missing within this time are looked into together; milliseconds. */
const GATHER_MS = 50;
/** So many files at once, if they are at least half of all in use, are not taken for deleted (I10). */
const MASS = 10;
const MASS_SHARE = 0.5;

export interface KnownDocuments {
  readonly loaded: () => readonly Document[];
  /** False when a path is another document's that has a file. */
  readonly isFree: (path: DocPath) => boolean;
  readonly load: (path: DocPath) => Promise<Document | undefined>;
  /** The document's file is at another path now; refused of a document that was dropped. */
  readonly move: (document: Document, to: DocPath, image: Image) => Promise<Outcome<void>>;
}

/** Decides what became of files that are not where they were: moved, deleted, or gone all at once (I10). */
export class MissingFiles {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #tree: KnownDocuments;
  readonly #abort = new AbortController();
  /** Those being looked into next. */
  #batch: { readonly documents: Document[]; readonly fates: Promise<Map<Document, Fate>> } | undefined;
  readonly #unsure = new WeakSet<Document>();
  /** Deleted on request. */
  readonly #allowed = new WeakSet<Document>();
  /** Where the files of documents are that are not in memory, by what they were. */
  readonly #resting = new Map<string, { readonly path: DocPath; readonly image: Image }>();

  constructor(files: Files, clock: Clock, tree: KnownDocuments) {
    this.#files = files;
    this.#clock = clock;
    this.#tree = tree;
  }

  /** A document that is not in memory has its file there. */
  rest(path: DocPath, image: Image): void {
    this.#resting.set(inodeOf(image), { path, image });
  }

  /** What became of a document's file, which is known to be missing for the grace time. */
  async fateOf(document: Document): Promise<Fate> {
    if (this.#allowed.has(document)) return "deleted";
    // It is among many that are waited for, and was not back since.
    if (this.#unsure.has(document) && document.mirror.problem?.kind === "missing") return "unsure";
    if (this.#batch === undefined) {
      const documents: Document[] = [];
      this.#batch = { documents, fates: this.#decide(documents) };
    }
    const { documents, fates } = this.#batch;
    documents.push(document);
    return (await fates).get(document) ?? "unsure";
  }

  /** Nothing is waited for any more. */
  close(): void {
    this.#abort.abort();
  }

  /** From now on the files that are waited for count as deleted; answers whose they are. */
  allow(): Document[] {
    const missing = this.#tree.loaded().filter(({ mirror }) => mirror.problem?.kind === "missing");
    for (const document of missing) this.#allowed.add(document);
    return missing;
  }

  /** The document whose file was moved to a path that nobody knows; it is there from now on. */
  async arrivedAt(path: DocPath): Promise<Document | undefined> {
    const image = this.#files.look(path);
    if (isFileProblem(image) || !this.#tree.isFree(path)) return undefined;
    const document =
      this.#tree.loaded().find((loaded) => this.#isMissing(loaded.path, loaded.mirror.image, image)) ??
      (await this.#wakened(image));
    if (document !== undefined) await this.#tree.move(document, path, knownAs(document, image));
    return document;
  }

  async #wakened(image: Image): Promise<Document | undefined> {
    const known = this.#resting.get(inodeOf(image));
    return known && this.#isMissing(known.path, known.image, image) ? this.#tree.load(known.path) : undefined;
  }

  /** True when the file that was `known` at a path is gone from there, and `image` may be it. */
  #isMissing(path: DocPath, known: Image | undefined, image: Image): boolean {
    if (known === undefined || !sameContentStamp(known, image)) return false;
    const there = this.#files.look(path);
    return isFileProblem(there) && there.kind === "missing";
  }

  async #decide(documents: readonly Document[]): Promise<Map<Document, Fate>> {
    await this.#clock.sleep(GATHER_MS, this.#abort.signal);
    this.#batch = undefined;
    const fates = new Map<Document, Fate>();
    for (const [document, to] of await this.#found(documents))
      if (!isRefusal(await this.#tree.move(document, to.path, to.image))) fates.set(document, "moved");
    // Of one that was dropped meanwhile nothing is decided: it is looked for when it is loaded again.
    const lost = documents.filter((document) => !fates.has(document) && document.closed === undefined);
    const many = lost.length >= MASS && lost.length >= MASS_SHARE * this.#tree.loaded().length;
    for (const document of lost) {
      fates.set(document, many ? "unsure" : "deleted");
      if (many) this.#unsure.add(document);
    }
    return fates;
  }

  /** Where missing files are now: the same file under another name, as no other document's. */
  async #found(documents: readonly Document[]): Promise<Map<Document, { path: DocPath; image: Image }>> {
    const bySize = new Map<number, Document[]>();
    for (const document of documents) {
      const size = document.mirror.image?.size;
      if (size !== undefined) bySize.set(size, [...(bySize.get(size) ?? []), document]);
    }
    const found = new Map<Document, { path: DocPath; image: Image }>();
    for await (const { path, size } of this.#files.walk(() => false)) {
      const candidates = bySize.get(size);
      if (candidates === undefined || !this.#tree.isFree(path)) continue;
      const image = this.#files.look(path);
      if (isFileProblem(image)) continue;
      const document = candidates.find(({ mirror }) => mirror.image && sameContentStamp(mirror.image, image));
      if (document !== undefined) found.set(document, { path, image });
    }
    return found;
  }
}

/** What a document takes its moved file for: if the file was saved since it was read, that is still to be taken in. */
export function knownAs({ mirror }: Document, image: Image): Image {
  return mirror.image === undefined || sameContentStamp(mirror.image, image) ? image : mirror.image;
}

function inodeOf({ dev, ino }: Image): string {
  return `${dev}:${ino}`;
}
