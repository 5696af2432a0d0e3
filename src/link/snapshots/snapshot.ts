import { createHash } from "node:crypto";
import { inOrder } from "../../doc/updates.ts";
import type { ChangeRecord, Store } from "../../store/store.ts";
import { withoutGap } from "../../store/without-gap.ts";
import { packer } from "../base/packing.ts";
import { joined, type Vector } from "../base/vector.ts";
import { type ChangeItem, type DocumentItem, encodeMessage, factsOf } from "../messages/message.ts";
import type { RecordExchange } from "../messages/record-exchange.ts";
import { wholeHistory } from "../sending/collect.ts";
import { isGone, type LinkState, lacksSome } from "../state/link-state.ts";
import type { Stamp } from "../state/names.ts";
import { isUntraced } from "../state/traces.ts";

/**
 * The approximate bytes of one part of a snapshot. The compression of a larger part would delay other requests (I14).
 */
const PART_BYTES = 1 << 20;

/** The head of a snapshot of the workspace. */
export interface SnapshotHead {
  /** The machine that made the snapshot. */
  readonly machine: string;
  /** The id in the names of the parts' objects. */
  readonly id: string;
  /** The number of parts with documents and then records, and the number of the following parts with files. */
  readonly documentParts: number;
  readonly fileParts: number;
  readonly documents: number;
  readonly files: number;
  /** The messages that the snapshot contains. */
  readonly vector: Vector;
  readonly lamport: number;
  /** True if the machine lacks something of the documents of others. */
  readonly isPartial?: boolean | undefined;
  /** The messages of which the machine lacks something, of documents that it does not know. */
  readonly lacks?: Vector | undefined;
  /** Milliseconds since the epoch, for people. */
  readonly time: number;
  /**
   * The SHA-256 of each part before it is sealed. Without these a carrier could give an older part of the same machine.
   * Heads of earlier versions lack them.
   */
  readonly digests?: readonly Uint8Array[] | undefined;
}

/** A document of a snapshot, with its state for every machine. */
export interface SnapshotDocument {
  readonly document: DocumentItem;
  /** The changes after the document's own snapshot, each with the machine where it was made. */
  readonly changes: readonly ChangeItem[];
  readonly machines: readonly (string | null)[];
  readonly last: Vector;
  /** True if the snapshot's machine lacks a change of the document. */
  readonly lacks?: boolean;
  /** The newest message of each machine with such a change; absent where it may lack any change. */
  readonly lacked?: Vector | undefined;
  /** The reason why later changes cannot be read. */
  readonly defect?: string | undefined;
}

/** A document of which the snapshot's machine has only the name. */
export interface NameOnly {
  readonly id: string;
  readonly path: string;
  readonly born: Stamp;
  readonly stamp: Stamp;
}

/** A deleted document whose text the snapshot's machine never received. */
export interface Gone {
  readonly gone: NameOnly;
}

/** A document of others that the snapshot's machine lacks: a rule leaves it out, or a defect kept it from coming. */
export interface Missing {
  readonly missing: NameOnly;
}

/** A file that no document has. */
export interface SnapshotFile {
  readonly path: string;
  readonly sha256: string;
  readonly isExecutable: boolean;
  /** The content in zlib's raw deflate format. */
  readonly deflated: Uint8Array;
}

/** The parts of a machine from which it makes a snapshot. */
interface Having {
  readonly records: RecordExchange;
  readonly store: Store;
  readonly state: LinkState;
  readonly machine: string;
  readonly now: number;
  /** Called after each document and file. */
  readonly breathe: () => Promise<void>;
}

/** The beginning of the names of the objects that snapshots consist of. */
const SNAPSHOT = "snapshot";

/** Returns the name of the object with the head of a machine's newest snapshot. */
export function headName(machine: string): string {
  return `${SNAPSHOT}.head.${machine}`;
}

/** Returns the name of the object with a part of a snapshot. */
export function partName(id: string, part: number): string {
  return `${SNAPSHOT}.${id}.${part}`;
}

/** Returns the names of the objects with a snapshot's parts. */
export function partNames({ id, documentParts, fileParts }: SnapshotHead): string[] {
  return Array.from({ length: documentParts + fileParts }, (_, part) => partName(id, part));
}

/** Returns the digest with which a head names a part. */
export function digestOf(part: Uint8Array): Buffer {
  return createHash("sha256").update(part).digest();
}

export function encodeHead(head: SnapshotHead): Uint8Array {
  return packer.encode(head);
}

/**
 * Makes a snapshot of all documents and files, part by part; hands each to `put` before it makes the next. It reads the
 * vector first, so the snapshot may also contain the changes of newer messages. These have no effect a second time.
 */
export async function makeSnapshot(
  having: Having,
  put: (part: number, id: string, bytes: Uint8Array) => Promise<void>,
): Promise<SnapshotHead> {
  const { store, state, records, machine, now, breathe } = having;
  const { received, next, lamport, lacks } = state.standing;
  const vector = joined(received, { [machine]: next - 1 });
  const { isPartial } = state;
  const id = createHash("sha256").update(`${machine} ${next} ${now}`).digest("hex").slice(0, 16);
  const digests: Uint8Array[] = [];
  const parts = async <T>(
    values: Iterable<T> | AsyncIterable<T>,
    sizeOf: (value: T) => number,
  ): Promise<number> => {
    let pending: T[] = [];
    let bytes = 0;
    let count = 0;
    const flush = async () => {
      if (pending.length === 0) return;
      const part = packer.encode(pending);
      await put(digests.push(digestOf(part)) - 1, id, part);
      [pending, bytes] = [[], 0];
    };
    for await (const value of values) {
      count++;
      pending.push(value);
      bytes += sizeOf(value);
      if (bytes >= PART_BYTES) await flush();
      await breathe();
    }
    await flush();
    return count;
  };
  const documents = await parts(documentsOf(store, state, machine), (entry) => entry.length);
  await parts(recordsOf(records), (entry) => entry.length);
  const documentParts = digests.length;
  const files = await parts(filesOf(store), ({ deflated }) => deflated.length + 100);
  return {
    machine,
    id,
    documentParts,
    fileParts: digests.length - documentParts,
    documents,
    files,
    vector,
    lamport,
    isPartial,
    lacks,
    time: now,
    digests,
  };
}

async function* recordsOf(records: RecordExchange): AsyncIterable<Uint8Array> {
  for await (const { item, born } of records.all())
    yield packer.encode({ message: encodeMessage({ after: {}, items: [item] }), born });
}

function* documentsOf(store: Store, state: LinkState, self: string): Iterable<Uint8Array> {
  for (const linked of state.documents) {
    const { id, born, name, last } = linked;
    if (linked.ignoredAt !== undefined) {
      // The others take nothing of it from this machine, and may not know it.
      if (linked.ignoredAt === null) continue;
      const missing = { id, path: linked.ignoredAt, born, stamp: name.stamp };
      yield packer.encode({ missing } satisfies Missing);
      continue;
    }
    const record = store.document(id);
    const snapshot = store.snapshot(id);
    if (record === undefined || snapshot === undefined) {
      // A document that is still being received is not deleted. The snapshot's vector does not include its message.
      const only: NameOnly = { id, path: name.path, born, stamp: name.stamp };
      if (isGone(linked)) yield packer.encode({ gone: only } satisfies Gone);
      else if (lacksSome(linked)) yield packer.encode({ missing: only } satisfies Missing);
      continue;
    }
    const changes = wholeHistory(store, id, snapshot.seq);
    const document: DocumentItem = {
      is: "document",
      doc: id,
      bom: record.bom,
      born,
      name,
      snapshot,
      changes,
    };
    const sound = withoutGap(store.journal(id, snapshot.seq), snapshot.seq);
    // A later message brings what no message has yet. What the reader of the snapshot builds on that names the message.
    const isTold = (change: ChangeRecord) =>
      change.machine === undefined ? change.seq <= linked.sent : !isUntraced(change, linked, self);
    const journal = sound.filter(({ change, updates }) => isTold(change) && inOrder(updates).length > 0);
    const items = journal.map(
      ({ change, updates }): ChangeItem => ({
        is: "change",
        doc: id,
        facts: factsOf(change),
        updates: inOrder(updates),
      }),
    );
    yield packer.encode({
      message: encodeMessage({ after: {}, items: [document, ...items] }),
      machines: journal.map(({ change }: { change: ChangeRecord }) => change.machine ?? null),
      last: Object.fromEntries(Object.entries(last).map(([machine, { number }]) => [machine, number])),
      ...(lacksSome(linked) && { lacks: true }),
      ...(linked.withheld === undefined && linked.lacks && { lacked: linked.lacks.messages }),
    });
  }
}

function* filesOf({ baselines }: Store): Iterable<SnapshotFile> {
  for (const { path, sha256, image } of baselines.list()) {
    const deflated = sha256 === undefined ? undefined : baselines.content(sha256);
    if (sha256 !== undefined && deflated !== undefined)
      yield { path, sha256, isExecutable: (image.mode & 0o100) !== 0, deflated };
  }
}
