import type { Image } from "../../mirror/files.ts";
import type { Fate } from "../../mirror/mirrored-document.ts";
import { type DocPath, folderOf } from "../../mirror/path.ts";
import { type DocumentRecord, storeFailure } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import { momentOf } from "../claims/claim.ts";
import type { Context } from "../document/context.ts";
import type { Document } from "../document/document.ts";
import type { Naming } from "../document/file-events.ts";
import { loadDocument } from "../document/load.ts";
import type { Cause } from "../journal/change.ts";
import { isRefusal, type Outcome, type Refusal } from "../outcome/refusal.ts";
import { fileRefusal, stoppingRefusal, storeRefusal } from "../outcome/refusals.ts";
import type { Ports } from "../ports.ts";
import { BusyPaths } from "./busy-paths.ts";
import type { ChangeDetector } from "./change-detector.ts";
import { FallenNames } from "./fallen-names.ts";
import { refusalIfIgnored } from "./ignored-path.ts";
import { isFreeIn, knownFiles, placedFile } from "./known-files.ts";
import type { LeftBehindFiles } from "./left-behind.ts";
import { type KnownDocuments, MissingFiles } from "./missing-files.ts";
import { isTold, knownAs, Moves } from "./moves.ts";
import { refusalNaming } from "./similar-path.ts";

/** Owns the documents in memory, one object for each path: it alone loads, moves and drops them. */
export class LoadedDocuments implements Iterable<Document> {
  readonly missing: MissingFiles;
  readonly moves: Moves;
  readonly #context: Context;
  readonly #ports: Ports;
  readonly #detector: ChangeDetector;
  readonly #left: LeftBehindFiles;
  readonly #loaded = new Map<DocPath, Document>();
  readonly #byId = new Map<string, Document>();
  /** Documents that are being loaded or dropped; a caller that wants one waits and asks again. */
  readonly #busy = new BusyPaths();
  /** Documents that the store does not show yet, by the path whose baseline they took over; each may have moved on. */
  readonly #making = new Map<DocPath, Promise<unknown>>();
  /** Documents that leave memory, by their ids: the store may still have them at a path from which they were moved. */
  readonly #leaving = new Map<string, Promise<unknown>>();
  #ended = false;

  /** `recorded` are the records of all documents at the start. */
  constructor(
    context: Context,
    detector: ChangeDetector,
    left: LeftBehindFiles,
    recorded: readonly DocumentRecord[],
    forMissing: Pick<KnownDocuments, "open" | "back">,
  ) {
    this.#context = context;
    this.#left = left;
    this.#ports = context.ports;
    this.#detector = detector;
    const { files, clock, ignored, store } = context.ports;
    this.moves = new Moves(store, files);
    const isFree = (path: DocPath) =>
      this.#loaded.get(path)?.deleted ?? (!this.#busy.has(path) && isFreeIn(store, path));
    this.missing = new MissingFiles(files, clock, recorded, {
      skips: ignored.skips,
      loaded: () => [...this],
      load: (path) => this.#load(path).then((document) => (isRefusal(document) ? undefined : document)),
      isFree,
      movedFrom: (image) => context.movedFrom(image),
      moves: this.moves,
      fallen: new FallenNames(recorded, { store, files, isFree }),
      known: () => knownFiles(this.#ports),
      placed: (docId) => placedFile(this.#ports, docId),
      ...forMissing,
      graceMs: context.limits.deleteGraceMs,
      report: context.ports.report,
      move: (document, to, image) => {
        const actor = context.claims.authorOf([document.path, to], momentOf(image));
        return this.move(actor, document, to, image, undefined, { isTold: isTold(document, to) });
      },
    });
  }

  get size(): number {
    return this.#loaded.size;
  }

  [Symbol.iterator](): Iterator<Document> {
    return this.#loaded.values();
  }

  at(path: DocPath): Document | undefined {
    return this.#loaded.get(path);
  }

  byId(docId: string): Document | undefined {
    return this.#byId.get(docId);
  }

  /** Notes that the store has the present path of a document that is not in memory. */
  relocated(docId: string): void {
    this.#context.rollbacks.forget(docId);
  }

  /** Returns the path of a document, in memory or not, also where the store has not noted it; undefined for none. */
  pathOf(docId: string): string | undefined {
    return this.#byId.get(docId)?.path ?? this.#context.rollbacks.pathOf(docId);
  }

  /** Decides the fate of a document's missing file; `unsure` for a document that is not in memory. */
  async fateOf(docId: string): Promise<Fate> {
    const document = this.#byId.get(docId);
    return document === undefined ? "unsure" : this.missing.fateOf(document);
  }

  /** Waits while a document gets or leaves a path: until then nobody can tell whether a file was moved there. */
  settled(path: DocPath): Promise<void> {
    return this.#busy.settled(path);
  }

  /** Returns the document at a path; loads it if necessary, or moves it there with its file. */
  async find(path: DocPath): Promise<Outcome<Document>> {
    if (this.#ended) return stoppingRefusal();
    const loaded = this.#loaded.get(path);
    if (loaded?.deleted === false) return loaded;
    const { files, store, ignored } = this.#ports;
    const { rollbacks } = this.#context;
    const real = files.resolve(path);
    if (typeof real === "string") {
      const refused = real === path ? undefined : refusalIfIgnored(ignored, real);
      const arrived = () => this.missing.arrivedAt(real);
      return refused ?? (await this.settled(real).then(arrived)) ?? this.#load(real);
    }
    if (loaded !== undefined) return loaded;
    if (real.kind !== "missing") return fileRefusal(real);
    if (rollbacks.documentAt(path) !== undefined || store.baselines.at(path)?.sha256 !== undefined)
      return this.#load(path);
    return (await refusalNaming(files, ignored, path)) ?? fileRefusal(real);
  }

  /**
   * Adds a document that was just loaded or created; returns the document that is at its path from now on. A document
   * that comes too late is closed: the workspace has ended, or another one was moved to the path meanwhile.
   */
  add(document: Document): Outcome<Document> {
    const there = this.#loaded.get(document.path);
    if (this.#ended || there !== undefined) {
      void document.close().catch((error: unknown) => this.#unclosed(document.path, error));
      return there ?? stoppingRefusal();
    }
    this.#loaded.set(document.path, document);
    this.#byId.set(document.id, document);
    this.#context.rollbacks.forget(document.id);
    if (!document.kept) this.#make(document);
    this.#detector.awake(document.path);
    this.#watch(document.path);
    this.#left.giveTo(document);
    if (!document.holds(document.head.seq)) document.mirror.push();
    return document;
  }

  /** A document whose beginning the store refuses leaves memory, so that its next one finds where its file is. */
  #make(document: Document): void {
    const { id, path, head, durable } = document;
    this.#context.updates.publish(id, { change: head, updates: [], durable });
    const making: Promise<unknown> = durable
      .catch(() => this.drop(document))
      .finally(() => this.#making.get(path) === making && this.#making.delete(path));
    this.#making.set(path, making);
  }

  /**
   * Moves a document to its file's new path; `image` is the file. A document that was dropped is moved when it is loaded
   * again.
   */
  async move(
    actor: Actor,
    document: Document,
    to: DocPath,
    image: Image,
    cause?: Cause,
    naming?: Naming,
  ): Promise<Outcome<void>> {
    if (document.closed !== undefined) return document.closed;
    const deleted = this.#loaded.get(to);
    const dropped = deleted !== undefined && deleted !== document ? this.drop(deleted) : undefined;
    this.#loaded.delete(document.path);
    this.#loaded.set(to, document);
    this.#watch(to);
    await Promise.all([document.renamed(actor, to, knownAs(document, image), cause, naming), dropped]);
    this.moves.end(document.id);
  }

  /** Returns why the store cannot note that a document has left a path: another one may come there only after that. */
  async left(path: DocPath): Promise<Refusal | undefined> {
    const present = () => this.#movedFrom(path) ?? this.#context.rollbacks.movedFrom(path);
    if (present() === undefined) return undefined;
    const noting = await this.#load(path);
    return isRefusal(noting) && present() !== undefined ? noting : undefined;
  }

  /** Looks at the file of a stored document from now on, which stays out of memory; `image` is the file now. */
  rest(path: DocPath, image: Image): void {
    this.missing.rest(path, image);
    if (!this.#loaded.has(path)) this.#detector.rest(path, image);
  }

  /** Does work while callers that want a document at one of these paths wait. */
  async hold<T>(paths: readonly DocPath[], work: () => Promise<T>): Promise<T> {
    while (paths.some((path) => this.#busy.has(path))) for (const path of paths) await this.settled(path);
    return this.#busy.during(paths, work());
  }

  /** Drops a document from memory, and rolls back the changes that the store refused. */
  async drop(document: Document): Promise<void> {
    const { path } = document;
    const { rollbacks } = this.#context;
    if (this.#loaded.get(path) !== document) return this.settled(path);
    this.#loaded.delete(path);
    this.#byId.delete(document.id);
    this.#dormantOf(path, document); // the file may be moved while its document is being closed
    const closed = document.close().finally(() => this.#left.keepFrom(document));
    const closing = closed.then(async () => {
      const { failure } = document; // the store may have refused the last changes only now
      const problem = failure && (await rollbacks.from(document.id, failure.seq));
      if (problem !== undefined) throw problem;
    });
    const done = closing.catch((error: unknown) => this.#unclosed(path, error));
    this.#leaving.set(document.id, done);
    await this.#busy.during([path], done);
    this.#leaving.delete(document.id);
    const image = this.#dormantOf(path, document);
    rollbacks.path(document);
    if (document.failure === undefined && image !== undefined) this.#detector.rest(path, image);
  }

  /** Remembers the file of a document that leaves memory, so that a move of the file is noticed. */
  #dormantOf(path: DocPath, document: Document): Image | undefined {
    const { image } = document.mirror;
    if (image !== undefined) this.missing.rest(path, image);
    return image;
  }

  /** Drops all documents and refuses every later request. */
  async close(): Promise<void> {
    this.#ended = true;
    this.missing.close();
    await Promise.all([...this].map((document) => this.drop(document)));
  }

  async #load(path: DocPath): Promise<Outcome<Document>> {
    for (;;) {
      if (this.#ended) return stoppingRefusal();
      const loaded = this.#loaded.get(path);
      if (loaded !== undefined) return loaded;
      const there = this.#ports.store.documentAt(path)?.id ?? "";
      const busy = this.#busy.ended(path) ?? this.#making.get(path) ?? this.#leaving.get(there);
      const moved = this.#movedFrom(path);
      const present = this.#context.rollbacks.movedFrom(path);
      if (busy !== undefined) await busy;
      // The document is loaded at its present path only, so that it is never in memory twice.
      else if (moved === undefined && present !== undefined) {
        const document = await this.#load(present as DocPath);
        if (isRefusal(document)) return document;
        if (this.#movedFrom(path) === undefined) break; // another document is there
      } else if (moved === undefined) break;
      // Its changes are rolled back before another object of the same document makes changes of their numbers.
      else if (moved.failure !== undefined) await this.drop(moved);
      else {
        const unnoted = await unnotedOf(moved);
        if (unnoted !== undefined) return unnoted;
      }
    }
    const loading = loadDocument(this.#context, path).then((document) =>
      isRefusal(document) ? document : this.add(document),
    );
    return this.#busy.during([path], loading);
  }

  /** Returns the document that the store still has at a path, though its file was moved from there. */
  #movedFrom(path: DocPath): Document | undefined {
    const document = this.#byId.get(this.#ports.store.documentAt(path)?.id ?? "");
    return document !== undefined && document.path !== path ? document : undefined;
  }

  #unclosed(path: DocPath, error: unknown): void {
    this.#ports.report("document.close_failed", { path, reason: String(error) });
  }

  #watch(path: DocPath): void {
    const { files, watcher } = this.#ports;
    const folder = folderOf(path);
    watcher.watch(folder === "" ? files.root : `${files.root}/${folder}`);
  }
}

/** Stores a document's path, after its event; returns why the store cannot. A refused event drops the document. */
async function unnotedOf(document: Document): Promise<Refusal | undefined> {
  if ((await storeFailure(document.durable)) !== undefined) return undefined;
  const failure = await storeFailure(document.saveRecord());
  return failure === undefined ? undefined : storeRefusal(failure);
}
