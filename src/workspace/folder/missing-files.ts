import type { Clock } from "../../mirror/clock.ts";
import { type Files, type Image, isFileProblem, type Skip, sameFile } from "../../mirror/files.ts";
import { isMissing } from "../../mirror/is-missing.ts";
import type { Fate, FirstMissed } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { DocumentRecord } from "../../store/store.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import type { FallenNames } from "./fallen-names.ts";
import { FileSearch } from "./file-search.ts";
import { type Decision, GoneFiles, type Missed } from "./gone-files.ts";
import type { Moves } from "./moves.ts";
import { RestingFiles } from "./resting-files.ts";

/** Files that go missing within this time of each other are decided together; milliseconds. */
const GATHER_MS = 50;
/** The most such times that a decision waits for further files. */
const MOST_GATHERINGS = 40;
/** If this many files are missing, and at least half of all, the daemon treats none of them as deleted (I10). */
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
  /** Opens the document of a file to take in the file's fate. */
  readonly open: (path: DocPath) => Promise<unknown>;
  /** Looks at a file that is there again, whose document is not in memory. */
  readonly back: (path: DocPath) => void;
  readonly graceMs: number;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
  /** The renames of files that the daemon has noted. */
  readonly moves: Pick<Moves, "to" | "from" | "underWay">;
  readonly fallen: FallenNames;
  /** As the `placed` of `RestingFiles`. */
  readonly placed: NonNullable<ConstructorParameters<typeof RestingFiles>[1]>;
  /** Yields the paths of all files that could be missing, and hold some text. */
  readonly known: () => AsyncIterable<DocPath>;
  readonly load: (path: DocPath) => Promise<Document | undefined>;
  /** Moves a document to its file's new path; `image` is the file. Refused for a document that was dropped. */
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
  /** Files whose fate was decided before their documents are loaded. */
  #opening: { readonly missed: ReadonlyMap<DocPath, Missed>; readonly fate: Fate } | undefined;
  readonly #goneFiles: GoneFiles;
  readonly #resting: RestingFiles;
  readonly #search: FileSearch;

  /** `recorded` are the records of all documents at the start. */
  constructor(files: Files, clock: Clock, recorded: readonly DocumentRecord[], tree: KnownDocuments) {
    this.#files = files;
    this.#clock = clock;
    this.#tree = tree;
    const { open, back, graceMs, report } = tree;
    this.#resting = new RestingFiles(recorded, tree.placed);
    this.#search = new FileSearch({ files, skips: tree.skips, isFree: tree.isFree });
    this.#goneFiles = new GoneFiles(
      { files, clock, graceMs, report },
      {
        open,
        back,
        decide: (missed) => this.#decideAll(missed),
        opening: (missed, fate) => {
          this.#opening = { missed, fate };
        },
      },
    );
  }

  /** Remembers the file of a document that is not in memory. */
  rest(path: DocPath, image: Image): void {
    this.#resting.add(path, image);
  }

  /** As `GoneFiles.add`. */
  add(path: DocPath, image: Image): void {
    this.#goneFiles.add(path, image);
  }

  /** As `GoneFiles.hint`. */
  hint(path: DocPath): void {
    this.#goneFiles.hint(path);
  }

  /** As `GoneFiles.settled`. */
  settled(): Promise<void> {
    return this.#goneFiles.settled();
  }

  /** Returns when a file was first missed whose document was not in memory; undefined for any other. */
  missed(path: DocPath): FirstMissed | undefined {
    const decided = this.#opening?.missed.get(path)?.since;
    if (decided !== undefined) return { since: decided, isOver: true };
    const since = this.#goneFiles.missedSince(path);
    return since === undefined ? undefined : { since, isOver: false };
  }

  /** Decides the fate of files that have been missing for the grace time, whose documents are not in memory. */
  async #decideAll(missed: ReadonlyMap<DocPath, Missed>): Promise<Decision> {
    const lost = new Map(missed);
    const moved: DocPath[] = [];
    const known = [...missed].map(([path, { image }]) => ({ of: path, image }));
    const { found, there } = await this.#search.walk(known);
    for (const [from, { path }] of found) {
      lost.delete(from);
      moved.push(path);
    }
    // Their documents find where they are.
    const { moves, fallen } = this.#tree;
    for (const path of [...moves.underWay(), ...fallen.paths()]) if (lost.delete(path)) moved.push(path);
    const none: ReadonlyMap<DocPath, Missed> = new Map();
    const images = new Map([...lost].map(([path, { image }]) => [path, image]));
    return lost.size > 0 && (await this.#areMany(images, there))
      ? { moved, deleted: none, unsure: lost }
      : { moved, deleted: lost, unsure: none };
  }

  /** Decides the fate of a document's file that has been missing for the grace time. */
  async fateOf(document: Document): Promise<Fate> {
    // A person accepted the deletion of the files that were missing then. It does not hold for files that were back since.
    if (this.#allowed.delete(document) && document.mirror.problem?.kind === "missing") return "deleted";
    const decided = this.#opening?.missed.has(document.path) ? this.#opening.fate : undefined;
    if (decided === "unsure") this.#unsure.add(document);
    if (decided !== undefined) return decided;
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
    this.#goneFiles.close();
  }

  /** Accepts that the missing files of documents that are not in memory were deleted; returns their number. */
  release(): number {
    return this.#goneFiles.release();
  }

  /** Accepts that the missing files that the daemon waits for were deleted; returns their documents in memory. */
  async allow(): Promise<readonly Document[]> {
    const missing = this.#tree.loaded().filter(({ mirror }) => mirror.problem?.kind === "missing");
    for (const document of missing) this.#allowed.add(document);
    // A look that is under way may have asked before.
    await Promise.all(missing.map(({ mirror }) => mirror.taking));
    return missing;
  }

  /** Finds the document whose file was moved to an unknown path, and moves the document there. */
  async arrivedAt(path: DocPath): Promise<Document | undefined> {
    const image = this.#files.look(path);
    if (isFileProblem(image) || !this.#tree.isFree(path)) return undefined;
    const fallen = this.#tree.fallen.from(path, image);
    if (fallen !== undefined) await this.#tree.load(fallen); // it then has this image, if the file is its own
    const from = this.#from(path, image);
    const document = typeof from === "string" ? await this.#tree.load(from) : from;
    // While it was loaded, another document may have come to its former path, or to this one.
    if (document === undefined || !isMissing(this.#files, document.path) || !this.#tree.isFree(path))
      return undefined;
    await this.#tree.move(document, path, image);
    return document;
  }

  /** Returns the path where the missing file of a document is now, if it is there: `images` are what it may be. */
  async movedTo(
    { id, path }: Pick<DocumentRecord, "id" | "path">,
    images: readonly Image[],
  ): Promise<DocPath | undefined> {
    const there = this.#movedTo(id, path as DocPath) ?? (await this.#search.find(images));
    return there?.path ?? this.#tree.fallen.of(id);
  }

  /** Returns true for a file that a document had at another path, where it is missing now: `image` is the file. */
  isMoved(path: DocPath, image: Image): boolean {
    return (this.#from(path, image) ?? this.#tree.fallen.from(path, image)) !== undefined;
  }

  /** Returns the document, or its former path, that a file at a path had before: `image` is the file. */
  #from(path: DocPath, image: Image): Document | DocPath | undefined {
    return this.#loadedFrom(image) ?? this.#restingFrom(image) ?? this.#tree.moves.from(path);
  }

  #loadedFrom(image: Image): Document | undefined {
    return this.#tree.loaded().find(({ path, mirror }) => this.#isMissing(path, mirror.last, image));
  }

  /** Returns the former path of a file whose document is not in memory, or that had none. */
  #restingFrom(image: Image): DocPath | undefined {
    const resting = this.#resting.withInode(image);
    const known = resting.find((file) => this.#isMissing(file.path, file.image, image));
    if (known !== undefined) return known.path;
    const from = this.#tree.movedFrom(image);
    return from !== undefined && this.#isMissing(from, image, image) ? from : undefined;
  }

  /** Returns true when the file that was `known` at a path is gone from there, and `image` may be it. */
  #isMissing(path: DocPath, known: Image | undefined, image: Image): boolean {
    return known !== undefined && sameFile(known, image) && isMissing(this.#files, path);
  }

  async #decide(documents: readonly Document[]): Promise<Map<Document, Fate>> {
    for (let i = 0, before = -1; i < MOST_GATHERINGS && before !== documents.length; i++) {
      before = documents.length;
      await this.#clock.sleep(GATHER_MS, this.#abort.signal);
    }
    this.#batch = undefined;
    const fates = new Map<Document, Fate>();
    const known = documents.flatMap((of) => (of.mirror.last ? [{ of, image: of.mirror.last }] : []));
    const { found: elsewhere, there } = await this.#search.walk(known);
    const found = new Map([...this.#renamed(documents), ...elsewhere]);
    for (const [document, { path, image }] of found)
      if (!isRefusal(await this.#tree.move(document, path, image))) fates.set(document, "moved");
    // A document that was dropped meanwhile is decided when it is loaded again.
    const lost = documents.filter((document) => !fates.has(document) && document.closed === undefined);
    const images = new Map(lost.map(({ path, mirror }) => [path, mirror.last]));
    const many = lost.length > 0 && (await this.#areMany(images, there));
    for (const document of lost) {
      fates.set(document, many ? "unsure" : "deleted");
      if (many) this.#unsure.add(document);
    }
    return fates;
  }

  /** Finds the files of documents that the daemon itself was renaming. */
  #renamed(documents: readonly Document[]): Map<Document, { path: DocPath; image: Image }> {
    const found = new Map<Document, { path: DocPath; image: Image }>();
    for (const document of documents) {
      const there = this.#movedTo(document.id, document.path);
      if (there !== undefined) found.set(document, there);
    }
    return found;
  }

  /** Finds the file of a document at the path to which the daemon itself was renaming it. */
  #movedTo(id: string, from: DocPath): { path: DocPath; image: Image } | undefined {
    const path = this.#tree.moves.to(id, from);
    const image = path && this.#files.look(path);
    if (path === undefined || image === undefined || isFileProblem(image)) return undefined;
    return this.#tree.isFree(path) ? { path, image } : undefined;
  }

  /**
   * Returns true if these files, of which `there` has none, and the missing files that the daemon has not noticed yet
   * are many together. On a busy machine it notices one deletion of many files little by little. Empty files do not count:
   * sandboxes make some to mount files over them. Once the daemon stops, nothing is decided any more, as when they are many.
   */
  async #areMany(
    lost: ReadonlyMap<DocPath, Image | undefined>,
    there: ReadonlySet<DocPath>,
  ): Promise<boolean> {
    let known = 0;
    let missing = [...lost.values()].filter((image) => image?.size !== 0).length;
    for await (const path of this.#tree.known()) {
      if (this.#abort.signal.aborted) return true;
      known++;
      if (lost.has(path) || there.has(path) || this.#goneFiles.isDeleted(path)) continue;
      const image = this.#files.look(path);
      if (isFileProblem(image) && image.kind === "missing") missing++;
    }
    return missing >= MASS && missing >= MASS_SHARE * known;
  }
}
