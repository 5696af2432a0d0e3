import { deflateRawSync, inflateRawSync } from "node:zlib";
import { Encoder } from "msgpackr";
import { composeAll } from "../text/delta.ts";
import { countChars } from "../text/positions.ts";
import { invert } from "../text/splice.ts";
import { changeId, partsOf } from "./change-id.ts";
import type { ChangeRecord, Seq, UpgradeStep } from "./store.ts";

/** Changes of one document that follow one another, stored as one record. */
export interface Pack {
  readonly first: Seq;
  readonly last: Seq;
  /** The number of entries of the history. */
  readonly size: number;
  readonly isDeflated: boolean;
  readonly bytes: Uint8Array;
}

/** The facts of an entry beside its text. */
type Facts = Omit<ChangeRecord, "splices" | "removed" | "folded">;

/** One entry of the history in a pack: a change, or several with one splice each that are one change. */
export interface PackedChange {
  readonly facts: Facts;
  /** Set for several changes: the first of them, and its time. */
  readonly first?: Seq;
  readonly began?: number;
  /** The beginning of each splice, as the distance from the splice before. */
  readonly at: readonly number[];
  readonly inserted: readonly string[];
  readonly removed: readonly string[];
}

/** The number of newest entries of a pack that have hashes, which take more space than the rest. */
const HASHES = 128;
/** The entries and the bytes from which a pack no longer takes in the pack before it. */
const MOST_ENTRIES = 1024;
const MOST_BYTES = 64 << 10;
/** Longer entries are not deflated, because other requests wait meanwhile (I14). */
const MOST_DEFLATED = 1 << 20;

const packer = new Encoder();

/** Packs runs of changes: each run becomes one entry. Every change of a run of several has one splice. */
export function packedOf(runs: readonly (readonly ChangeRecord[])[]): PackedChange[] {
  return runs.map((run) => {
    const { splices: _splices, removed: _removed, folded: _folded, ...facts } = run.at(-1)!;
    const splices = run.flatMap((change) => change.splices);
    return {
      facts,
      ...(run.length > 1 && { first: run[0]!.seq, began: run[0]!.time }),
      at: splices.map(({ from }, i) => from - (i === 0 ? 0 : splices[i - 1]!.from)),
      inserted: splices.map(({ insert }) => insert),
      removed: run.flatMap((change) => change.removed),
    };
  });
}

/** Encodes the newest entries that a document has in packs. */
export function packOf(entries: readonly PackedChange[]): Pack {
  const hashless = entries.length - HASHES;
  const plain = packer.encode(entries.map((entry, i) => (i < hashless ? withoutHash(entry) : entry)));
  const isDeflated = plain.length <= MOST_DEFLATED;
  return {
    first: firstOf(entries[0]!),
    last: entries.at(-1)!.facts.seq,
    size: entries.length,
    isDeflated,
    bytes: isDeflated ? deflateRawSync(plain) : plain,
  };
}

/** Returns true when a pack may take in the one before it, so that few small packs are left. */
export function joins(before: Pack, next: Pack): boolean {
  const fits =
    before.size + next.size <= MOST_ENTRIES && before.bytes.length + next.bytes.length <= MOST_BYTES;
  return fits && before.bytes.length <= 2 * next.bytes.length;
}

/** Returns the entries of a pack, oldest first. */
export function unpack({ isDeflated, bytes }: Pack): readonly PackedChange[] {
  return packer.decode(isDeflated ? inflateRawSync(bytes) : bytes) as PackedChange[];
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
function stepsOf({ first, at, inserted, removed }: PackedChange): UpgradeStep[] {
  let from = 0;
  const splices = at.map((distance, i) => {
    from += distance;
    return { from, to: from + countChars(removed[i]!), insert: inserted[i]! };
  });
  if (first === undefined) return [{ splices, removed }];
  return splices.map((splice, i) => ({ splices: [splice], removed: [removed[i]!] }));
}

function withoutHash({ facts: { sha256: _sha256, ...facts }, ...entry }: PackedChange): PackedChange {
  return { ...entry, facts };
}
