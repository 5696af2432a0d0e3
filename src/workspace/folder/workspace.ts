import { isFileProblem, onDevice, sameImage } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import { Turns } from "../../mirror/turns.ts";
import type { ChangeRecord, DocumentRecord, Seq } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Context } from "../document/context.ts";
import type { Document } from "../document/document.ts";
import { peerRegistry } from "../document/peer-registry.ts";
import type { WorkspaceEvent, WorkspaceListener } from "../events/events.ts";
import { notifyEach } from "../events/notify-each.ts";
import { UpdateFeed } from "../events/update-feed.ts";
import { idMaker } from "../ids.ts";
import { Rollbacks } from "../journal/rollback.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { unknownChange } from "../outcome/refusals.ts";
import type { Limits, Ports } from "../ports.ts";
import { changeTimes } from "../versions/change-time.ts";
import { ChangeDetector } from "./change-detector.ts";
import { FileOperations } from "./file-operations.ts";
import { LoadedDocuments } from "./loaded-documents.ts";
import { Opener } from "./opener.ts";
import { HistoryPins, keepFrom } from "./retention.ts";

/**
 * Owns a folder of documents. It loads each on first use, keeps one Document object of it, and drops it from memory
 * once nobody uses it; callers never need to know which are loaded.
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
  readonly #opener: Opener;
  readonly #files: FileOperations;
  readonly #listeners = new Set<WorkspaceListener>();
  /** New files that are being opened. */
  readonly #opening = new Set<DocPath>();

  constructor(ports: Ports, limits: Limits) {
    this.ports = ports;
    this.limits = limits;
    this.newId = idMaker(ports.random);
    this.updates = new UpdateFeed(ports.report);
    const turns = new Turns();
    const inTurn = (path: DocPath, work: () => Promise<unknown>) =>
      this.#inBackground(path, turns.next().then(work));
    this.#detector = new ChangeDetector(ports.files, {
      loaded: () => this.#loaded,
      loadedAt: (path) => this.#loaded.at(path),
      changed: (path) => inTurn(path, () => this.open(path)),
      appeared: (path) => inTurn(path, () => this.#openNew(path)),
    });
    this.#context = {
      ports,
      limits,
      newId: this.newId,
      changeTime: changeTimes(ports.clock),
      emit: (event) => this.emit(event),
      turns,
      updates: this.updates,
      peerOf: peerRegistry(ports),
      rollbacks: new Rollbacks(ports.store),
      keepFrom: (docId) => keepFrom(ports, this.pins, docId, limits.keepHistoryMs),
      fateOf: (docId) => this.#loaded.fateOf(docId),
    };
    this.#loaded = new LoadedDocuments(this.#context, this.#detector);
    this.#opener = new Opener(ports, limits, this.#loaded);
    this.#files = new FileOperations(this.#context, this.#loaded, this.#opener);
  }

  /** Calls the listener with every event, until the returned function is called. */
  listen(listener: WorkspaceListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends an event to every listener. */
  emit(event: WorkspaceEvent): void {
    const { report } = this.ports;
    notifyEach(this.#listeners, (listener) => listener(event), { news: event.type, report });
  }

  /** Opens new files whose path matches as they appear, until the returned function is called. */
  watchFor(match: (path: string) => boolean): () => void {
    return this.#detector.watchFor(match);
  }

  get loaded(): Iterable<Document> {
    return this.#loaded;
  }

  loadedAt(path: DocPath): Document | undefined {
    return this.#loaded.at(path);
  }

  /** Drops a document from memory: it refuses everything (`closed`). Changes that the store refused are rolled back. */
  drop(document: Document): Promise<void> {
    return this.#loaded.drop(document);
  }

  /** As `Opener.open`. */
  open(path: string): Promise<Outcome<Document>> {
    return this.#opener.open(path);
  }

  /** As `Opener.openAll`. */
  openAll(...args: Parameters<Opener["openAll"]>): Promise<Outcome<Document>[]> {
    return this.#opener.openAll(...args);
  }

  /** As `Opener.opened`. */
  opened(path: string): Promise<Outcome<Document>> {
    return this.#opener.opened(path);
  }

  /** As `Opener.openedById`. */
  openedById(docId: string): Promise<Outcome<Document> | undefined> {
    return this.#opener.openedById(docId);
  }

  /** As `Opener.openMatching`. */
  openMatching(...args: Parameters<Opener["openMatching"]>): ReturnType<Opener["openMatching"]> {
    return this.#opener.openMatching(...args);
  }

  /** As `FileOperations.create`. */
  create(actor: Actor, path: string, content: Decoded): Promise<Outcome<Document>> {
    return this.#files.create(actor, path, content);
  }

  /** As `FileOperations.remove`. */
  remove(actor: Actor, document: Document): Promise<Outcome<void>> {
    return this.#files.remove(actor, document);
  }

  /** As `FileOperations.rename`. */
  rename(actor: Actor, document: Document, to: string): Promise<Outcome<DocPath>> {
    return this.#files.rename(actor, document, to);
  }

  /** As `FileOperations.restore`. */
  restore(actor: Actor, path: string): Promise<Outcome<Document>> {
    return this.#files.restore(actor, path);
  }

  /** Returns a change as it is stored; undefined for a change that the store still has to roll back. */
  storedChange(docId: string, seq: Seq): ChangeRecord | undefined {
    return seq < this.#context.rollbacks.owed(docId) ? this.ports.store.change(docId, seq) : undefined;
  }

  /** Returns true when a change is stored at its place in its document, and is not still to be rolled back. */
  stores(changeId: string, docId: string, seq: Seq): boolean {
    const at = this.ports.store.find(changeId);
    return at?.docId === docId && at.seq === seq && seq < this.#context.rollbacks.owed(docId);
  }

  /** Finds a change by its id, and opens its document. */
  async findChange(changeId: string): Promise<Outcome<{ document: Document; change: ChangeRecord }>> {
    const { store } = this.ports;
    const found = store.find(changeId);
    const record = found && store.document(found.docId);
    const change = found && this.storedChange(found.docId, found.seq);
    if (record === undefined || change === undefined) return unknownChange(changeId);
    const document = await this.open(record.path);
    return isRefusal(document) ? document : { document, change };
  }

  /** Accepts that files that went missing all at once were really deleted; returns how many. */
  async resume(): Promise<number> {
    const missing = this.#loaded.missing.allow();
    await Promise.all(missing.map(({ mirror }) => mirror.fresh()));
    return missing.filter(({ deleted }) => deleted).length;
  }

  /** Takes a hint that something may have changed at an absolute path. */
  hint(absolute: string): void {
    this.#detector.hint(absolute);
  }

  /** Compares every document that was in use with its file (I9); resolves once all were compared. */
  verify(): Promise<void> {
    return this.#detector.verify();
  }

  /** Returns true when a stored document's file is what its record says. */
  isAsRecorded({ path, image }: DocumentRecord): boolean {
    if (image === undefined) return false;
    const seen = this.ports.files.look(path as DocPath);
    return !isFileProblem(seen) && sameImage(seen, onDevice(image, seen.dev));
  }

  /** Remembers the file of a document that stays out of memory, so that a move of the file is noticed. */
  rest({ path, image }: DocumentRecord): void {
    if (image !== undefined) this.#loaded.missing.rest(path as DocPath, image);
  }

  /** Waits until the files hold every change, as far as they can be written, but no longer than `ms`. */
  async flush(ms: number): Promise<void> {
    const writing = [...this.#loaded].map(({ mirror, head }) => mirror.reached(head.seq));
    const enough = new AbortController();
    await Promise.race([Promise.all(writing), this.ports.clock.sleep(ms, enough.signal)]);
    enough.abort();
  }

  /** Drops all documents; every later request is refused. */
  close(): Promise<void> {
    return this.#loaded.close();
  }

  /** Lets work go on that nobody waits for; a defect in it is reported (I14). */
  #inBackground(path: DocPath, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.ports.report("document.defect", { path, reason: String(error) });
    });
  }

  /** Opens a file that appeared. Hints of it come more than once, also while it is being opened. */
  async #openNew(path: DocPath): Promise<void> {
    if (this.#opening.has(path)) return;
    this.#opening.add(path);
    const known = this.ports.store.documentAt(path) !== undefined;
    const document = await this.open(path).finally(() => this.#opening.delete(path));
    if (isRefusal(document) || known) return;
    this.emit({ type: "created", path: document.path, docId: document.id, author: "disk" });
  }
}
