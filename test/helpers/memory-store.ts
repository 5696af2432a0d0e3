import {
  changeOf,
  entryOf,
  entryWith,
  type PackedChange,
  packedOf,
  packOf,
  unpack,
} from "../../src/store/format/packed-changes.ts";
import { isTooLong } from "../../src/store/lmdb/record-key.ts";
import type { Shelf, ShelfName, Shelved } from "../../src/store/shelf.ts";
import {
  type AnswerRecord,
  type Appended,
  type ChangeRecord,
  type DocumentRecord,
  firstSeqOf,
  type JournalEntry,
  type PeerRecord,
  type Seq,
  type SnapshotRecord,
  type Store,
  StoreError,
  type StoreTrouble,
} from "../../src/store/store.ts";
import { MemoryBaselines } from "./memory-baselines.ts";
import { answerKey, MemoryState } from "./memory-state.ts";

type Change = (state: MemoryState) => void;

interface Write {
  readonly change: Change;
  readonly done: () => void;
  readonly failed: (error: StoreError) => void;
  readonly fails: StoreError["kind"] | undefined;
  shown: boolean;
}

interface MemoryStoreOptions {
  /** False: writes wait until `show` and `flush` are called. */
  readonly atOnce?: boolean;
  /** Called when a write waits and none did before. */
  readonly onWaiting?: () => void;
  /** A defect that tests plant: the promise of a write resolves before the write is durable. */
  readonly acknowledgeEarly?: boolean;
}

/**
 * A store in memory whose writes go through the steps of a real one. A write is requested, then visible to reads, then
 * durable; only then its promise resolves. As in LMDB, the request decides from the visible records what it removes.
 */
export class MemoryStore implements Store {
  readonly #options: MemoryStoreOptions;
  readonly #durable: MemoryState;
  readonly #visible: MemoryState;
  readonly baselines: MemoryBaselines;
  #waiting: Write[] = [];
  #toFail: StoreError["kind"][] = [];
  #appendsToRefuse = 0;
  #trouble: StoreTrouble | undefined;
  #gone = false;

  constructor(options: MemoryStoreOptions = {}, kept: MemoryState = new MemoryState()) {
    this.#options = options;
    this.#durable = kept;
    this.#visible = kept.copy();
    this.baselines = new MemoryBaselines(this.#visible, (change) => this.#write(change));
  }

  /** Writes that are not durable yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The records that a power cut would leave. */
  get durable(): MemoryState {
    return this.#durable;
  }

  /** Makes the next `count` writes fail. */
  failNext(kind: StoreError["kind"], count = 1): void {
    for (let i = 0; i < count; i++) this.#toFail.push(kind);
  }

  /** Refuses the next `count` appends of changes for want of space; other writes go through. */
  refuseAppends(count: number): void {
    this.#appendsToRefuse = count;
  }

  /** Lets all later writes go through, which the store notices by itself. */
  failNone(): void {
    this.#toFail = [];
    this.#trouble = undefined;
  }

  /** Commits the first `count` waiting writes: reads see them, but a power cut would still lose them. */
  show(count = this.#waiting.length): void {
    for (const write of this.#waiting.slice(0, count)) {
      if (write.shown || write.fails !== undefined) continue;
      write.shown = true;
      write.change(this.#visible);
    }
  }

  /** Makes the first `count` waiting writes durable and settles their promises, in order. */
  flush(count = this.#waiting.length): void {
    this.show(count);
    for (const write of this.#waiting.splice(0, count)) {
      if (write.fails === undefined) {
        write.change(this.#durable);
        this.#trouble = undefined;
        write.done();
      } else write.failed(this.#refuse(write.fails));
    }
  }

  /**
   * Ends the process. Returns the store that the next process opens: the durable writes and the first `kept` waiting
   * ones, which may be durable without an acknowledgement. This store refuses every later call.
   */
  crash(kept = 0): MemoryStore {
    this.#gone = true;
    const state = this.#durable.copy();
    const waiting = this.#waiting.splice(0);
    for (const write of waiting.slice(0, kept)) if (write.fails === undefined) write.change(state);
    for (const write of waiting) write.failed(new StoreError("failed", "the process is gone"));
    return new MemoryStore(this.#options, state);
  }

  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  documents(): DocumentRecord[] {
    const ids = [...this.#visible.documents.keys()].sort();
    return ids.map((id) => this.#visible.documents.get(id)!);
  }

  document(id: string): DocumentRecord | undefined {
    return this.#visible.documents.get(id);
  }

  documentAt(path: string): DocumentRecord | undefined {
    const given = this.#visible.paths.get(path) ?? [];
    return given.map((id) => this.document(id)).find((record) => record?.path === path);
  }

  saveDocument(record: DocumentRecord): Promise<void> {
    if (isTooLong(record.path)) return tooLong();
    return this.#write(this.#putDocument(record));
  }

  create(
    record: DocumentRecord,
    snapshot: SnapshotRecord,
    ...changes: readonly ChangeRecord[]
  ): Promise<void> {
    if (isTooLong(record.path)) return tooLong();
    const put = this.#putDocument(record);
    return this.#write((state) => {
      put(state);
      state.dropBaseline(record.path);
      state.snapshots.set(record.id, snapshot);
      for (const change of changes) state.changesOf(record.id).set(change.seq, change);
    });
  }

  append(...parts: readonly Appended[]): Promise<void> {
    if (this.#appendsToRefuse-- > 0) this.failNext("full");
    const records = parts.flatMap(({ entries }) => entries.flatMap(({ record }) => record ?? []));
    const puts = records.map((record) => this.#putDocument(record));
    return this.#write((state) => {
      for (const put of puts) put(state);
      for (const { id, entries } of parts)
        for (const { change, updates, answer, shelved = [] } of entries) {
          state.updatesOf(id).set(change.seq, updates);
          state.changesOf(id).set(change.seq, change);
          if (answer !== undefined) state.answers.set(answerKey(answer.agent, answer.opId), answer);
          for (const record of shelved) state.shelve(record);
        }
    });
  }

  compact(id: string, snapshot: SnapshotRecord, keepFrom: Seq): Promise<void> {
    const first = Math.min(keepFrom, snapshot.seq);
    const dropped = [...this.#visible.changesOf(id).keys()].filter((seq) => seq < first);
    const packs = [...this.#visible.packsOf(id).values()].filter((pack) => pack.first < first);
    const folded = [...this.#visible.updatesOf(id).keys()].filter((seq) => seq <= snapshot.seq);
    return this.#write((state) => {
      state.snapshots.set(id, snapshot);
      for (const seq of folded) state.updatesOf(id).delete(seq);
      for (const seq of dropped) state.changesOf(id).delete(seq);
      for (const pack of packs) {
        const left = unpack(pack).filter(({ facts }) => facts.seq >= first);
        if (left.length === 0) state.packsOf(id).delete(pack.last);
        else state.packsOf(id).set(pack.last, packOf(left));
      }
    });
  }

  fold(id: string, runs: readonly (readonly ChangeRecord[])[]): Promise<void> {
    const pack = packOf(packedOf(runs));
    return this.#write((state) => {
      state.packsOf(id).set(pack.last, pack);
      for (const { seq } of runs.flat()) state.changesOf(id).delete(seq);
    });
  }

  truncate(id: string, from: Seq): Promise<void> {
    const updates = [...this.#visible.updatesOf(id).keys()].filter((seq) => seq >= from);
    const changes = [...this.#visible.changesOf(id).keys()].filter((seq) => seq >= from);
    return this.#write((state) => {
      for (const seq of updates) state.updatesOf(id).delete(seq);
      for (const seq of changes) state.changesOf(id).delete(seq);
    });
  }

  snapshot(id: string): SnapshotRecord | undefined {
    return this.#visible.snapshots.get(id);
  }

  journal(id: string, after: Seq = -1): JournalEntry[] {
    const updates = [...this.#visible.updatesOf(id)].filter(([seq]) => seq > after).sort(([a], [b]) => a - b);
    return updates.map(([seq, update]) => {
      const change = this.change(id, seq);
      if (change === undefined) throw new StoreError("failed", `change ${seq} of ${id} is missing`);
      return { change, updates: update };
    });
  }

  change(id: string, seq: Seq): ChangeRecord | undefined {
    const packed = this.#packed(id, seq);
    return packed === undefined ? this.#visible.changesOf(id).get(seq) : changeOf(packed, seq);
  }

  entry(id: string, seq: Seq): ChangeRecord | undefined {
    const packed = this.#packed(id, seq);
    return packed === undefined ? this.#visible.changesOf(id).get(seq) : entryOf(packed);
  }

  oldest(id: string): ChangeRecord | undefined {
    const [first] = this.#visible.entriesOf(id);
    return first && this.change(id, firstSeqOf(first));
  }

  changes(id: string, { before, limit }: { before?: Seq; limit?: number } = {}): Iterable<ChangeRecord> {
    const older = this.#visible.entriesOf(id).filter(({ seq }) => seq < (before ?? seq + 1));
    return older.reverse().slice(0, limit);
  }

  unfolded(id: string, after: Seq, limit: number): ChangeRecord[] {
    const alone = [...this.#visible.changesOf(id).values()].filter(({ seq }) => seq > after);
    return alone.sort((a, b) => a.seq - b.seq).slice(0, limit);
  }

  folded(id: string): Seq | undefined {
    return [...this.#visible.packsOf(id).keys()].sort((a, b) => b - a)[0];
  }

  /** Returns every change of a document, the folded ones too, oldest first. */
  everyChangeOf(id: string): ChangeRecord[] {
    return this.#visible.everyChangeOf(id);
  }

  find(changeId: string): { docId: string; seq: Seq } | undefined {
    for (const [docId, changes] of this.#visible.changes)
      for (const { id, seq } of changes.values()) if (id === changeId) return { docId, seq };
    for (const docId of this.#visible.packs.keys())
      for (const { id, seq } of this.#visible.foldedOf(docId)) if (id === changeId) return { docId, seq };
    return undefined;
  }

  #packed(id: string, seq: Seq): PackedChange | undefined {
    const pack = [...this.#visible.packsOf(id).values()].find(
      ({ first, last }) => first <= seq && seq <= last,
    );
    return pack && entryWith(unpack(pack), seq);
  }

  answer(agent: string, opId: string): AnswerRecord | undefined {
    return this.#visible.answers.get(answerKey(agent, opId));
  }

  keepAnswer(answer: AnswerRecord, ...records: readonly Shelved[]): Promise<void> {
    return this.#write((state) => {
      state.answers.set(answerKey(answer.agent, answer.opId), answer);
      for (const record of records) state.shelve(record);
    });
  }

  forgetAnswers(before: number, keep: number): Promise<void> {
    const given = [...this.#visible.answers].sort(([, a], [, b]) => b.time - a.time);
    return this.#write((state) => {
      for (const [key, { time }] of given.slice(keep)) if (time < before) state.answers.delete(key);
    });
  }

  async packAnswers(): Promise<void> {}

  shelve(...records: readonly Shelved[]): Promise<void> {
    if (records.some(({ shelf, id }) => isTooLong([shelf, id]))) return tooLong();
    return this.#write((state) => {
      for (const record of records) state.shelve(record);
    });
  }

  shelved<T extends object>(shelf: Shelf<T>, id: string): T | undefined {
    return this.#shelfNamed(shelf).get(id) as T | undefined;
  }

  shelf<T extends object>(shelf: Shelf<T>): Iterable<T> {
    const records = this.#shelfNamed(shelf);
    return [...records.keys()].sort().map((id) => records.get(id) as T);
  }

  #shelfNamed(name: ShelfName): ReadonlyMap<string, object> {
    return this.#visible.shelves[name];
  }

  savePeer(peer: string, author: PeerRecord): Promise<void> {
    return this.#write((state) => void state.peers.set(peer, author));
  }

  peer(peer: string): PeerRecord | undefined {
    return this.#visible.peers.get(peer);
  }

  async close(): Promise<void> {
    this.flush();
    this.#gone = true;
  }

  /** Returns a refusal that can pass: the next write may work. */
  #refuse(kind: StoreError["kind"]): StoreError {
    const message = "as the test wants it";
    this.#trouble ??= { kind: kind === "full" ? "full" : "gone", message, since: 0 };
    return new StoreError(kind, message);
  }

  #putDocument(record: DocumentRecord): Change {
    const { id, path } = record;
    const before = this.document(id);
    const hasLeft = before?.path !== path || record.deletedAt !== undefined;
    return (state) => {
      if (hasLeft) state.dropInventory(before?.path ?? path);
      state.documents.set(id, record);
      if (before?.path === path) return;
      const given = state.paths.get(path) ?? [];
      const others = given.filter((other) => other !== id && state.documents.get(other)?.path === path);
      state.paths.set(path, [id, ...others]);
    };
  }

  #write(change: Change): Promise<void> {
    if (this.#gone) return Promise.reject(new StoreError("failed", "the store is closed"));
    const written = new Promise<void>((done, failed) => {
      this.#waiting.push({ change, done, failed, fails: this.#toFail.shift(), shown: false });
    });
    if (this.#options.atOnce ?? true) queueMicrotask(() => this.flush());
    if (this.#waiting.length === 1) this.#options.onWaiting?.();
    if (!this.#options.acknowledgeEarly) return written;
    written.catch(() => undefined); // a store with this defect ignores it
    return Promise.resolve();
  }
}

/** The refusal of a write whose key is too long. */
function tooLong(): Promise<never> {
  return Promise.reject(new StoreError("failed", "a name is too long for the store"));
}
