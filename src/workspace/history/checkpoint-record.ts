import { inflateRawSync } from "node:zlib";
import { shelfOf } from "../../store/shelf.ts";
import type { Store } from "../../store/store.ts";
import type { Version } from "../versions/version.ts";

/** A document of a checkpoint. */
export interface CheckpointDocument {
  readonly docId: string;
  readonly path: string;
  readonly version: Version;
  /** For a text of another machine that no version of this machine has: the hash of the stored text. */
  readonly kept?: string;
}

/**
 * A stored checkpoint. It lists documents only. A file without a document still has its text of that time. If it gets a
 * document, that text is the document's first (I16).
 */
export interface CheckpointRecord {
  /** Absent in records of earlier versions. */
  readonly id?: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly author: string;
  readonly documents: readonly CheckpointDocument[];
  /** The number of all files; checkpoints of earlier versions have documents only. */
  readonly files?: number;
  /** The name of the machine where it was made; absent for this machine. */
  readonly machine?: string;
  /** For a checkpoint that has another name here, because of an older one: the name that it was given. */
  readonly given?: string;
}

export const checkpointShelf = shelfOf<CheckpointRecord>("checkpoints");

/** Texts of other machines' checkpoints, by their hashes, as zlib's raw deflate has them. */
export const keptShelf = shelfOf<{ readonly deflated: Uint8Array }>("kept");

/** Returns a stored text. */
export function keptText(store: Store, hash: string): { readonly text: string } | undefined {
  const kept = store.shelved(keptShelf, hash);
  return kept && { text: inflateRawSync(kept.deflated).toString() };
}

/** Returns the id by which all machines know a checkpoint. */
export function idOf({ id, given, name, time, author }: CheckpointRecord): string {
  return id ?? `${given ?? name} ${time} ${author}`;
}
