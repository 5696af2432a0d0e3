import type { Peer } from "./peers.ts";

/** What became of updates from outside that were tried on a replica which nobody else uses. */
export type UpdateFinding =
  | {
      readonly is: "sound";
      /**
       * The same operations, encoded anew: what goes on from here, never the bytes from outside. One update, or several
       * where one would be long to take in; each builds on those before it.
       */
      readonly parts: readonly Uint8Array[];
      /** Who wrote them. */
      readonly peers: readonly Peer[];
      /** How many UTF-8 bytes they put in. */
      readonly inserted: number;
      /** How many UTF-16 units they took out of the replica's text, which are no more than its bytes were. */
      readonly removed: number;
    }
  /** The replica holds all of it. */
  | { readonly is: "known" }
  /** Something that they build on is not there. */
  | { readonly is: "incomplete" }
  /** They build on history that is no longer kept. */
  | { readonly is: "folded" }
  /** They are no change of the text that a file can hold. */
  | { readonly is: "unsound"; readonly reason: string }
  /** The replica has to be loaded first. */
  | { readonly is: "unloaded" };

/** How many operations of each peer somebody has. */
export type ReplicaVersion = ReadonlyMap<Peer, number>;
