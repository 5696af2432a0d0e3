import type { Pair } from "../../doc/pair.ts";
import { type Applied, inOrder, type TakenIn } from "../../doc/updates.ts";
import type { Image, ReadWatch } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import { changeId, tailOf } from "../../store/format/change-id.ts";
import type { ChangeRecord, FileEvent, Origin, Seq, UpdateRecord } from "../../store/store.ts";
import type { Overlap } from "../../text/delta.ts";
import type { Text } from "../../text/text.ts";
import { type Actor, authorshipOf, isSaver } from "../access/actor.ts";
import { changedEvent } from "../events/changed-event.ts";
import { EventQueue } from "../events/event-queue.ts";
import type { WorkspaceEvent } from "../events/events.ts";
import {
  type Cause,
  type ChangeMeta,
  type CommitOptions,
  type DocumentParts,
  type DraftedChange,
  draftChange,
  type SaveFacts,
  type UnwrittenChange,
} from "../journal/change.ts";
import { type AppendOptions, Journal } from "../journal/journal.ts";
import type { Refusal } from "../outcome/refusal.ts";
import { droppedRefusal } from "../outcome/refusals.ts";
import { mergedUnseen } from "../saves/stale-save.ts";
import { versionOf } from "../versions/version.ts";
import { VersionHistory } from "../versions/version-history.ts";
import type { Context } from "./context.ts";
import { FileRecord } from "./file-record.ts";
import { FileTexts, savedBefore } from "./file-texts.ts";
import { type Accepted, JoinedEdits } from "./joined-edits.ts";

/**
 * Owns a document's text and history: both replicas, the changes that the file does not hold yet, and the journal.
 * Every change of a document goes through here, and runs to its end without waiting.
 */
export class DocumentState {
  readonly id: string;
  readonly versions: VersionHistory;
  readonly journal: Journal;
  readonly record: FileRecord;
  readonly texts: FileTexts;
  readonly #context: Context;
  readonly #pair: Pair;
  readonly #joined: JoinedEdits;
  readonly #events: EventQueue;
  readonly #tail: string;
  #head: ChangeRecord;
  /** Oldest first. There may be thousands while a program saves without a pause. */
  readonly #unwritten: UnwrittenChange[];
  #closed = false;

  constructor(context: Context, parts: DocumentParts) {
    const { store, report } = context.ports;
    this.id = parts.record.id;
    this.record = new FileRecord(store, parts.record, () => context.noted(parts.record.id));
    this.journal = new Journal(context.ports, this.id, parts, {
      onFailure: ({ seq, error: { kind, message: reason } }) =>
        report("document.failed", { path: this.path, seq, kind, reason }),
      seal: () => this.seal(),
    });
    this.versions = new VersionHistory(store, this.id, parts.head, parts.pair.memory);
    this.#context = context;
    this.#pair = parts.pair;
    this.#joined = new JoinedEdits(parts.pair, (edit) => this.#publish(edit));
    this.#events = new EventQueue(context.emit, report);
    this.#tail = tailOf(context.newId("chg"));
    this.#head = parts.head;
    this.#unwritten = [...parts.ahead];
    const { held: text = { seq: parts.head.seq, isAlone: false }, isDamaged } = parts;
    const { image } = parts.record;
    const before = savedBefore(this.versions, text);
    this.texts = new FileTexts(context.ports.files, { path: this.path, text, image, isDamaged, before });
    if (parts.isCreated) this.announce(this.#created(parts.head.author));
  }

  get path(): DocPath {
    return this.record.path;
  }

  /** The newest text, which all clients read and edit. */
  get text(): Text {
    return this.#pair.memory;
  }

  /** Both replicas, with every edit. Their newest edits may not be durable yet. */
  get replicas(): Pick<Pair, "shared" | "knows" | "save"> {
    this.seal();
    return this.#pair;
  }

  /** The text that the file is known to hold. */
  get fileText(): Text {
    return this.#pair.disk;
  }

  get content(): Decoded {
    return { bom: this.record.current.bom, text: this.#pair.memory };
  }

  get head(): ChangeRecord {
    return this.#head;
  }

  /** Changes that the file does not hold yet, oldest first. */
  get unwritten(): readonly UnwrittenChange[] {
    return this.#unwritten;
  }

  /** Returns true when the file holds every change up to `seq`. */
  holds(seq: Seq): boolean {
    return seq <= this.record.current.landed && !this.texts.isDamaged;
  }

  /** True when the file is there and does not hold everything. */
  get behind(): boolean {
    return !this.record.deleted && !this.holds(this.head.seq);
  }

  /** The refusal of every request once the document is closed, because its replicas are freed. */
  get closed(): Refusal | undefined {
    return this.#closed ? droppedRefusal(this.path) : undefined;
  }

  /** Drafts an agent's change; `splices` are in the positions of `text`. */
  draft(actor: Actor, splices: DraftedChange["change"]["splices"], meta: ChangeMeta): DraftedChange {
    const { text: before } = this;
    return this.#draftOf(actor, { before, after: before.splice(splices), splices }, meta);
  }

  /**
   * Applies a drafted change to memory and journals it. Resolves once it is durable. Edits of one author that wait for
   * the journal together are one commit of Loro. @throws on a defect
   */
  commit(actor: Actor, drafted: DraftedChange, options: CommitOptions = {}): Promise<void> {
    const { change, before } = drafted;
    if (change.seq !== this.#head.seq + 1 || before !== this.text)
      throw new RangeError(`change ${change.seq} was drafted for another text of ${this.path}`);
    const durable = this.#apply(() => {
      const stored = this.#joined.add(this.#context.peerOf(actor, "memory"), drafted, (updates) => {
        this.#context.ports.reached("applied");
        this.#unwritten.push({ seq: change.seq, author: change.author });
        return this.#append(drafted, updates, { ...options, waits: options.transaction === undefined });
      });
      // Other machines get each change with its own operations.
      if (this.#context.linked() !== undefined) this.seal();
      return stored;
    });
    if (options.met !== undefined) this.announceConflict(actor, options.met.conflicts, options.met.base);
    return durable;
  }

  /** As `JoinedEdits.seal`: later edits are another commit. */
  seal(): void {
    this.#joined.seal();
  }

  /** Records an event of the document's file, whose text stays as it is. Resolves once it is durable. */
  fileEvent(actor: Actor, file: FileEvent, { recordsOf, ...cause }: Cause = {}): Promise<void> {
    const { text, record } = this;
    const origin = isSaver(actor) ? "disk" : cause.undoes === undefined ? "agent" : "undo";
    const meta = { origin, file, ...cause } as const;
    const hasLanded = this.holds(this.#head.seq);
    const drafted = this.#draftOf(actor, { before: text, after: text, splices: [] }, meta);
    this.seal();
    // After a crash the record has no place of the file that the history does not have. A file that came shows itself.
    const placed = file.kind === "create" ? undefined : (isKept: boolean) => record.place(isKept);
    const durable = this.#appendWhole(drafted, {}, { record: placed, records: recordsOf?.(drafted.change) });
    if (hasLanded) record.holds({ landed: drafted.change.seq }, durable);
    return durable;
  }

  /** Records and announces that a deleted document has a file again. */
  revive(actor: Actor, cause?: Cause): void {
    if (!this.record.deleted || this.#head.file?.kind === "create") return;
    void this.fileEvent(actor, { kind: "create" }, cause);
    this.announce(this.#created(actor.name));
  }

  /** Imports the sound updates of an edit of another replica. Resolves once it is durable; undefined for a known edit. */
  receive(actor: Actor, updates: readonly Uint8Array[], meta: ChangeMeta, options?: AppendOptions) {
    return this.#apply(() => {
      this.seal();
      const applied = this.#pair.receive(updates);
      if (applied === undefined) return undefined;
      this.#context.ports.reached("applied");
      return this.#appendWhole(this.#draftOf(actor, applied, meta), applied.updates, options);
    });
  }

  /** Merges a save: the file holds `content` now. Returns the merge. */
  takeIn(actor: Actor, origin: Origin, content: Decoded, { lacked, found }: SaveFacts): TakenIn {
    this.seal();
    const { peerOf } = this.#context;
    const peers = { disk: peerOf(actor, "disk"), memory: peerOf(actor, "memory") };
    const applied = this.#pair.takeIn(peers, content.text, found);
    if (applied.updates.disk === undefined) return applied;
    const authors = new Set(this.#unwritten.map(({ author }) => author));
    const beside = mergedUnseen(content.text, applied.after, [...authors]);
    const meta = { origin, ...beside, ...(lacked && { lacked }) };
    const drafted = this.#draftOf(actor, applied, meta, content.bom);
    const updates = { ...applied.updates, landed: this.record.current.landed };
    void this.#appendWhole(drafted, updates, { record: (isKept) => this.record.saved(isKept) });
    return applied;
  }

  /** Marks the changes up to `seq` as landed: the daemon wrote them to the file, which is `image` now. */
  landed(seq: Seq, image: Image, watch?: ReadWatch): void {
    this.texts.wrote(seq, image, watch);
    const next = this.#unwritten.findIndex((change) => change.seq > seq);
    const done = this.#unwritten.splice(0, next === -1 ? this.#unwritten.length : next);
    this.#pair.landed(done.length);
  }

  /** Queues an event, which listeners get once every change up to now is durable. */
  announce(event: WorkspaceEvent): void {
    this.#events.add(event, this.journal.durable);
  }

  /** Announces where the newest change met others' changes; `conflicts` are in positions of `base`. */
  announceConflict({ name: author }: Actor, conflicts: readonly Overlap[], base: Text): void {
    const version = versionOf(this.#head);
    this.announce({ type: "conflict", path: this.path, version, author, conflicts, base });
  }

  /** Marks the document as failed: the journal refuses every change after the newest one. */
  broken(error: unknown): void {
    this.journal.fail(this.#head.seq + 1, error);
  }

  /** Refuses every later request. */
  end(): void {
    this.#closed = true;
  }

  /** Resolves once the store is done with every change and every event was sent. */
  async settled(): Promise<void> {
    await this.journal.settled;
    await this.#events.settled();
  }

  /** Frees the replicas. */
  free(): void {
    this.texts.close();
    this.#pair.close();
  }

  #apply<D extends Promise<void> | undefined>(change: () => D): D {
    try {
      return change();
    } catch (error) {
      this.broken(error);
      throw error;
    }
  }

  #created(author: string): WorkspaceEvent {
    return { type: "created", path: this.path, docId: this.id, author, changeId: this.head.id };
  }

  #draftOf(
    actor: Actor,
    { before, after, splices }: Omit<Applied, "updates">,
    meta: ChangeMeta,
    bom = this.record.current.bom,
  ): DraftedChange {
    const id = changeId(this.#head.seq + 1, this.#tail);
    const identity = { id, time: this.#context.changeTime(), ...authorshipOf(actor) };
    return draftChange(this.#head, { bom, before, after }, splices, identity, meta);
  }

  /** Appends a change that no edit joins. */
  #appendWhole(drafted: DraftedChange, updates: UpdateRecord, options: AppendOptions = {}): Promise<void> {
    const { change } = drafted;
    if (updates.memory !== undefined) this.#unwritten.push({ seq: change.seq, author: change.author });
    const durable = this.#append(drafted, updates, options);
    this.#publish({ change, updates, durable });
    return durable;
  }

  #publish({ change, updates, durable }: Accepted): void {
    this.journal.grew(updates);
    this.#context.updates.publish(this.id, { change, updates: inOrder(updates), durable });
  }

  #append(
    { change, before, after }: DraftedChange,
    updates: UpdateRecord,
    { records, ...options }: CommitOptions & AppendOptions = {},
  ): Promise<void> {
    const previous = this.#head;
    this.#head = change;
    this.versions.push(change, after);
    const durable = this.journal.append({ change, updates, ...records }, options);
    if (change.splices.length > 0) this.announce(changedEvent(this, change, previous, before));
    return durable;
  }
}
