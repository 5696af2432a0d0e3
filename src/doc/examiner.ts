import {
  type Change,
  decodeImportBlobMeta,
  type JsonChange,
  type JsonOp,
  LoroDoc,
  VersionVector,
} from "loro-crdt";
import type { ReplicaVersion, UpdateFinding } from "./finding.ts";
import type { Peer } from "./peers.ts";
import { CONTAINER, CONTENT } from "./replica.ts";
import { throwTrap } from "./trap.ts";
import { partsOf } from "./update-parts.ts";
import { Whereabouts } from "./whereabouts.ts";

/** Control characters that no text file holds. */
const NUL = "\0";

/**
 * Tries updates from outside on replicas of its own, one a room. Bytes made to harm can trap WebAssembly for
 * good, so this runs in a thread that ends with a trap. After anything but `sound` and `known` the replica may
 * hold part of what was tried and is dropped.
 */
export class Examiner {
  readonly #rooms = new Map<string, LoroDoc>();
  readonly #whereabouts = new Map<string, Whereabouts>();

  /** Begins a room with the bytes of a whole document. */
  load(room: string, bytes: Uint8Array): void {
    this.forget(room);
    const doc = new LoroDoc();
    doc.import(bytes);
    this.#rooms.set(room, doc);
  }

  /** Takes in what became of the document meanwhile. */
  feed(room: string, updates: readonly Uint8Array[]): void {
    this.#rooms.get(room)?.importBatch([...updates]);
  }

  forget(room: string): void {
    this.#rooms.get(room)?.free();
    this.#rooms.delete(room);
  }

  /** A version as Loro encodes it; undefined when it is none. */
  version(bytes: Uint8Array): ReplicaVersion | undefined {
    try {
      return new Map([...VersionVector.decode(bytes).toJSON()].filter(([, count]) => count > 0));
    } catch (error) {
      throwTrap(error);
      return undefined;
    }
  }

  examine(room: string, updates: readonly Uint8Array[]): UpdateFinding {
    const doc = this.#rooms.get(room);
    if (doc === undefined) return { is: "unloaded" };
    const finding = tryOn(doc, updates);
    if (finding.is !== "sound" && finding.is !== "known") this.forget(room);
    return finding;
  }

  /** Takes in what a client of a room says of itself; false when it is refused. */
  gather(room: string, source: string, update: Uint8Array): boolean {
    const whereabouts = this.#whereabouts.get(room) ?? new Whereabouts();
    this.#whereabouts.set(room, whereabouts);
    return whereabouts.apply(source, update);
  }

  /** All that the clients of a room say of themselves. */
  gathered(room: string): Uint8Array | undefined {
    return this.#whereabouts.get(room)?.all();
  }

  /** A client has left; answers what takes it off the others' stores. */
  left(room: string, source: string): readonly Uint8Array[] {
    return this.#whereabouts.get(room)?.end(source) ?? [];
  }

  /** Everybody has left. */
  empty(room: string): void {
    this.#whereabouts.get(room)?.close();
    this.#whereabouts.delete(room);
  }
}

function tryOn(doc: LoroDoc, updates: readonly Uint8Array[]): UpdateFinding {
  const before = doc.oplogVersion();
  const clock = clockOf(doc);
  let removed = 0;
  const end = doc.subscribe(({ events }) => {
    for (const { diff } of events)
      if (diff.type === "text") for (const part of diff.diff) removed += part.delete ?? 0;
  });
  try {
    if (updates.some((update) => decodeImportBlobMeta(update, true).mode !== "update"))
      return { is: "unsound", reason: "send updates, not snapshots" };
    const { pending } = doc.importBatch([...updates]);
    if (pending !== null && pending.size > 0) return { is: "incomplete" };
  } catch (error) {
    throwTrap(error);
    if (/shallow history/.test(String(error))) return { is: "folded" };
    return { is: "unsound", reason: String(error) };
  } finally {
    end();
  }
  const after = doc.oplogVersion();
  if (after.compare(before) === 0) return { is: "known" };
  const { changes } = doc.exportJsonUpdates(before, after, false);
  const reason = objection(changes, clock);
  if (reason !== undefined) return { is: "unsound", reason };
  return {
    is: "sound",
    parts: partsOf(doc, changes, lengthOf),
    peers: [...new Set(changes.map(({ id }) => id.split("@")[1] as Peer))],
    inserted: changes.flatMap(({ ops }) => ops).reduce((sum, op) => sum + Buffer.byteLength(insertOf(op)), 0),
    removed,
  };
}

/** Why these are no changes of a file's text; undefined when they are. */
function objection(changes: readonly JsonChange[], clock: number): string | undefined {
  let latest = clock;
  for (const { ops } of changes) for (const op of ops) latest += lengthOf(op);
  for (const { ops, lamport } of changes) {
    // A clock that was put far ahead would run out for everybody.
    if (lamport < 0 || lamport >= latest) return "its logical clock runs ahead of its history";
    for (const { container, content } of ops) {
      if (container !== CONTAINER) return `only the text named ${JSON.stringify(CONTENT)} can be changed`;
      if (content.type !== "insert" && content.type !== "delete") return "a file holds no formatting";
    }
    if (ops.some((op) => insertOf(op).includes(NUL))) return "a text holds no NUL";
    if (ops.some((op) => !insertOf(op).isWellFormed())) return "a text holds no lone surrogate";
  }
  return undefined;
}

function insertOf({ content }: JsonOp): string {
  return content.type === "insert" && "text" in content ? content.text : "";
}

function lengthOf(op: JsonOp): number {
  const { content } = op;
  if (content.type === "delete" && "len" in content) return Math.abs(content.len);
  return Math.max(1, [...insertOf(op)].length);
}

/** The first tick of the logical clock that no operation has had. */
function clockOf(doc: LoroDoc): number {
  const heads = doc.frontiers().map((id): Change => doc.getChangeAt(id));
  return heads.reduce((latest, { lamport, length }) => Math.max(latest, lamport + length), 0);
}
