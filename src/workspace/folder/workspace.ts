import { type Image, isFileProblem, onDevice, sameImage } from "../../mirror/files.ts";
import { type Decoded, encode } from "../../mirror/format.ts";
import type { Mirror } from "../../mirror/mirror.ts";
import { type DocPath, isPathProblem, type PathProblem, parsePath } from "../../mirror/path.ts";
import { Turns } from "../../mirror/turns.ts";
import { type ChangeRecord, type DocumentRecord, type Seq, storeFailure } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Context } from "../document/context.ts";
import type { Document } from "../document/document.ts";
import { newDocument, seedOf } from "../document/load.ts";
import { peerRegistry } from "../document/peer-registry.ts";
import type { WorkspaceEvent, WorkspaceListener } from "../events/events.ts";
import { notifyEach } from "../events/notify-each.ts";
import { UpdateFeed } from "../events/update-feed.ts";
import { idMaker } from "../ids.ts";
import { Rollbacks } from "../journal/rollback.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import {
  fileRefusal,
  nulRefusal,
  pathRefusal,
  storeRefusal,
  tooLargeRefusal,
  unknownChange,
} from "../outcome/refusals.ts";
import type { Limits, Ports } from "../ports.ts";
import { ChangeDetector } from "./change-detector.ts";
import { LoadedDocuments } from "./loaded-documents.ts";
import { knownAs } from "./missing-files.ts";
import { HistoryPins, keepFrom } from "./retention.ts";

/** A look that was under way already may have come too early; one that is begun now suffices (I9). */
const FRESH_TRIES = 2;
/** How often several documents are opened anew until all are at rest at once. */
const REST_TRIES = 5;
/** When somebody asked for a document: after so many looks at its file were begun. */
interface Asked {
  readonly mirror: Mirror;
  readonly looks: number;
}

/** Problems of a file under which its document cannot be worked on at all. */
const CLOSED_BY = new Set(["not_text", "escape", "not_file", "too_large"]);

/**
 * A folder of documents. Each is loaded on first use, owned by one Document object, and dropped from memory
 * when it has rested; which ones are loaded is nobody else's business.
 */
export class Workspace {
  readonly ports: Ports;
  readonly limits: Limits;
  readonly newId: (prefix: string) => string;
  readonly updates: UpdateFeed;
  readonly pins = new HistoryPins();
  readonly #context: Context;
  readonly #detector: ChangeDetector;
  readonly #loaded: LoadedDocuments;
  readonly #listeners = new Set<WorkspaceListener>();
  readonly #turns = new KeyedQueue<DocPath>();
  /** New files on their way to becoming documents. */
  readonly #welcoming = new Set<DocPath>();

  constructor(ports: Ports, limits: Limits) {
    this.ports = ports;
    this.limits = limits;
    this.newId = idMaker(ports.random);
    this.updates = new UpdateFeed(ports.report);
    const turns = new Turns();
    const inTurn = <T>(work: () => Promise<T>) => turns.next().then(work);
    this.#detector = new ChangeDetector(ports.files, {
      loaded: () => this.#loaded,
      loadedAt: (path) => this.#loaded.at(path),
      changed: (path) =>
        this.#aside(
          path,
          inTurn(() => this.open(path)),
        ),
      appeared: (path) =>
        this.#aside(
          path,
          inTurn(() => this.#welcome(path)),
        ),
    });
    this.#context = {
      ports,
      limits,
      newId: this.newId,
      emit: (event) => this.emit(event),
      turns,
      updates: this.updates,
      peerOf: peerRegistry(ports),
      rollbacks: new Rollbacks(ports.store),
      keepFrom: (docId) => keepFrom(ports, this.pins, docId, limits.keepHistoryMs),
      fateOf: (docId) => this.#loaded.fateOf(docId),
    };
    this.#loaded = new LoadedDocuments(this.#context, this.#detector);
  }

  /** Calls back with everything that happens, until the answer is called. */
  listen(listener: WorkspaceListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells everybody who listens of what happened. */
  emit(event: WorkspaceEvent): void {
    const { report } = this.ports;
    notifyEach(this.#listeners, (listener) => listener(event), { news: event.type, report });
  }

  /** New files whose path passes `match` are loaded as they appear, until the answer is called. */
  watchFor(match: (path: string) => boolean): () => void {
    return this.#detector.watchFor(match);
  }

  get loaded(): Iterable<Document> {
    return this.#loaded;
  }

  loadedAt(path: DocPath): Document | undefined {
    return this.#loaded.at(path);
  }

  /** Drops a document from memory, so that it refuses everything (`closed`); what the store refused is taken back out of it first. */
  drop(document: Document): Promise<void> {
    return this.#loaded.drop(document);
  }

  /**
   * The document at a path, holding what its file holds now (I9). Callers get it in the order in which they
   * asked, so that edits sent one after the other are made in that order.
   */
  open(input: string): Promise<Outcome<Document>> {
    const path = parsePath(input);
    if (isPathProblem(path)) return Promise.resolve(pathRefusal(path));
    const mirror = this.#loaded.at(path)?.mirror;
    const asked = mirror && { mirror, looks: mirror.looks };
    return this.#turns.run([path], () => this.#open(path, asked));
  }

  /**
   * Several documents, each as `open` gives it, with nothing under way that could still be refused: what is made
   * of them together may rest on it. Who asks for one of them later gets it later. Meanwhile `getReady` may do what
   * takes long; it may be called again.
   */
  openAll(
    inputs: readonly string[],
    getReady: (opened: readonly Outcome<Document>[]) => Promise<void>,
  ): Promise<Outcome<Document>[]> {
    const paths = inputs.map(parsePath);
    const named = paths.flatMap((path) => (isPathProblem(path) ? [] : [path]));
    return this.#turns.run([...new Set(named)], () => this.#openAll(paths, getReady));
  }

  async #openAll(
    paths: readonly (DocPath | PathProblem)[],
    getReady: (opened: readonly Outcome<Document>[]) => Promise<void>,
  ): Promise<Outcome<Document>[]> {
    for (let i = 0; ; i++) {
      const opened = await Promise.all(
        paths.map((path) => (isPathProblem(path) ? pathRefusal(path) : this.#open(path))),
      );
      await getReady(opened);
      const documents = opened.flatMap((document) => (isRefusal(document) ? [] : [document]));
      const tried = i >= REST_TRIES;
      if (documents.every((document) => this.#usable(document) && (tried || atRest(document)))) return opened;
      await Promise.allSettled(documents.map(({ durable }) => durable));
    }
  }

  /** False when a document was dropped, deleted or refused by the store while others were opened. */
  #usable({ closed, deleted, failure }: Document): boolean {
    return closed === undefined && !deleted && failure === undefined;
  }

  /** What the file held at a look since `asked` suffices. */
  async #open(path: DocPath, asked?: Asked): Promise<Outcome<Document>> {
    const document = await this.#loaded.find(path);
    if (isRefusal(document)) return document;
    document.lastUsed = this.ports.clock.elapsed();
    const { mirror } = document;
    const current = () => mirror === asked?.mirror && mirror.lookedSince(asked.looks);
    for (let i = 0; i < FRESH_TRIES && !current(); i++) {
      const taking = mirror.fresh();
      if (taking === undefined) break;
      await taking;
      if (mirror.restless) break;
    }
    if (document.failure !== undefined) {
      await this.drop(document);
      return this.#open(path);
    }
    if (document.closed !== undefined) return this.#open(path); // dropped while its file was looked at
    if (document.deleted) return this.#deleted(document);
    const { problem } = mirror;
    const linked = problem?.kind === "escape" ? this.ports.files.resolve(path) : path;
    if (typeof linked === "string" && linked !== path) return this.#open(linked);
    return problem !== undefined && CLOSED_BY.has(problem.kind) ? fileRefusal(problem) : document;
  }

  /** As open, but a deleted document, or one whose file cannot be used, is told of and not refused. */
  async opened(input: string): Promise<Outcome<Document>> {
    const document = await this.open(input);
    if (!isRefusal(document)) return document;
    const path = parsePath(input);
    return (isPathProblem(path) ? undefined : this.#loaded.at(path)) ?? document;
  }

  /** As opened, for a document known by its id, wherever its file is by then; undefined where the store has none. */
  async openedById(docId: string): Promise<Outcome<Document> | undefined> {
    for (;;) {
      const path = this.#pathOf(docId);
      if (path === undefined) return undefined;
      const document = await this.opened(path);
      if (this.#pathOf(docId) === path) return document;
    }
  }

  #pathOf(docId: string): string | undefined {
    return this.#loaded.byId(docId)?.path ?? this.ports.store.document(docId)?.path;
  }

  /** A change as it is stored; undefined for one that the store still has to take back. */
  storedChange(docId: string, seq: Seq): ChangeRecord | undefined {
    return seq < this.#context.rollbacks.owed(docId) ? this.ports.store.change(docId, seq) : undefined;
  }

  /** True when a change is stored at its place in its document, and is not still to be taken back. */
  stores(changeId: string, docId: string, seq: Seq): boolean {
    const at = this.ports.store.find(changeId);
    return at?.docId === docId && at.seq === seq && seq < this.#context.rollbacks.owed(docId);
  }

  /** The change with an id, and its document. */
  async findChange(changeId: string): Promise<Outcome<{ document: Document; change: ChangeRecord }>> {
    const { store } = this.ports;
    const found = store.find(changeId);
    const record = found && store.document(found.docId);
    const change = found && this.storedChange(found.docId, found.seq);
    if (record === undefined || change === undefined) return unknownChange(changeId);
    const document = await this.open(record.path);
    return isRefusal(document) ? document : { document, change };
  }

  /** Opens the documents that match, as many as one subscription may. */
  async openMatching(
    match: (path: string) => boolean,
    skip: (path: string) => boolean,
  ): Promise<{ matched: number; opened: number }> {
    let matched = 0;
    let opened = 0;
    for await (const { path } of this.ports.files.walk(skip)) {
      if (!match(path)) continue;
      matched++;
      if (opened < this.limits.subscribeOpen && !isRefusal(await this.open(path))) opened++;
    }
    return { matched, opened };
  }

  /** Makes a file and its document; folders are made as needed. Never over another file. */
  async create(actor: Actor, input: string, content: Decoded): Promise<Outcome<Document>> {
    const path = parsePath(input);
    if (isPathProblem(path)) return pathRefusal(path);
    const { maxFileBytes } = this.limits;
    if (content.text.bytes > maxFileBytes) return tooLargeRefusal(content.text.bytes, maxFileBytes);
    if (!content.text.matches("\0").next().done) return nulRefusal();
    await this.#loaded.settled(path);
    const known = this.ports.store.documentAt(path) !== undefined;
    const earlier = known ? await this.#loaded.find(path) : undefined;
    const seed = await seedOf(this.#context, actor, content.text);
    if (isRefusal(seed)) return seed;
    const image = await this.#place(path, content);
    if (isRefusal(image)) return image;
    const again = earlier !== undefined && !isRefusal(earlier);
    const document = again
      ? (earlier.recreate(actor, path, content, image) ?? earlier)
      : this.#loaded.add(newDocument(this.#context, path, { content, image }, actor, seed));
    if (isRefusal(document)) {
      this.ports.files.remove(path, image);
      return document;
    }
    const refused = await this.#kept(document, image);
    if (refused !== undefined) return refused;
    const { id: docId } = document;
    if (!again) this.#context.emit({ type: "created", path, docId, author: actor.name });
    return document;
  }

  /** Waits until a document that was just made would outlast a power cut; unmakes it where it cannot be stored. */
  async #kept(document: Document, image: Image): Promise<Refusal | undefined> {
    const failure = await storeFailure(Promise.all([document.durable, document.sync()]));
    if (failure === undefined) return undefined;
    this.ports.files.remove(document.path, image);
    await this.drop(document);
    return storeRefusal(failure);
  }

  /** Makes it outlast a power cut that a file is at a path, or is there no more. */
  async #outlast(path: DocPath): Promise<void> {
    const problem = await this.ports.files.sync(path);
    if (problem !== undefined) this.ports.report("mirror.sync_failed", { path, problem: problem.kind });
  }

  async remove(actor: Actor, document: Document): Promise<Outcome<void>> {
    if (document.closed !== undefined) return document.closed;
    const { image } = document.mirror;
    const problem = image === undefined ? undefined : this.ports.files.remove(document.path, image);
    if (problem !== undefined) return fileRefusal(problem);
    await Promise.all([document.removed(actor), this.#outlast(document.path)]);
  }

  async rename(actor: Actor, document: Document, input: string): Promise<Outcome<DocPath>> {
    const to = parsePath(input);
    if (isPathProblem(to)) return pathRefusal(to);
    const from = document.path;
    if (document.closed !== undefined) return document.closed;
    const image = this.ports.files.rename(from, to);
    if (isFileProblem(image)) return fileRefusal(image);
    await Promise.all([
      this.#loaded.move(actor, document, to, knownAs(document, image)),
      this.#outlast(to),
      this.#outlast(from),
    ]);
    return to;
  }

  /** Gives a deleted document its file again, with all that memory held, edits that the file never had included. */
  async restore(actor: Actor, input: string): Promise<Outcome<Document>> {
    const document = await this.opened(input);
    if (isRefusal(document)) return document;
    const { path, content } = document;
    if (!document.deleted)
      return new Refusal("ALREADY_EXISTS", `${path} is not deleted`, {
        suggestion: "undo takes one change back; doc.diff shows what an older version was.",
      });
    const image = await this.#place(path, content);
    if (isRefusal(image)) return image;
    const refused = document.recreate(actor, path, content, image);
    if (refused !== undefined) {
      this.ports.files.remove(path, image);
      return refused;
    }
    return (await this.#kept(document, image)) ?? document;
  }

  /** Believes that the files are deleted which went missing all at once; answers how many. */
  async resume(): Promise<number> {
    const missing = this.#loaded.missing.allow();
    await Promise.all(missing.map(({ mirror }) => mirror.fresh()));
    return missing.filter(({ deleted }) => deleted).length;
  }

  /** Something may have changed at an absolute path: only ever a hint. */
  hint(absolute: string): void {
    this.#detector.hint(absolute);
  }

  /** Compares every document that was in use with its file (I9); resolves when all were looked at. */
  verify(): Promise<void> {
    return this.#detector.verify();
  }

  /** False when a stored document's file is not what it was when last noted; one that is rests there. */
  standsAsNoted({ path, image }: DocumentRecord): boolean {
    if (image === undefined) return false;
    const seen = this.ports.files.look(path as DocPath);
    if (isFileProblem(seen) || !sameImage(seen, onDevice(image, seen.dev))) return false;
    this.#loaded.missing.rest(path as DocPath, image);
    return true;
  }

  /** Waits until the files hold everything, so far as they can be written, but no longer than `ms`. */
  async flush(ms: number): Promise<void> {
    const writing = [...this.#loaded].map(({ mirror, head }) => mirror.reached(head.seq));
    const enough = new AbortController();
    await Promise.race([Promise.all(writing), this.ports.clock.sleep(ms, enough.signal)]);
    enough.abort();
  }

  /** Drops all documents; whoever asks for one from now on is refused. */
  close(): Promise<void> {
    return this.#loaded.close();
  }

  /** Makes a file, and the folders that it needs. */
  async #place(path: DocPath, content: Decoded): Promise<Outcome<Image>> {
    const { files } = this.ports;
    const problem = files.makeFolders(path);
    if (problem !== undefined) return fileRefusal(problem);
    const staged = await files.stage(encode(content), undefined);
    if (isFileProblem(staged)) return fileRefusal(staged);
    const image = staged.link(path);
    return isFileProblem(image) ? fileRefusal(image) : image;
  }

  /** Work that nobody waits for: a defect in it is reported and stays there (I14). */
  #aside(path: DocPath, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.ports.report("document.defect", { path, reason: String(error) });
    });
  }

  async #welcome(path: DocPath): Promise<void> {
    // Hints come more than once, also while the first of them is looked into.
    if (this.#welcoming.has(path)) return;
    this.#welcoming.add(path);
    const known = this.ports.store.documentAt(path) !== undefined;
    const document = await this.open(path).finally(() => this.#welcoming.delete(path));
    if (isRefusal(document) || known) return;
    this.#context.emit({
      type: "created",
      path: document.path,
      docId: document.id,
      author: "disk",
    });
  }

  #deleted({ path, pendingWrites: unsaved }: Document): Refusal {
    const kept = unsaved === 0 ? "" : `, and so are ${unsaved} edits that its file did not hold yet`;
    return new Refusal("DELETED", `${path} was deleted; its history is kept${kept}`, {
      suggestion:
        "Call doc.restore to bring its text back, or doc.create to make it anew; its history goes on.",
    });
  }
}

/** True when all of a document is stored, and its file shows nothing new. */
function atRest({ kept, mirror }: Document): boolean {
  return kept && (mirror.looksCurrent() || mirror.restless || mirror.problem !== undefined);
}
