import type { Baseline } from "../../src/store/baselines.ts";
import { changeOf, entryOf, firstOf, type Pack, unpack } from "../../src/store/format/packed-changes.ts";
import { SHELVES, type ShelfName, type Shelved } from "../../src/store/shelf.ts";
import type {
  AnswerRecord,
  ChangeRecord,
  DocumentRecord,
  Seq,
  SnapshotRecord,
  UpdateRecord,
} from "../../src/store/store.ts";

/** The content of a MemoryStore at one moment. */
export class MemoryState {
  readonly documents = new Map<string, DocumentRecord>();
  readonly paths = new Map<string, readonly string[]>();
  readonly snapshots = new Map<string, SnapshotRecord>();
  readonly updates = new Map<string, Map<Seq, UpdateRecord>>();
  readonly changes = new Map<string, Map<Seq, ChangeRecord>>();
  /** The packs of each document, by the last change in them. */
  readonly packs = new Map<string, Map<Seq, Pack>>();
  readonly answers = new Map<string, AnswerRecord>();
  readonly peers = new Map<string, { readonly name: string; readonly agent: string }>();
  coveredAt: number | undefined;
  readonly baselines = new Map<string, Baseline>();
  mayHaveUnnamed = false;
  /** Counts the changes of baselines; a process that starts counts anew. */
  #generation = 0;
  readonly inventories = new Map<string, Uint8Array>();
  /** The paths that lose their baselines or their documents are added to it. */
  lost: Set<string> | undefined;
  readonly contents = new Map<string, Uint8Array>();
  readonly shelves: Record<ShelfName, Map<string, object>> = {
    batches: new Map(),
    checkpoints: new Map(),
    cleared: new Map(),
    displaced: new Map(),
    kept: new Map(),
    link: new Map(),
    linked: new Map(),
    laneDisplaced: new Map(),
    laneFiles: new Map(),
    lanes: new Map(),
    messages: new Map(),
    moves: new Map(),
    outbox: new Map(),
    parts: new Map(),
    proposals: new Map(),
    seen: new Map(),
    steps: new Map(),
    texts: new Map(),
    threads: new Map(),
    told: new Map(),
  };

  get generation(): number {
    return this.#generation;
  }

  copy(): MemoryState {
    const state = new MemoryState();
    const files = ["baselines", "inventories", "contents"] as const;
    const maps = ["documents", "paths", "snapshots", "answers", "peers", ...files] as const;
    for (const key of maps)
      for (const [id, value] of this[key]) (state[key] as Map<string, unknown>).set(id, value);
    state.coveredAt = this.coveredAt;
    state.mayHaveUnnamed = this.mayHaveUnnamed;
    for (const shelf of SHELVES)
      for (const [id, record] of this.shelves[shelf]) state.shelves[shelf].set(id, record);
    for (const [id, updates] of this.updates) state.updates.set(id, new Map(updates));
    for (const [id, changes] of this.changes) state.changes.set(id, new Map(changes));
    for (const [id, packs] of this.packs) state.packs.set(id, new Map(packs));
    return state;
  }

  saveBaseline(record: Baseline): void {
    const before = this.baselines.get(record.path)?.sha256;
    if (before !== undefined && before !== record.sha256) this.mayHaveUnnamed = true;
    this.baselines.set(record.path, record);
    this.#generation++;
  }

  dropBaseline(path: string): void {
    if (this.baselines.get(path)?.sha256 !== undefined) this.mayHaveUnnamed = true;
    this.baselines.delete(path);
    this.#generation++;
    this.dropInventory(path);
  }

  /** Removes the inventory in which a file is. */
  dropInventory(path: string): void {
    this.lost?.add(path);
    this.inventories.delete(path.slice(0, Math.max(path.lastIndexOf("/"), 0)));
  }

  shelve({ shelf, id, record }: Shelved): void {
    if (record === null) this.shelves[shelf].delete(id);
    else this.shelves[shelf].set(id, record);
  }

  updatesOf(id: string): Map<Seq, UpdateRecord> {
    return entry(this.updates, id);
  }

  packsOf(id: string): Map<Seq, Pack> {
    return entry(this.packs, id);
  }

  /** Returns the entries of the history of a document, oldest first. */
  entriesOf(id: string): ChangeRecord[] {
    const packs = [...this.packsOf(id).values()].sort((a, b) => a.last - b.last);
    const alone = [...this.changesOf(id).values()].sort((a, b) => a.seq - b.seq);
    return [...packs.flatMap((pack) => unpack(pack).map(entryOf)), ...alone];
  }

  /** Returns every change of a document, the folded ones too, oldest first. */
  everyChangeOf(id: string): ChangeRecord[] {
    return [...this.foldedOf(id), ...[...this.changesOf(id).values()].sort((a, b) => a.seq - b.seq)];
  }

  /** Returns every folded change of a document, oldest first. */
  foldedOf(id: string): ChangeRecord[] {
    const packed = [...this.packsOf(id).values()].sort((a, b) => a.last - b.last).flatMap(unpack);
    return packed.flatMap((entry) => {
      const first = firstOf(entry);
      return Array.from({ length: entry.facts.seq - first + 1 }, (_, i) => changeOf(entry, first + i));
    });
  }

  changesOf(id: string): Map<Seq, ChangeRecord> {
    return entry(this.changes, id);
  }
}

/** Returns the key of an answer; two agents may use the same opId. */
export function answerKey(agent: string, opId: string): string {
  return JSON.stringify([agent, opId]);
}

function entry<T>(all: Map<string, Map<Seq, T>>, id: string): Map<Seq, T> {
  const found = all.get(id) ?? new Map<Seq, T>();
  all.set(id, found);
  return found;
}
