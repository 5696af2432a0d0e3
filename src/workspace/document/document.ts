import type { ReplicaVersion } from "../../doc/finding.ts";
import type { Pair } from "../../doc/pair.ts";
import type { Peer } from "../../doc/peers.ts";
import type { FileReading, Image, ReadWatch, Staged } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import { Mirror } from "../../mirror/mirror.ts";
import type { Blocked, Fate, MirroredDocument, Unnoted, Wanted } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import { type ChangeRecord, type Seq, storeFailure } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import { removalBefore } from "../claims/claim.ts";
import type { ChangeMeta, DocumentParts, DraftedChange, Failure } from "../journal/change.ts";
import type { Outcome, Refusal } from "../outcome/refusal.ts";
import { type Version, versionOf } from "../versions/version.ts";
import type { VersionHistory } from "../versions/version-history.ts";
import type { Context } from "./context.ts";
import { DocumentState } from "./document-state.ts";
import { FileEvents } from "./file-events.ts";
import { SaveIntake } from "./save-intake.ts";
import { unnoted } from "./unnoted.ts";
import { type Compaction, Upkeep } from "./upkeep.ts";

/**
 * Owns one loaded document together with its file: no other object changes either. A change runs to its end without a
 * wait; callers then wait only for the journal and the file.
 */
export class Document implements MirroredDocument {
  readonly id: string;
  readonly mirror: Mirror;
  readonly #context: Context;
  readonly #state: DocumentState;
  readonly #saves: SaveIntake;
  readonly #upkeep: Upkeep;
  readonly #file: FileEvents;
  /** The time of the last request for the document, in milliseconds of the elapsed clock. */
  lastUsed: number;
  #closing: Promise<void> | undefined;

  constructor(context: Context, parts: DocumentParts) {
    this.id = parts.record.id;
    this.#context = context;
    this.#state = new DocumentState(context, parts);
    this.#saves = new SaveIntake(context, this.#state);
    this.lastUsed = context.ports.clock.elapsed();
    const { maxFileBytes: maxBytes, deleteGraceMs } = context.limits;
    const mirrorEveryMs = () => Math.max(context.limits.mirrorEveryMs, context.linked()?.mirrorEveryMs ?? 0);
    const options = { maxBytes, deleteGraceMs, mirrorEveryMs };
    const ports = { ...context.ports, turns: context.turns };
    const { record, found = record.image } = parts;
    this.mirror = new Mirror(ports, options, this, this.id, this.path, record.image, found);
    this.#upkeep = new Upkeep(context, this.#state, this.mirror);
    this.#file = new FileEvents(context, this.#state, this.#saves, this.mirror);
  }

  /** The size that an edit may not take the document beyond, in bytes. */
  get maxBytes(): number {
    return this.#context.limits.maxFileBytes;
  }

  get path(): DocPath {
    return this.#state.path;
  }

  get text(): Text {
    return this.#state.text;
  }

  get content(): Decoded {
    return this.#state.content;
  }

  get head(): ChangeRecord {
    return this.#state.head;
  }

  get version(): Version {
    return versionOf(this.#state.head);
  }

  get versions(): VersionHistory {
    return this.#state.versions;
  }

  get deleted(): boolean {
    return this.#state.record.deleted;
  }

  /** The number of changes that the file does not hold yet. */
  get pendingWrites(): number {
    return this.#state.unwritten.length;
  }

  /** Returns true when the file holds every change up to `seq`. */
  holds(seq: Seq): boolean {
    return this.#state.holds(seq);
  }

  /** Set once the store refused a change: this object no longer agrees with the store and must be loaded again. */
  get failure(): Failure | undefined {
    return this.#state.journal.failure;
  }

  /** The refusal of every request once the document was dropped; a caller that used it across a wait opens it again. */
  get closed(): Refusal | undefined {
    return this.#state.closed;
  }

  /** Resolves once the store has everything; rejects with a StoreError when the store refused any of it. */
  get durable(): Promise<void> {
    return this.#state.journal.durable;
  }

  /** True when the store has everything. */
  get kept(): boolean {
    return this.#state.journal.kept;
  }

  // Changes by agents and by other replicas.

  /** Drafts a change of the newest text; valid until another change is committed. */
  draft(actor: Actor, splices: ChangeRecord["splices"], meta: ChangeMeta): DraftedChange {
    return this.#state.draft(actor, splices, meta);
  }

  /** Applies a drafted change; resolves once it is durable, rejects with a StoreError when nothing of it was stored. */
  commit(...args: Parameters<DocumentState["commit"]>): Outcome<{ readonly durable: Promise<void> }> {
    if (this.closed !== undefined) return this.closed;
    const durable = this.#state.commit(...args);
    this.#saves.announceRemoved(args[1].change);
    this.mirror.push();
    // The edits of this turn are joined before the file gets a version.
    if (args[2]?.awaitsFile) setImmediate(() => void this.mirror.reached(args[1].change.seq));
    return { durable };
  }

  /** As `DocumentState.seal`. */
  seal(): void {
    if (this.closed === undefined) this.#state.seal();
  }

  /** As `DocumentState.receive`. */
  receive(...args: Parameters<DocumentState["receive"]>): Outcome<{ readonly durable: Promise<void> }> {
    if (this.closed !== undefined) return this.closed;
    const durable = this.#state.receive(...args);
    if (durable !== undefined) this.mirror.push();
    return { durable: durable ?? this.durable };
  }

  /** Returns the edits that another replica lacks now; some may not be durable yet. */
  shared(version: ReplicaVersion): Outcome<ReturnType<Pair["shared"]>> {
    return this.closed ?? this.#state.replicas.shared(version);
  }

  /** Returns true when the document holds operations of a peer. */
  knows(peer: Peer): Outcome<boolean> {
    return this.closed ?? this.#state.replicas.knows(peer);
  }

  // The document's file: created again, renamed, removed.

  /** As `FileEvents.recreate`. */
  recreate(...args: Parameters<FileEvents["recreate"]>): Outcome<void> {
    return this.closed ?? this.#file.recreate(...args);
  }

  /** As `FileEvents.restored`. */
  async restored(...args: Parameters<FileEvents["restored"]>): ReturnType<FileEvents["restored"]> {
    return this.closed ?? this.#file.restored(...args);
  }

  /** As `FileEvents.renamed`. */
  renamed(...args: Parameters<FileEvents["renamed"]>): Promise<void> {
    return this.#file.renamed(...args);
  }

  /** As `FileEvents.removed`. */
  removed(...args: Parameters<FileEvents["removed"]>): Promise<void> {
    return this.#file.removed(...args);
  }

  // The calls of the mirror (MirroredDocument).

  wanted(): Wanted | undefined {
    return this.#state.behind && !this.failure ? this.#file.whole() : undefined;
  }

  known(): Decoded {
    return { bom: this.#state.record.current.bom, text: this.#state.fileText };
  }

  async staged(mark: number, { id, image }: Pick<Staged, "id" | "image">): Promise<Unnoted | undefined> {
    const { record } = this.#state;
    const failure = await storeFailure(record.stage({ seq: mark, id, image }));
    return failure && unnoted(failure, record.hasNote(id));
  }

  landed(mark: number, image: Image, watch: ReadWatch | undefined): void {
    this.#state.landed(mark, image, watch);
    this.#state.record.update({ landed: mark, image });
  }

  exposed(mark: number): void {
    this.#state.texts.exposed(mark);
  }

  async isDeliberate(content: Decoded, { bytes, image }: FileReading): Promise<boolean> {
    await this.#saves.compare(content);
    return !this.#saves.staleness(content, image) || this.#context.ports.git.contains(this.path, bytes);
  }

  saved(content: Decoded, image: Image, deliberate: boolean): void {
    const stale = deliberate ? undefined : this.#saves.staleness(content, image);
    this.#saves.save(this.#saves.authorOf(image, content), "disk", content, image, stale);
    // At once, because the author of the save may read the file, or save again, at any moment.
    if (this.#state.behind) this.mirror.push({ atOnce: true });
  }

  savedLate(...args: Parameters<SaveIntake["saveLate"]>): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure.error);
    const durable = this.#saves.saveLate(...args);
    if (this.#state.behind) this.mirror.push({ atOnce: true });
    return durable;
  }

  touched(image: Image): void {
    this.#saves.touch(this.#saves.authorOf(image), image);
    if (this.#state.behind) this.mirror.push();
  }

  missed(): ReturnType<Context["missed"]> {
    return this.#context.missed(this.path);
  }

  fate(): Promise<Fate> {
    return this.#context.fateOf(this.id);
  }

  fileDeleted(noticed: number): void {
    this.#file.deleted(this.#context.claims.authorOf([this.path], removalBefore(noticed)));
  }

  blocked(problem: Blocked | undefined): void {
    this.#file.blocked(problem);
  }

  broken(error: unknown): void {
    this.#state.broken(error);
  }

  // Maintenance.

  /** Stores the file's record, if that changed since it was last stored. */
  async saveRecord(): Promise<void> {
    if (this.failure === undefined && this.closed === undefined) await this.#state.record.save();
  }

  /** True when nothing is under way and nothing would be lost by dropping this object. */
  get restful(): boolean {
    return this.#upkeep.restful;
  }

  /** Syncs the file, if the daemon wrote it since the last sync, so that it outlasts a power cut. */
  sync(): Promise<void> {
    return this.#upkeep.sync();
  }

  /** True when it is time to `sync`. */
  get syncDue(): boolean {
    return this.#upkeep.isDue(this.lastUsed);
  }

  /** Folds the journal into the snapshot when it has outgrown it. `leaving`: the document is about to be dropped. */
  compact(options: Compaction): Promise<void> {
    return this.#upkeep.compact(options);
  }

  /** As `Upkeep.fold`. */
  fold(): Promise<void> {
    return this.#upkeep.fold();
  }

  /** Refuses every later request, waits for work under way, stores the file's record, and frees the replicas. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#state.end();
    await this.mirror.close();
    await this.#state.settled();
    try {
      await this.sync();
      if (this.failure === undefined) await this.#state.record.save();
    } finally {
      this.#state.free();
    }
  }
}
