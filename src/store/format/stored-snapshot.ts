import type { SnapshotRecord } from "../store.ts";
import { inflated, squeezed } from "./deflated.ts";

/** A snapshot as the database has it. */
export interface StoredSnapshot extends SnapshotRecord {
  /** True for squeezed bytes. Before schema 11 there were none. */
  readonly isSqueezed?: true;
}

/** Shorter snapshots share a page of the database. */
const LEAST = 2 << 10;

/** Returns a snapshot of a document at rest as the database has it. */
export function storedSnapshot(snapshot: SnapshotRecord): StoredSnapshot {
  if (snapshot.bytes.length < LEAST) return snapshot;
  return { ...snapshot, bytes: squeezed(snapshot.bytes), isSqueezed: true };
}

/** Returns a snapshot whose bytes are inflated only when a caller reads them. */
export function snapshotIn({ isSqueezed, ...snapshot }: StoredSnapshot): SnapshotRecord {
  if (isSqueezed === undefined) return snapshot;
  let bytes: Uint8Array | undefined;
  return {
    ...snapshot,
    get bytes() {
      bytes ??= inflated(snapshot.bytes);
      return bytes;
    },
  };
}
