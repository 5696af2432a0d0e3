import type { Splice } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import type { Peer } from "./peers.ts";
import { Replica } from "./replica.ts";

// What a worker makes of replicas of its own, so that the daemon's thread only has to import it: Loro takes ten times
// as long to make and to encode a large edit as to import it.

/** An update that makes an empty replica hold a text, written by `peer`. */
export function seedUpdate(peer: Peer, text: string): Uint8Array {
  const replica = new Replica();
  try {
    replica.seed(peer, text);
    return replica.save({ shallow: false }).bytes;
  } finally {
    replica.close();
  }
}

/**
 * The update that an edit by `peer` makes of the replica which holds `saved`, a snapshot and what came after it.
 * `splices` are in the positions of that replica's text.
 */
export function editUpdate(saved: readonly Uint8Array[], peer: Peer, splices: readonly Splice[]): Uint8Array {
  const replica = Replica.load(saved);
  let update: Uint8Array | undefined;
  const unlink = replica.onLocalUpdate((bytes) => {
    update = bytes;
  });
  try {
    replica.splice(peer, Text.of(replica.toString()), splices);
    if (update === undefined) throw new Error("a commit produced no update");
    return update;
  } finally {
    unlink();
    replica.close();
  }
}
