import type { ReplicaVersion } from "../../doc/finding.ts";
import { type Applied, inOrder, type Pair } from "../../doc/pair.ts";
import type { Peer } from "../../doc/peers.ts";
import type { FileProblem, Image, Staged } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { Blocked, Fate, MirroredDocument, Wanted } from "../../mirror/mirrored-document.ts";
import { Mirror } from "../../mirror/mirror.ts";
import type { DocPath } from "../../mirror/path.ts";
import { type ChangeRecord, type Lacked, type Origin, type Seq, storeFailure } from "../../store/store.ts";
import type { Overlap } from "../../text/delta.ts";
import { diff } from "../../text/diff.ts";
import { merge } from "../../text/merge.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { type Actor, DISK, LATE, RESCUER } from "../access/actor.ts";
import { changeSummary } from "../events/change-summary.ts";
import { EventQueue } from "../events/event-queue.ts";
import type { WorkspaceEvent } from "../events/events.ts";
import type { ChangeMeta, Committed, DocumentParts, Failure, UnwrittenChange } from "../journal/change.ts";
import { Journal } from "../journal/journal.ts";
import type { Outcome, Refusal } from "../outcome/refusal.ts";
import { droppedRefusal } from "../outcome/refusals.ts";
import { rescue } from "../saves/rescue.ts";
import { besideOf, type StaleBase, type StaleSave, staleSave } from "../saves/stale-save.ts";
import { digestNow } from "../versions/digest.ts";
import { type Version, versionOf } from "../versions/version.ts";
import { VersionHistory } from "../versions/version-history.ts";
import type { Context } from "./context.ts";
import { FileRecord } from "./file-record.ts";

/** A file is made to outlast a power cut after so long without edits, and so often while there are. */
const SYNC_REST_MS = 1_000;
const SYNC_EVERY_MS = 5_000;

/**
 * One loaded document, and the only owner of its file. Everything that changes it runs to its end without
 * waiting; only the journal and the file are waited for afterwards.
 */
export class Document implements MirroredDocument {
  readonly id: string;
  readonly mirror: Mirror;
  readonly #context: Context;
  readonly #pair: Pair;
  readonly #versions: VersionHistory;
  readonly #journal: Journal;
  readonly #record: FileRecord;
  readonly #events: EventQueue;
  #head: ChangeRecord;
  /** Oldest first. There may be thousands while somebody saves without a pause. */
  #unwritten: UnwrittenChange[];
  lastUsed: number;
  #syncedAt = Number.NEGATIVE_INFINITY;
  /** Set once the document is dropped: its replicas are about to be freed, or are. */
  #closing: Promise<void> | undefined;

  constructor(context: Context, parts: DocumentParts) {
    this.id = parts.record.id;
    this.#context = context;
    this.#record = new FileRecord(context.ports.store, parts.record);
    this.#events = new EventQueue(context.emit, context.ports.report);
    this.#pair = parts.pair;
    this.#head = parts.head;
    this.#unwritten = [...parts.ahead];
    this.#journal = new Journal(context.ports, this.id, parts, ({ seq, error }) => {
      const { kind, message: reason } = error;
      context.ports.report("document.failed", { path: this.path, seq, kind, reason });
    });
    this.#versions = new VersionHistory(context.ports.store, parts.record.id, parts.head, parts.pair.memory);
    this.lastUsed = context.ports.clock.elapsed();
    const { maxFileBytes, deleteGraceMs } = context.limits;
    const options = { maxBytes: maxFileBytes, deleteGraceMs };
    const { turns } = context;
    this.mirror = new Mirror(
      { ...context.ports, turns },
      options,
      this,
      this.id,
      this.path,
      parts.record.image,
    );
  }

  /** The largest that it may become. */
  get maxBytes(): number {
    return this.#context.limits.maxFileBytes;
  }

  get path(): DocPath {
    return this.#record.path;
  }

  get text(): Text {
    return this.#pair.memory;
  }

  get content(): Decoded {
    return { bom: this.#record.record.bom, text: this.#pair.memory };
  }

  get head(): ChangeRecord {
    return this.#head;
  }

  get version(): Version {
    return versionOf(this.#head);
  }

  get versions(): VersionHistory {
    return this.#versions;
  }

  get deleted(): boolean {
    return this.#record.deleted;
  }

  get pendingWrites(): number {
    return this.#unwritten.length;
  }

  /** True when the file holds everything up to a change. */
  holds(seq: Seq): boolean {
    return seq <= this.#record.record.landed;
  }

  /** Set once the store refused a change: this object no longer tells the truth and must be loaded anew. */
  get failure(): Failure | undefined {
    return this.#journal.failure;
  }

  /** Why nothing more can be made of this object: it was dropped. Whoever kept it across a wait opens it again. */
  get closed(): Refusal | undefined {
    return this.#closing && droppedRefusal(this.path);
  }

  /** Applies an agent's edit; `splices` are in the positions of `text`. */
  edit(actor: Actor, splices: readonly Splice[], meta: ChangeMeta): Outcome<Committed> {
    return this.closed ?? this.#edit(actor, splices, meta);
  }

  #edit(actor: Actor, splices: readonly Splice[], meta: ChangeMeta): Committed {
    const peer = this.#context.peerOf(actor, "memory");
    return this.#apply(actor, meta, () => this.#pair.edit(peer, splices));
  }

  /** Takes in an edit that was made on a replica elsewhere and found sound. */
  adopt(actor: Actor, update: Uint8Array): Outcome<Committed> {
    return this.closed ?? this.#apply(actor, { origin: "remote" }, () => this.#pair.adopt(update));
  }

  /** What a replica elsewhere lacks, as of now; not all of it may be durable yet. */
  shared(version: ReplicaVersion): Outcome<ReturnType<Pair["shared"]>> {
    return this.closed ?? this.#pair.shared(version);
  }

  /** True when there are operations of a peer in it. */
  knows(peer: Peer): Outcome<boolean> {
    return this.closed ?? this.#pair.knows(peer);
  }

  #apply(actor: Actor, meta: ChangeMeta, change: () => Applied): Committed {
    try {
      const applied = change();
      this.#context.ports.reached("applied");
      const committed = this.#commit(applied, actor, meta);
      this.mirror.push();
      return committed;
    } catch (error) {
      this.broken(error);
      throw error;
    }
  }

  /** The document has a file again, made by `actor`, which holds `content`, and holds nothing else itself. */
  recreate(actor: Actor, path: DocPath, content: Decoded, image: Image): Outcome<void> {
    if (this.closed !== undefined) return this.closed;
    this.mirror.moved(path, image);
    this.#record.update({ path });
    this.#takeIn(actor, "agent", content, image);
    // What the file never held was merged beside it; the history keeps that.
    const rest = diff(this.text.toString(), content.text.toString());
    if (rest.length > 0) this.#edit(actor, rest, { origin: "agent" });
  }

  /** Resolves once the store has everything; rejects with a StoreError when it refused any of it. */
  get durable(): Promise<void> {
    return this.#journal.durable;
  }

  /** True when the store has everything. */
  get kept(): boolean {
    return this.#journal.kept;
  }

  renamed(actor: Actor, to: DocPath, image: Image): Promise<void> {
    const path = this.path;
    this.mirror.moved(to, image);
    this.#record.update({ path: to });
    this.#record.seen({ image }, this.#journal.durable);
    this.#announce({
      type: "renamed",
      path,
      to,
      docId: this.id,
      author: actor.name,
    });
    return this.#noteFate();
  }

  removed(actor: Actor): Promise<void> {
    this.mirror.moved(this.path, undefined);
    this.#markDeleted(actor);
    return this.#noteFate();
  }

  /** The file is where it is, or gone, noted or not: the house tries again, and a new start sees for itself. */
  async #noteFate(): Promise<void> {
    const failure = await storeFailure(this.saveRecord());
    if (failure !== undefined)
      this.#context.ports.report("document.unnoted", { path: this.path, reason: failure.message });
  }

  // What the mirror asks and tells (Held).

  wanted(): Wanted | undefined {
    if (!this.#behind || this.failure) return undefined;
    return {
      mark: this.#head.seq,
      content: this.content,
      durable: this.#journal.durable,
    };
  }

  known(): Decoded {
    return { bom: this.#record.record.bom, text: this.#pair.disk };
  }

  async staged(mark: number, { id, image }: Pick<Staged, "id" | "image">): Promise<FileProblem | undefined> {
    const failure = await storeFailure(this.#record.stage({ seq: mark, id, image }));
    if (failure === undefined) return undefined;
    return { kind: failure.kind === "full" ? "full" : "io", message: `the state folder: ${failure.message}` };
  }

  landed(mark: number, image: Image): void {
    const done = this.#unwritten.filter(({ seq }) => seq <= mark);
    this.#unwritten = this.#unwritten.slice(done.length);
    this.#pair.landed(done.length);
    this.#record.update({ landed: mark, image });
  }

  meant(content: Decoded, bytes: Uint8Array): boolean | Promise<boolean> {
    return this.#stale(content) === undefined || this.#context.ports.inGit(bytes);
  }

  saved(content: Decoded, image: Image, meant: boolean): void {
    this.#takeIn(DISK, "disk", content, image, meant ? undefined : this.#stale(content));
  }

  late(known: Decoded, content: Decoded): void {
    if (this.failure !== undefined) return;
    const { splices, conflicts } = merge(
      known.text.toString(),
      this.text.toString(),
      content.text.toString(),
    );
    if (splices.length === 0) return;
    this.#edit(LATE, splices, { origin: "disk" });
    if (conflicts.length > 0) this.#announceConflict(LATE, conflicts, known.text);
  }

  touched(image: Image): void {
    this.#revive(DISK);
    this.#noteSeen({ image });
  }

  fate(): Promise<Fate> {
    return this.#context.fateOf(this.id);
  }

  gone(): void {
    this.#markDeleted(DISK);
  }

  blocked(problem: Blocked | undefined): void {
    const { path } = this;
    this.#context.ports.report(problem ? "mirror.blocked" : "mirror.recovered", {
      path,
      problem: problem?.kind,
    });
    this.#announce(problem ? { type: "blocked", path, problem } : { type: "recovered", path });
  }

  broken(error: unknown): void {
    this.#journal.fail(this.#head.seq + 1, error);
  }

  // Keeping house.

  /** Stores what is known of the file, if that changed since it was last stored. */
  async saveRecord(): Promise<void> {
    if (this.failure === undefined && this.closed === undefined) await this.#record.save();
  }

  /** True when nothing is under way and nothing would be lost by dropping this object. */
  get restful(): boolean {
    return (
      this.#unwritten.length === 0 && !this.#behind && this.mirror.idle && this.mirror.problem === undefined
    );
  }

  /**
   * Makes the file outlast a power cut, when it was written to since it last was. Until then the journal is
   * needed to tell what it may turn out to hold. Never waited for by edits: it takes milliseconds.
   */
  async sync(): Promise<void> {
    const { landed, synced = -1 } = this.#record.record;
    if (landed <= synced || this.deleted || this.failure || this.mirror.problem) return;
    const { clock, files, reached, report } = this.#context.ports;
    this.#syncedAt = clock.elapsed();
    const problem = await files.sync(this.path);
    reached("synced");
    if (problem === undefined) return this.#record.update({ synced: landed });
    report("mirror.sync_failed", { path: this.path, problem: problem.kind });
    // What the system could not write it has forgotten: a second try would succeed without it.
    if (problem.kind === "io") this.#writeAnew();
  }

  /** True when it is time to make the file outlast a power cut: a while after the last edit, or after many. */
  get syncDue(): boolean {
    const { landed, synced = -1 } = this.#record.record;
    const now = this.#context.ports.clock.elapsed();
    const [rested, since] = [now - this.lastUsed, now - this.#syncedAt];
    return landed > synced && since >= SYNC_REST_MS && (rested >= SYNC_REST_MS || since >= SYNC_EVERY_MS);
  }

  #writeAnew(): void {
    this.#record.update({ landed: Math.min(this.#record.record.landed, this.#head.seq - 1) });
    this.mirror.push();
  }

  /** Folds the journal into the snapshot when it has grown past it (I15). */
  async compact({ leaving }: { readonly leaving: boolean }): Promise<void> {
    if (!this.restful || this.failure) return;
    const { keepHistoryMs } = this.#context.limits;
    const keepFrom = leaving && keepHistoryMs > 0 ? this.#context.keepFrom(this.id) : 0;
    if (!this.#journal.outgrown(leaving) && keepFrom <= this.#versions.oldest.seq) return;
    await this.#journal.durable;
    await this.sync();
    if (this.closed !== undefined) return;
    if (this.restful && this.#record.record.synced === this.#head.seq)
      await this.#journal.fold(this.#head.seq, this.#pair.save({ shallow: keepHistoryMs > 0 }), keepFrom);
  }

  /** Refuses everything from now on, waits for what is under way, stores what is known, and frees the replicas. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.mirror.close();
    await this.#journal.settled;
    await this.#events.settled();
    try {
      await this.sync();
      if (this.failure === undefined) await this.#record.save();
    } finally {
      this.#pair.close();
    }
  }

  #takeIn(actor: Actor, origin: Origin, content: Decoded, image: Image, stale?: StaleSave): void {
    this.#revive(actor);
    const { peerOf } = this.#context;
    const peers = { disk: peerOf(actor, "disk"), memory: peerOf(actor, "memory") };
    const { landed } = this.#record.record;
    const known = this.#pair.disk;
    const pending = stale?.rescue && this.#versions.since(this.#newestLanded);
    const applied = this.#pair.takeIn(peers, content.text);
    if (applied.updates.disk !== undefined) {
      const pending = new Set(this.#unwritten.map(({ author }) => author));
      const beside = besideOf(content.text, applied.after, [...pending]);
      const lacked = stale?.superseded && { lacked: stale.superseded };
      this.#commit(applied, actor, { origin, landed, ...beside, ...lacked }, content.bom);
    }
    if (applied.overlaps.length > 0) this.#announceConflict(actor, applied.overlaps, known);
    const save = this.#head;
    if (stale?.rescue && pending) this.#rescue(stale.rescue, known, pending);
    if (stale?.superseded) this.#announceSuperseded(save, stale.superseded);
    this.#noteSeen({ image, bom: content.bom });
    if (this.#behind) this.mirror.push();
  }

  /** The file is what the disk replica says, which is all there is when nothing is ahead of it. */
  #noteSeen(seen: { readonly image: Image; readonly bom?: boolean }): void {
    const landed = this.#unwritten.length === 0 ? { landed: this.#head.seq } : {};
    this.#record.seen({ ...seen, ...landed }, this.#journal.durable);
  }

  /** The file is there and does not hold everything. */
  get #behind(): boolean {
    return !this.deleted && !this.holds(this.#head.seq);
  }

  /** What a save takes out that its author need not have seen. */
  #stale(content: Decoded): StaleSave | undefined {
    if (this.#context.limits.staleSaves === "disk") return undefined;
    return staleSave(this.#versions, this.#newestLanded, this.#pair.disk, content);
  }

  /** The newest change before those that the file does not hold yet. */
  get #newestLanded(): Seq {
    return this.#unwritten.length === 0 ? this.#head.seq : this.#unwritten[0]!.seq - 1;
  }

  /** Gives back what the save that was just taken in lacked (I6); `pending` is what the file did not hold then. */
  #rescue({ base, authors, text, merge }: StaleBase, known: Text, pending: readonly Splice[]): void {
    const { path } = this;
    const { splices, overlaps } = rescue(known, merge, pending, this.text);
    if (splices.length === 0) return;
    const lacked = { base, authors };
    const message = `gives back what ${authors.join(", ")} wrote, which a save made from ${base} lacked`;
    const [merged, whole] = [known.splice(merge.splices), this.text.splice(splices)];
    const beside = besideOf(merged, whole, this.#head.beside?.authors ?? []);
    const { change } = this.#edit(RESCUER, splices, { origin: "undo", message, lacked, ...beside });
    const changeId = change.id;
    const [{ version }, { conflicts }] = [this, merge];
    this.#announce({ type: "rescued", path, version, changeId, ...lacked, conflicts, text });
    if (overlaps.length > 0) this.#announceConflict(RESCUER, overlaps, known);
  }

  /** Names what a save took out that may have been meant (I6). */
  #announceSuperseded(save: ChangeRecord, lacked: Lacked): void {
    this.#announce({
      type: "superseded",
      path: this.path,
      version: versionOf(save),
      changeId: save.id,
      ...lacked,
    });
  }

  #commit(applied: Applied, actor: Actor, meta: ChangeMeta, bom = this.#record.record.bom): Committed {
    const { before, after, splices, updates } = applied;
    const sha256 = digestNow({ bom, text: after });
    const previous = this.#head;
    const change: ChangeRecord = {
      seq: previous.seq + 1,
      id: this.#context.newId("chg"),
      author: actor.name,
      agent: actor.agent,
      origin: meta.origin,
      time: this.#context.ports.clock.now(),
      ...(meta.message !== undefined && { message: meta.message }),
      ...(meta.undoes !== undefined && { undoes: meta.undoes }),
      ...(meta.beside && { beside: meta.beside }),
      ...(meta.lacked && { lacked: meta.lacked }),
      ...(meta.batch && { batch: meta.batch }),
      splices,
      removed: before.removed(splices),
      ...(sha256 !== undefined && { sha256 }),
    };
    this.#head = change;
    this.#versions.push(change, after);
    if (updates.memory !== undefined) this.#unwritten.push({ seq: change.seq, author: change.author });
    const entry = {
      change,
      updates: { ...updates, ...(meta.landed !== undefined && { landed: meta.landed }) },
      ...meta.keep?.(change),
    };
    const durable = this.#journal.append(entry, meta.together);
    this.#context.updates.publish(this.id, { change, updates: inOrder(updates), durable });
    if (splices.length > 0)
      this.#announce({
        type: "changed",
        ...changeSummary(this, change),
        previous: versionOf(previous),
        sha256: sha256 ?? null,
        splices,
        before,
      });
    return { change, before, after, durable };
  }

  #markDeleted(actor: Actor): void {
    this.#record.bury(this.#context.ports.clock.now());
    const unsaved = this.#unwritten.length;
    this.#announce({ type: "deleted", path: this.path, docId: this.id, author: actor.name, unsaved });
  }

  /** Tells that a deleted document has a file again. */
  #revive(actor: Actor): void {
    if (this.deleted)
      this.#announce({ type: "created", path: this.path, docId: this.id, author: actor.name });
  }

  #announceConflict(actor: Actor, conflicts: readonly Overlap[], base: Text): void {
    const { path, version } = this;
    this.#announce({ type: "conflict", path, version, author: actor.name, conflicts, base });
  }

  #announce(event: WorkspaceEvent): void {
    this.#events.add(event, this.#journal.durable);
  }
}
