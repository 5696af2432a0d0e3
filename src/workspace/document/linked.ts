import type { Peer } from "../../doc/peers.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";

/** The identity that a file's document has on every machine that finds the same text at the same path. */
export interface Origin {
  readonly docId: string;
  /** The id of its first change. */
  readonly changeId: string;
  /** The peer that wrote the text; it writes this text and nothing else, so its operations are equal everywhere (I8). */
  readonly peer: Peer;
  /** The peer's operations as another machine has them, where its document arrives now. They may make another text. */
  readonly seed?: Uint8Array | undefined;
}

/** The link of a shared workspace, as the core uses it. */
export interface Linked {
  /**
   * The shortest time between two writes of a file that no caller waits for, in milliseconds; longer while many
   * messages come.
   */
  readonly mirrorEveryMs: number;
  /**
   * Returns true once the stored messages contain every local change of a document. Until then its journal is not
   * folded, because a snapshot does not separate one change from another.
   */
  isTold(docId: string): boolean;
  /** Returns the beginning of the document of a file; undefined if the document begins on this machine alone. */
  originOf(path: DocPath, content: Decoded, isCreated: boolean): Origin | undefined;
}
