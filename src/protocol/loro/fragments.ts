import {
  type DocUpdateFragment,
  type DocUpdateFragmentHeader,
  type HexString,
  UpdateStatusCode,
} from "loro-protocol";
import type { Room } from "./wire.ts";

/** Longest time for the fragments of an update, in milliseconds. */
const FRAGMENTS_MS = 10_000;
/** Most fragments of one update, and most updates in fragments at a time. */
const MOST_FRAGMENTS = 4096;
const MOST_BATCHES = 8;

interface Batch {
  readonly room: Room;
  readonly bytes: Uint8Array;
  /** Fragments by index; each arrives once. */
  readonly parts: (Uint8Array | undefined)[];
  readonly limit: NodeJS.Timeout;
  missing: number;
  received: number;
}

type RefusedFragment = (room: Room, batchId: HexString, status: UpdateStatusCode) => void;

/** Joins the fragments of one connection's updates. Bytes and time are limited. */
export class Fragments {
  readonly #maxBytes: number;
  readonly #refused: RefusedFragment;
  readonly #batches = new Map<string, Batch>();
  #bytes = 0;

  /** `refused` is called once for each update that fails to arrive. */
  constructor(maxBytes: number, refused: RefusedFragment) {
    this.#maxBytes = maxBytes;
    this.#refused = refused;
  }

  begin({ crdt, roomId, batchId, fragmentCount, totalSizeBytes }: DocUpdateFragmentHeader): void {
    const room = { crdt, roomId };
    const key = keyOf(room, batchId);
    const refused = this.#refusal(key, fragmentCount, totalSizeBytes);
    if (refused !== undefined) {
      this.#refused(room, batchId, refused);
      return;
    }
    this.#bytes += totalSizeBytes;
    this.#batches.set(key, {
      room,
      bytes: new Uint8Array(totalSizeBytes),
      parts: Array.from({ length: fragmentCount }, () => undefined),
      limit: setTimeout(() => this.#fail(key, batchId, UpdateStatusCode.FragmentTimeout), FRAGMENTS_MS),
      missing: fragmentCount,
      received: 0,
    });
  }

  /** Adds a fragment. Returns the whole update after the last one. */
  add({ crdt, roomId, batchId, index, fragment }: DocUpdateFragment): Uint8Array | undefined {
    const key = keyOf({ crdt, roomId }, batchId);
    const batch = this.#batches.get(key);
    // The update of this fragment was refused.
    if (batch === undefined) return undefined;
    batch.received += fragment.length;
    const fits = index < batch.parts.length && batch.parts[index] === undefined;
    if (!fits || batch.received > batch.bytes.length)
      return this.#fail(key, batchId, UpdateStatusCode.InvalidUpdate);
    batch.parts[index] = fragment.slice();
    if (--batch.missing > 0) return undefined;
    if (batch.received !== batch.bytes.length)
      return this.#fail(key, batchId, UpdateStatusCode.InvalidUpdate);
    this.#end(key);
    let at = 0;
    for (const part of batch.parts) {
      batch.bytes.set(part!, at);
      at += part!.length;
    }
    return batch.bytes;
  }

  #refusal(key: string, count: number, bytes: number): UpdateStatusCode | undefined {
    if (bytes > this.#maxBytes || count > MOST_FRAGMENTS) return UpdateStatusCode.PayloadTooLarge;
    if (this.#bytes + bytes > this.#maxBytes || this.#batches.size >= MOST_BATCHES)
      return UpdateStatusCode.RateLimited;
    const impossible = this.#batches.has(key) || count === 0 || count > bytes;
    return impossible ? UpdateStatusCode.InvalidUpdate : undefined;
  }

  close(): void {
    for (const key of [...this.#batches.keys()]) this.#end(key);
  }

  #fail(key: string, batchId: HexString, status: UpdateStatusCode): undefined {
    const batch = this.#end(key);
    if (batch !== undefined) this.#refused(batch.room, batchId, status);
  }

  #end(key: string): Batch | undefined {
    const batch = this.#batches.get(key);
    if (batch === undefined) return undefined;
    clearTimeout(batch.limit);
    this.#batches.delete(key);
    this.#bytes -= batch.bytes.length;
    return batch;
  }
}

function keyOf({ crdt, roomId }: Room, batchId: HexString): string {
  return `${crdt}${batchId}${roomId}`;
}
