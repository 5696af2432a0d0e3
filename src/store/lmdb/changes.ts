import { partsOf, tailAt } from "../format/change-id.ts";
import {
  changeOf,
  entryOf,
  entryWith,
  indexBefore,
  joins,
  type Pack,
  type PackedChange,
  packedOf,
  packOf,
  unpack,
} from "../format/packed-changes.ts";
import type { ChangeRecord, Seq } from "../store.ts";
import type { Tables } from "./tables.ts";
import type { RecordWrite } from "./write.ts";

const LAST = Number.MAX_SAFE_INTEGER;
/** The packs that stay decoded, and the bytes of the largest. */
const DECODED = 4;
const MOST_DECODED = 1 << 20;
/** The most changes among which the nearest one of a machine is looked for. */
const MOST_LOOKED_AT = 1000;

/** The facts by which the index of ids knows a change. */
type Identity = Pick<ChangeRecord, "id" | "seq" | "machine">;

/**
 * Owns the changes of all documents. The older changes of a document are in packs, without a gap from the oldest on.
 * Each younger change is a record of its own.
 */
export class LmdbChanges {
  readonly #tables: Pick<Tables, "changes" | "packs" | "ids">;
  readonly #decoded = new Map<string, { readonly first: Seq; readonly entries: readonly PackedChange[] }>();

  constructor(tables: Pick<Tables, "changes" | "packs" | "ids">) {
    this.#tables = tables;
  }

  change(id: string, seq: Seq): ChangeRecord | undefined {
    const alone = this.#tables.changes.get([id, seq]);
    if (alone !== undefined) return alone;
    const packed = this.#packed(id, seq);
    return packed && changeOf(packed, seq);
  }

  entry(id: string, seq: Seq): ChangeRecord | undefined {
    const alone = this.#tables.changes.get([id, seq]);
    if (alone !== undefined) return alone;
    const packed = this.#packed(id, seq);
    return packed && entryOf(packed);
  }

  oldest(id: string): ChangeRecord | undefined {
    for (const { value } of this.#tables.packs.range({ start: [id, 0], end: [id, LAST], limit: 1 }))
      return this.change(id, value.first);
    for (const { value } of this.#tables.changes.range({ start: [id, 0], end: [id, LAST], limit: 1 }))
      return value;
    return undefined;
  }

  /** As `Store.changes`. */
  *entries(
    id: string,
    { before = LAST, limit = LAST }: { readonly before?: Seq; readonly limit?: number },
  ): Iterable<ChangeRecord> {
    if (before <= 0) return;
    let left = limit;
    let at = before;
    for (const { value } of this.#tables.changes.range({
      start: [id, at - 1],
      end: [id, -1],
      reverse: true,
    })) {
      if (left-- <= 0) return;
      yield value;
      at = value.seq;
    }
    for (let pack = this.#packBefore(id, at); pack !== undefined; pack = this.#packBefore(id, at)) {
      const entries = this.#entriesOf(id, pack);
      for (let i = indexBefore(entries, at); i >= 0; i--) {
        if (left-- <= 0) return;
        yield entryOf(entries[i]!);
      }
      at = pack.first;
    }
  }

  /** As `Store.unfolded`. */
  unfolded(id: string, after: Seq, limit: number): ChangeRecord[] {
    const range = this.#tables.changes.range({ start: [id, after + 1], end: [id, LAST], limit });
    return Array.from(range, ({ value }) => value);
  }

  /** As `Store.folded`. */
  folded(id: string): Seq | undefined {
    return this.#packBefore(id, LAST)?.last;
  }

  find(changeId: string, last = LAST): { docId: string; seq: Seq } | undefined {
    const named = this.#tables.ids.get(changeId);
    if (named !== undefined) return { docId: named[0], seq: named[1] };
    const parts = partsOf(changeId);
    if (parts === undefined || parts.seq > last) return undefined;
    const [docId] = this.#tables.ids.get(parts.tail) ?? [];
    if (docId === undefined) return undefined;
    return this.change(docId, parts.seq)?.id === changeId ? { docId, seq: parts.seq } : undefined;
  }

  put(id: string, change: ChangeRecord): RecordWrite[] {
    return [this.#tables.changes.put([id, change.seq], change), ...this.#putId(id, change)];
  }

  /** Moves the oldest changes that have records of their own into a pack, each run as one entry. */
  fold(id: string, runs: readonly (readonly ChangeRecord[])[]): RecordWrite[] {
    let entries: readonly PackedChange[] = packedOf(runs);
    let pack = packOf(entries);
    const writes: RecordWrite[] = [];
    for (;;) {
      const before = this.#packBefore(id, pack.first);
      if (before === undefined || !joins(before, pack)) break;
      entries = [...this.#entriesOf(id, before), ...entries];
      pack = packOf(entries);
      writes.push(this.#tables.packs.remove([id, before.last]));
    }
    writes.push(this.#tables.packs.put([id, pack.last], pack));
    for (const { seq } of runs.flat()) writes.push(this.#tables.changes.remove([id, seq]));
    return writes;
  }

  /** Removes the changes before `first`; keeps an entry that contains it whole. */
  dropBefore(id: string, first: Seq): RecordWrite[] {
    const alone = this.#alone({ start: [id, 0], end: [id, first] });
    const removed = alone.map(({ change }) => change);
    const writes = alone.map(({ key }) => this.#tables.changes.remove(key));
    for (const { key, value: pack } of this.#tables.packs.range({ start: [id, 0], end: [id, LAST] })) {
      if (pack.first >= first) break;
      const entries = this.#entriesOf(id, pack);
      const left = entries.filter(({ facts }) => facts.seq >= first);
      for (const { facts } of entries.slice(0, entries.length - left.length)) removed.push(facts);
      writes.push(
        left.length === 0 ? this.#tables.packs.remove(key) : this.#tables.packs.put(key, packOf(left)),
      );
    }
    return [...writes, ...this.#removeIds(removed, this.#from(id, first))];
  }

  /** Removes the changes from `seq` on, which are in no pack: a packed change is durable. */
  truncate(id: string, seq: Seq): RecordWrite[] {
    const alone = this.#alone({ start: [id, seq], end: [id, LAST] });
    const removed = alone.map(({ change }) => change);
    const writes = alone.map(({ key }) => this.#tables.changes.remove(key));
    return [...writes, ...this.#removeIds(removed, this.entries(id, { before: seq }))];
  }

  /** Reads one change at a time into memory: each may be as large as its document. */
  #alone(range: { start: [string, Seq]; end: [string, Seq] }) {
    return Array.from(this.#tables.changes.range({ ...range }), ({ key, value }) => {
      const { id: changeId, seq, machine } = value;
      const change: Identity = { id: changeId, seq, ...(machine !== undefined && { machine }) };
      return { key, change };
    });
  }

  /** Yields the identities of a document's entries from a change on. */
  *#from(id: string, first: Seq): Iterable<Identity> {
    for (const { value: pack } of this.#tables.packs.range({ start: [id, first], end: [id, LAST] }))
      for (const { facts } of this.#entriesOf(id, pack)) if (facts.seq >= first) yield facts;
    for (const { value } of this.#tables.changes.range({ start: [id, first], end: [id, LAST] })) yield value;
  }

  #putId(id: string, { id: changeId, seq }: ChangeRecord): RecordWrite[] {
    const tail = tailAt(changeId, seq);
    if (tail === undefined) return [this.#tables.ids.put(changeId, [id, seq])];
    return this.#tables.ids.has(tail) ? [] : [this.#tables.ids.put(tail, [id, seq])];
  }

  /**
   * Removes the ids of changes from the index, except what the changes that are left need; `left` are these, the nearest
   * first. The changes of one machine that have a tail follow one another, and other machines' are between them.
   */
  #removeIds(removed: readonly Identity[], left: Iterable<Identity>): RecordWrite[] {
    const writes: RecordWrite[] = [];
    const tails = new Map<string, string | undefined>();
    for (const { id, seq, machine } of removed) {
      const tail = tailAt(id, seq);
      if (tail === undefined) writes.push(this.#tables.ids.remove(id));
      else tails.set(tail, machine);
    }
    const needed = neededTails(new Set(tails.values()), left);
    for (const [tail, machine] of tails)
      if (!needed.unknown.has(machine) && !needed.tails.has(tail)) writes.push(this.#tables.ids.remove(tail));
    return writes;
  }

  /** Forgets decoded packs: others were written in their places. */
  forget(): void {
    this.#decoded.clear();
  }

  /** Returns the packed entry that contains a change. */
  #packed(id: string, seq: Seq): PackedChange | undefined {
    for (const key of this.#tables.packs.keys({ start: [id, seq], end: [id, LAST], limit: 1 })) {
      const known = this.#decoded.get(nameOf(id, key[1]));
      if (known !== undefined) return known.first > seq ? undefined : entryWith(known.entries, seq);
      const pack = this.#tables.packs.get(key);
      if (pack !== undefined && pack.first <= seq) return entryWith(this.#entriesOf(id, pack), seq);
    }
    return undefined;
  }

  /** Returns the newest pack that contains a change before `seq`. */
  #packBefore(id: string, seq: Seq): Pack | undefined {
    for (const { value } of this.#tables.packs.range({ start: [id, seq - 1], end: [id, LAST], limit: 1 }))
      if (value.first < seq) return value;
    for (const { value } of this.#tables.packs.range({
      start: [id, seq - 1],
      end: [id, -1],
      reverse: true,
      limit: 1,
    }))
      return value;
    return undefined;
  }

  #entriesOf(id: string, pack: Pack): readonly PackedChange[] {
    const key = nameOf(id, pack.last);
    const known = this.#decoded.get(key);
    const entries = known?.first === pack.first ? known.entries : unpack(pack);
    this.#decoded.delete(key);
    if (pack.bytes.length > MOST_DECODED) return entries; // too large to stay
    this.#decoded.set(key, { first: pack.first, entries });
    if (this.#decoded.size > DECODED) this.#decoded.delete(this.#decoded.keys().next().value!);
    return entries;
  }
}

/** Returns the tails of the nearest changes of some machines, and the machines whose nearest change is far away. */
function neededTails(machines: ReadonlySet<string | undefined>, left: Iterable<Identity>) {
  const unknown = new Set(machines);
  const tails = new Set<string | undefined>();
  let looked = 0;
  if (unknown.size > 0)
    for (const { id, machine } of left) {
      if (unknown.delete(machine)) tails.add(partsOf(id)?.tail);
      if (unknown.size === 0 || ++looked === MOST_LOOKED_AT) return { tails, unknown };
    }
  unknown.clear(); // nothing is left of them
  return { tails, unknown };
}

/** Returns the name of a decoded pack. */
function nameOf(id: string, last: Seq): string {
  return `${id} ${last}`;
}
