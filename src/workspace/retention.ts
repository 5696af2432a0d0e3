import type { Clock } from "../mirror/clock.ts";
import type { Seq, Store } from "../store/store.ts";
import type { BatchRecord } from "./batch-record.ts";
import type { StoredProposal } from "./proposals/record.ts";
import { seqOf, type Version } from "./version.ts";

/** A record on a shelf that names versions of documents that must stay. */
interface Pinning {
  readonly documents?: readonly { readonly docId: string; readonly version: Version }[];
}

/** The first of a document's changes that is young enough to be kept, or that something still builds on. */
export function keepFrom(store: Store, clock: Clock, docId: string, keepMs: number): Seq {
  const cutoff = clock.now() - keepMs;
  let first: Seq = 0;
  for (const { seq, time } of store.changes(docId)) {
    first = seq;
    if (time < cutoff) break;
  }
  const pinned = ([...store.shelf("checkpoints")] as Pinning[])
    .flatMap(({ documents = [] }) => documents)
    .filter((pin) => pin.docId === docId)
    .map(({ version }) => seqOf(version) ?? 0);
  const proposed = ([...store.shelf("proposals")] as StoredProposal[])
    .filter((proposal) => proposal.docId === docId && proposal.status === "pending")
    .map(({ base }) => seqOf(base) ?? 0);
  return Math.min(first, ...pinned, ...proposed);
}

/** Forgets batches that are older than history is kept for. */
export async function forgetBatches(store: Store, clock: Clock, keepMs: number): Promise<void> {
  if (keepMs === 0) return;
  const cutoff = clock.now() - keepMs;
  const old = ([...store.shelf("batches")] as BatchRecord[]).filter(({ time }) => time < cutoff);
  for (const { batchId } of old) await store.shelve({ shelf: "batches", id: batchId, record: null });
}
