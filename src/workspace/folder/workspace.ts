import type { Image } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import { Turns } from "../../mirror/turns.ts";
import type { ChangeRecord, Seq } from "../../store/store.ts";
import { Claims } from "../claims/claims.ts";
import { Cover } from "../cover/cover.ts";
import type { Context } from "../document/context.ts";
import type { Document } from "../document/document.ts";
import type { Linked } from "../document/linked.ts";
import { peerRegistry } from "../document/peer-registry.ts";
import { SharedShelves } from "../document/shared-records.ts";
import type { WorkspaceEvent, WorkspaceListener } from "../events/events.ts";
import { notifyEach } from "../events/notify-each.ts";
import { UpdateFeed } from "../events/update-feed.ts";
import { idMaker } from "../ids.ts";
import { Rollbacks } from "../journal/rollback.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { unknownChange } from "../outcome/refusals.ts";
import type { Limits, Ports } from "../ports.ts";
import { EditorNotes } from "../saves/editor-notes.ts";
import { changeTimes } from "../versions/change-time.ts";
import { ChangeDetector } from "./change-detector.ts";
import { FileOperations } from "./file-operations.ts";
import { IgnoredDocuments } from "./ignored-documents.ts";
import { LeftBehindFiles } from "./left-behind.ts";
import { LoadedDocuments } from "./loaded-documents.ts";
import { Opener } from "./opener.ts";
import { RecentPaths } from "./recent-paths.ts";
import { HistoryPins, keepFrom } from "./retention.ts";

/**
 * Owns a folder of documents. It loads each on first use, has one Document object of it, and drops it from memory once
 * it is unused. Callers never need to know which are loaded.
 */
export class Workspace {
  readonly ports: Ports;
  readonly limits: Limits;
  readonly newId: (prefix: string) => string;
  readonly updates: UpdateFeed;
  readonly pins = new HistoryPins();
  /** The records that machines share beside documents. */
  readonly shared = new SharedShelves();
  readonly cover: Cover;
  /** The displaced files that wait for their documents. */
  readonly left: LeftBehindFiles;
  readonly claims: Claims;
  /** The link to other machines; undefined for a workspace of this machine alone. */
  linked: Linked | undefined;
  readonly #turns = new Turns();
  readonly #context: Context;
  readonly #detector: ChangeDetector;
  readonly #loaded: LoadedDocuments;
  readonly #opener: Opener;
  readonly #files: FileOperations;
  readonly #ignored: IgnoredDocuments;
  readonly recent: RecentPaths;
  readonly #listeners = new Set<WorkspaceListener>();

  constructor(ports: Ports, limits: Limits) {
    this.ports = ports;
    this.limits = limits;
    this.newId = idMaker(ports.random);
    this.updates = new UpdateFeed(ports.report);
    const lookAtAll = () => this.lookAtAll();
    this.claims = new Claims(ports.clock, this.newId, () => this.#hinted(), lookAtAll);
    const editors = new EditorNotes(ports.editors, ports.clock);
    const inTurn = (path: DocPath, work: () => Promise<unknown>) =>
      this.#inBackground(path, this.#turns.inBackground().then(work));
    this.#detector = new ChangeDetector(ports.files, {
      loaded: () => this.#loaded,
      loadedAt: (path) => this.#loaded.at(path),
      changed: (path) => inTurn(path, () => this.open(path)),
      unknown: (path) => this.cover.look(path),
      failed: (path, error) => this.#inBackground(path, Promise.reject(error)),
      overflowed: () => this.cover.doubt(),
      missing: (path, image) => this.#loaded.missing.add(path, image),
      hinted: (path) => {
        this.#ignored.hint(path);
        this.#loaded.missing.hint(path);
        editors.hinted(path, this.#loaded.at(path) !== undefined);
      },
    });
    this.cover = new Cover(
      ports,
      { ...limits.cover, maxFileBytes: limits.maxFileBytes },
      {
        open: (path) => this.openBriefly(path),
        missing: () => this.#loaded.missing,
        isLoaded: (path) => this.#loaded.at(path) !== undefined,
        isMoved: (path, image) => this.#loaded.missing.isMoved(path, image),
        skips: ports.ignored.skips,
      },
    );
    const recorded = ports.store.documents();
    const lookAt = (path: DocPath) => this.#inBackground(path, this.openBriefly(path));
    this.left = new LeftBehindFiles(ports, recorded, limits.maxFileBytes);
    this.#context = {
      ports,
      limits,
      newId: this.newId,
      changeTime: changeTimes(ports.clock),
      emit: (event) => this.emit(event),
      turns: this.#turns,
      updates: this.updates,
      linked: () => this.linked,
      claims: this.claims,
      editors,
      peerOf: peerRegistry(ports),
      rollbacks: new Rollbacks(ports.store),
      noted: (docId) => this.left.noted(docId),
      keepFrom: (docId, keepMs) => keepFrom(ports, this.pins, docId, keepMs),
      isNew: (path) => this.cover.isNew(path),
      movedFrom: (image) => this.cover.movedFrom(image),
      missed: (path) => this.#loaded.missing.missed(path),
      fateOf: (docId) => this.#loaded.fateOf(docId),
      movedTo: (record, images) => this.#loaded.missing.movedTo(record, images),
    };
    this.#loaded = new LoadedDocuments(this.#context, this.#detector, this.left, recorded, {
      open: (path) => this.openBriefly(path),
      back: (path) => (ports.store.documentAt(path) ? lookAt(path) : this.cover.look(path)),
    });
    this.#opener = new Opener(ports, this.#loaded);
    this.#files = new FileOperations(this.#context, this.#loaded, this.#opener);
    this.recent = new RecentPaths(ports, (paths) => this.cover.learn(paths));
    this.#ignored = new IgnoredDocuments(this.#context, this.#loaded, () => this.cover.rulesChanged());
  }

  /** Calls the listener with every event, until the returned function is called. */
  listen(listener: WorkspaceListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns true for a path that a rule leaves out, as the files of patterns were at the last look. */
  isIgnored(path: string): boolean {
    return this.ports.ignored.ruleFor(path) !== undefined;
  }

  /** Sends an event to every listener, unless it is about an ignored path; only the end of a document there is. */
  emit(event: WorkspaceEvent): void {
    if (event.type !== "deleted" && this.isIgnored(event.path)) return;
    if (event.type === "created" || event.type === "deleted")
      this.cover.count(event.type, this.#loaded.at(event.path as DocPath)?.text.bytes ?? 0);
    const { report } = this.ports;
    notifyEach(this.#listeners, (listener) => listener(event), { news: event.type, report });
  }

  get loaded(): Iterable<Document> & Pick<LoadedDocuments, "byId" | "pathOf" | "size"> {
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

  /** As `FileOperations.create`. */
  create(...args: Parameters<FileOperations["create"]>): ReturnType<FileOperations["create"]> {
    return this.#files.create(...args);
  }

  /** As `FileOperations.remove`. */
  remove(...args: Parameters<FileOperations["remove"]>): ReturnType<FileOperations["remove"]> {
    return this.#files.remove(...args);
  }

  /** As `FileOperations.rename`. */
  rename(...args: Parameters<FileOperations["rename"]>): ReturnType<FileOperations["rename"]> {
    return this.#files.rename(...args);
  }

  /** As `FileOperations.receive`. */
  receive(...args: Parameters<FileOperations["receive"]>): ReturnType<FileOperations["receive"]> {
    return this.#files.receive(...args);
  }

  /** As `FileOperations.restore`. */
  restore(...args: Parameters<FileOperations["restore"]>): ReturnType<FileOperations["restore"]> {
    return this.#files.restore(...args);
  }

  /** As `FileOperations.restoreAt`. */
  restoreAt(...args: Parameters<FileOperations["restoreAt"]>): ReturnType<FileOperations["restoreAt"]> {
    return this.#files.restoreAt(...args);
  }

  /** Returns a stored change, or the `entry` of the history with it; undefined for one that is still to be rolled back. */
  storedChange(docId: string, seq: Seq, as: "change" | "entry" = "change"): ChangeRecord | undefined {
    return seq < this.#context.rollbacks.owed(docId) ? this.ports.store[as](docId, seq) : undefined;
  }

  /** Returns true when a change is stored at its place in its document, and no rollback of it is due. */
  stores(changeId: string, docId: string, seq: Seq): boolean {
    const at = this.ports.store.find(changeId);
    return at?.docId === docId && at.seq === seq && seq < this.#context.rollbacks.owed(docId);
  }

  /** Finds the entry of the history that contains a change, and opens its document, also a deleted one. */
  async findChange(changeId: string): Promise<Outcome<{ document: Document; change: ChangeRecord }>> {
    const { store } = this.ports;
    const found = store.find(changeId);
    const change = found && this.storedChange(found.docId, found.seq, "entry");
    if (found === undefined || change === undefined) return unknownChange(changeId);
    const document = (await this.openedById(found.docId)) ?? unknownChange(changeId);
    return isRefusal(document) ? document : { document, change };
  }

  /** Accepts that files that went missing all at once were really deleted; returns their number. */
  async resume(): Promise<number> {
    const missing = await this.#loaded.missing.allow();
    await Promise.all(missing.map(({ mirror }) => mirror.fresh()));
    await Promise.allSettled(missing.map(({ durable }) => durable));
    return missing.filter(({ deleted }) => deleted).length + this.#loaded.missing.release();
  }

  /** As `ChangeDetector.hint`. */
  hint(absolute: string): void {
    this.#detector.hint(absolute);
  }

  /** Compares every document that was in use with its file (I9); resolves once all were compared. */
  verify(): Promise<void> {
    this.#ignored.dropAll();
    return this.#detector.verify();
  }

  /** As `LoadedDocuments.rest`. */
  rest(path: DocPath, image: Image): void {
    this.#loaded.rest(path, image);
  }

  /** Handles the hints at all changes until now; resolves with false where the watcher cannot tell of all. */
  async #hinted(): Promise<boolean> {
    const isWatched = await this.ports.watcher.drained();
    await this.#detector.settled();
    return isWatched;
  }

  /** Finds the changes of all files until now; resolves once the store has them. */
  async lookAtAll(): Promise<void> {
    const isWatched = (await this.#hinted()) && !this.cover.isDoubtful;
    await (isWatched ? this.cover.settled() : this.cover.pass(new AbortController().signal));
    const loaded = [...this.#loaded];
    await Promise.all(loaded.map(({ mirror }) => mirror.fresh()));
    await Promise.allSettled(loaded.map(({ durable }) => durable));
    await Promise.allSettled(loaded.map((document) => document.saveRecord()));
  }

  /** Drops all documents; every later request is refused. */
  async close(): Promise<void> {
    await this.#detector.settled();
    await this.cover.close();
    await this.#loaded.close();
  }

  /** Runs work without a waiting caller; reports a defect in it (I14). */
  #inBackground(path: DocPath, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.ports.report("document.defect", { path, reason: String(error) }));
  }

  /** Opens a document to take in the state of its file. No client uses it, so it may leave memory at once. */
  async openBriefly(path: DocPath): Promise<void> {
    await this.#turns.inBackground();
    const wasLoaded = this.#loaded.at(path) !== undefined;
    const document = await this.open(path);
    // The store may have refused the change of the file, as on a full disk; another pass finds it again.
    if (isRefusal(document) && this.ports.store.trouble !== undefined) this.cover.doubt();
    if (!isRefusal(document) && !wasLoaded) document.lastUsed = Number.NEGATIVE_INFINITY;
  }
}
