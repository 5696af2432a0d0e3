import type { Peer } from "./peers.ts";

/** The result of testing updates from outside on a replica that serves only this purpose. */
export type UpdateFinding =
  | {
      readonly is: "sound";
      /**
       * The same operations, encoded anew. The daemon uses these and never the bytes from outside. One update, or
       * several where one would take long to import; each builds on those before it.
       */
      readonly parts: readonly Uint8Array[];
      /** The peers that wrote the operations. */
      readonly peers: readonly Peer[];
      /** The number of UTF-8 bytes inserted. */
      readonly inserted: number;
      /** The number of UTF-16 units removed from the replica's text; never more than the number of its bytes. */
      readonly removed: number;
    }
  /** The replica already contains all of the operations. */
  | { readonly is: "known" }
  /** The updates build on operations that the replica lacks. */
  | { readonly is: "incomplete" }
  /** The updates build on history that the replica no longer stores. */
  | { readonly is: "folded" }
  /** The updates are not valid changes of a file's text. */
  | { readonly is: "unsound"; readonly reason: string }
  /** The room's replica must be loaded first. */
  | { readonly is: "unloaded" };

/** A version of a replica: the number of operations of each peer. */
export type ReplicaVersion = ReadonlyMap<Peer, number>;
