import type { Change, JsonChange, JsonOp, LoroDoc } from "loro-crdt";
import type { ReplicaVersion, UpdateFinding } from "./finding.ts";
import { loro } from "./package.ts";
import type { Peer } from "./peers.ts";
import { PresenceStore } from "./presence-store.ts";
import { CONTAINER, CONTENT } from "./replica.ts";
import { throwTrap } from "./trap.ts";
import { partsOf } from "./update-parts.ts";

/** The control character that no text file contains. */
const NUL = "\0";

/**
 * Tests updates from outside on its own replicas, one for each room. Harmful bytes can trap WebAssembly for good, so
 * it runs in a thread that ends with a trap. After any finding other than `sound` and `known`, the replica may contain
 * a part of the update and is dropped.
 */
export class Examiner {
  readonly #rooms = new Map<string, LoroDoc>();
  readonly #presence = new Map<string, PresenceStore>();

  /** Loads a room from the bytes of a whole document. */
  load(room: string, bytes: Uint8Array): void {
    this.forget(room);
    const doc = new (loro().LoroDoc)();
    doc.import(bytes);
    this.#rooms.set(room, doc);
  }

  /** Imports the changes that the document received meanwhile. */
  feed(room: string, updates: readonly Uint8Array[]): void {
    this.#rooms.get(room)?.importBatch([...updates]);
  }

  forget(room: string): void {
    this.#rooms.get(room)?.free();
    this.#rooms.delete(room);
  }

  /** Returns a version that Loro encoded; undefined when the bytes are no version. */
  version(bytes: Uint8Array): ReplicaVersion | undefined {
    try {
      return new Map([...loro().VersionVector.decode(bytes).toJSON()].filter(([, count]) => count > 0));
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

  /** Applies a client's presence data for a room; returns false when it is refused. */
  applyPresence(room: string, source: string, update: Uint8Array): boolean {
    const store = this.#presence.get(room) ?? new PresenceStore();
    this.#presence.set(room, store);
    return store.apply(source, update);
  }

  /** Returns the presence data of all clients of a room. */
  presence(room: string): Uint8Array | undefined {
    return this.#presence.get(room)?.all();
  }

  /**
   * Removes the presence data of a client that left; returns the updates that remove it from the other clients'
   * stores.
   */
  removePresence(room: string, source: string): readonly Uint8Array[] {
    return this.#presence.get(room)?.end(source) ?? [];
  }

  /** Removes all presence data of a room without clients. */
  clearPresence(room: string): void {
    this.#presence.get(room)?.close();
    this.#presence.delete(room);
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
    if (updates.some((update) => loro().decodeImportBlobMeta(update, true).mode !== "update"))
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

/** Returns why the changes are not valid for a file's text; undefined when they are. */
function objection(changes: readonly JsonChange[], clock: number): string | undefined {
  let latest = clock;
  for (const { ops } of changes) for (const op of ops) latest += lengthOf(op);
  for (const { ops, lamport } of changes) {
    // A clock far ahead would reach its maximum, and then no client could edit.
    if (lamport < 0 || lamport >= latest) return "its logical clock runs ahead of its history";
    for (const { container, content } of ops) {
      if (container !== CONTAINER) return `only the text named ${JSON.stringify(CONTENT)} can be changed`;
      if (content.type !== "insert" && content.type !== "delete") return "a file cannot contain formatting";
    }
    if (ops.some((op) => insertOf(op).includes(NUL))) return "a text cannot contain NUL";
    if (ops.some((op) => !insertOf(op).isWellFormed())) return "a text cannot contain a lone surrogate";
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

/** Returns the first tick of the logical clock that no operation has. */
function clockOf(doc: LoroDoc): number {
  const heads = doc.frontiers().map((id): Change => doc.getChangeAt(id));
  return heads.reduce((latest, { lamport, length }) => Math.max(latest, lamport + length), 0);
}
