import { inflateRawSync } from "node:zlib";
import { Encoder } from "msgpackr";
import { composeAll } from "../../text/delta.ts";
import { countChars } from "../../text/positions.ts";
import { invert } from "../../text/splice.ts";
import type { ChangeRecord, Seq, UpgradeStep } from "../store.ts";
import { changeId, partsOf, tailAt } from "./change-id.ts";
import { decodeRows, encodeRows } from "./columns.ts";
import { type EntrySplices, type SpliceColumns, spliceColumns, splicesIn } from "./packed-splices.ts";
import { differences } from "./varints.ts";

/** Changes of one document that follow one another, stored as one record. */
export interface Pack {
  readonly first: Seq;
  readonly last: Seq;
  /** The number of entries of the history. */
  readonly size: number;
  readonly bytes: Uint8Array;
  /** Set for a pack of schema 8 to 10, whose entries are plain records. */
  readonly isDeflated?: boolean;
}

/** The facts of an entry beside its text. */
type Facts = Omit<ChangeRecord, "splices" | "removed" | "folded">;

/** One entry of the history in a pack: a change, or several with one splice each that are one change. */
export interface PackedChange {
  readonly facts: Facts;
  readonly splices: EntrySplices;
  /** Set for several changes: the first of them, and its time. */
  readonly first?: Seq;
  readonly began?: number;
}

/** The facts of an entry without what follows from the others: its number, and mostly its id. */
interface FactsRow {
  readonly facts: Omit<Facts, "seq" | "id">;
  readonly id?: string;
  /** The end of an id that follows from the number. */
  readonly tail?: string;
  readonly began?: number;
}

interface Packed extends SpliceColumns {
  readonly rows: Uint8Array;
}

/** The number of newest entries of a pack that have hashes, which take more space than the rest. */
const HASHES = 128;
/** The entries and the bytes from which a pack no longer takes in the pack before it. */
const MOST_ENTRIES = 1024;
const MOST_BYTES = 32 << 10;
/** A pack takes in the one before it if that has at most so many times its bytes. */
const JOINED = 4;

const packer = new Encoder();

/** Packs runs of changes: each run becomes one entry. Every change of a run of several has one splice. */
export function packedOf(runs: readonly (readonly ChangeRecord[])[]): PackedChange[] {
  return runs.map((run) => {
    const { splices: _splices, removed: _removed, folded: _folded, ...facts } = run.at(-1)!;
    const splices = run.flatMap((change) => change.splices);
    return {
      facts,
      ...(run.length > 1 && { first: run[0]!.seq, began: run[0]!.time }),
      splices: {
        size: splices.length,
        at: differences(splices.map(({ from }) => from)),
        inserted: splices.map(({ insert }) => insert),
        removed: run.flatMap((change) => change.removed),
      },
    };
  });
}

/**
 * Encodes the newest entries that a document has in packs, which follow one another. @throws RangeError when they do not
 */
export function packOf(entries: readonly PackedChange[]): Pack {
  checkOrder(entries);
  const hashless = entries.length - HASHES;
  const rows = entries.map((entry, i) => rowOf(entry, i >= hashless));
  const packed: Packed = { rows: encodeRows(rows), ...spliceColumns(entries.map(({ splices }) => splices)) };
  return {
    first: firstOf(entries[0]!),
    last: entries.at(-1)!.facts.seq,
    size: entries.length,
    bytes: packer.encode(packed),
  };
}

/** The numbers of the changes are not stored: they follow from the first one. */
function checkOrder(entries: readonly PackedChange[]): void {
  let next = firstOf(entries[0]!);
  for (const entry of entries) {
    const [first, last] = [firstOf(entry), entry.facts.seq];
    const size = entry.first === undefined ? 1 : entry.splices.size;
    if (first !== next || last !== first + size - 1)
      throw new RangeError(`${size} changes from ${next} on cannot be ${first} to ${last}`);
    next += size;
  }
}

function rowOf({ facts: { seq, id, sha256, ...facts }, began }: PackedChange, hasHash: boolean): FactsRow {
  const tail = tailAt(id, seq);
  return {
    facts: hasHash && sha256 !== undefined ? { ...facts, sha256 } : facts,
    ...(tail === undefined ? { id } : { tail }),
    ...(began !== undefined && { began }),
  };
}

/** Returns true when a pack may take in the one before it, so that few small packs are left. */
export function joins(before: Pack, next: Pack): boolean {
  const fits =
    before.size + next.size <= MOST_ENTRIES && before.bytes.length + next.bytes.length <= MOST_BYTES;
  return fits && before.bytes.length <= JOINED * next.bytes.length;
}

/** Returns the entries of a pack, oldest first. */
export function unpack({ first, isDeflated, bytes }: Pack): readonly PackedChange[] {
  if (isDeflated !== undefined) return unpackOlder(isDeflated ? inflateRawSync(bytes) : bytes);
  const packed = packer.decode(bytes) as Packed;
  const splices = splicesIn(packed);
  let next = first;
  return decodeRows(packed.rows).map((row, i) => {
    const { facts: given, id, tail, began } = row as FactsRow;
    const start = next;
    next += began === undefined ? 1 : splices[i]!.size;
    const seq = next - 1;
    const facts = Object.assign(given, { seq, id: id ?? changeId(seq, tail!) });
    return began === undefined
      ? { facts, splices: splices[i]! }
      : { facts, splices: splices[i]!, first: start, began };
  });
}

/** An entry as schemas 8 to 10 stored it. */
type OlderEntry = Omit<PackedChange, "splices"> & Omit<EntrySplices, "size">;

function unpackOlder(bytes: Uint8Array): PackedChange[] {
  return (packer.decode(bytes) as OlderEntry[]).map(({ at, inserted, removed, ...entry }) => ({
    ...entry,
    splices: { size: at.length, at, inserted, removed },
  }));
}

/** Returns the first change of an entry. */
export function firstOf({ facts, first = facts.seq }: PackedChange): Seq {
  return first;
}

/** Returns the entry of a pack that contains a change of it. */
export function entryWith(entries: readonly PackedChange[], seq: Seq): PackedChange {
  return entries[indexBefore(entries, seq) + 1]!;
}

/** Returns the index of the last entry that ends before a change; -1 for none. */
export function indexBefore(entries: readonly PackedChange[], seq: Seq): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.facts.seq < seq) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns an entry as one change, which composes its edits only when a caller reads them. */
export function entryOf(entry: PackedChange): ChangeRecord {
  const { facts, first, began } = entry;
  if (first === undefined || began === undefined) return { ...facts, ...stepsOf(entry)[0]! };
  let whole: UpgradeStep | undefined;
  const compose = () => {
    whole ??= composed(stepsOf(entry));
    return whole;
  };
  return {
    ...facts,
    get splices() {
      return compose().splices;
    },
    get removed() {
      return compose().removed;
    },
    folded: { first, began },
  };
}

function composed(steps: readonly UpgradeStep[]): UpgradeStep {
  const splices = composeAll(steps.map((step) => step.splices));
  const back = composeAll(steps.map((step) => invert(step.splices, step.removed)).reverse());
  return { splices, removed: back.map(({ insert }) => insert) };
}

/** Returns one of an entry's changes as it was before it was folded, apart from its time and its hash. */
export function changeOf(entry: PackedChange, seq: Seq): ChangeRecord {
  const { facts, first } = entry;
  if (first === undefined) return entryOf(entry);
  const step = stepsOf(entry)[seq - first]!;
  if (seq === facts.seq) return { ...facts, ...step };
  const { sha256: _sha256, ...others } = facts;
  return { ...others, seq, id: changeId(seq, partsOf(facts.id)!.tail), ...step };
}

/** Returns the steps of an entry in their order: a change alone is one step, with all of its splices. */
function stepsOf({ first, splices: { at, inserted, removed } }: PackedChange): UpgradeStep[] {
  let from = 0;
  const splices = at.map((distance, i) => {
    from += distance;
    return { from, to: from + countChars(removed[i]!), insert: inserted[i]! };
  });
  if (first === undefined) return [{ splices, removed }];
  return splices.map((splice, i) => ({ splices: [splice], removed: [removed[i]!] }));
}
