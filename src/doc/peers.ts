import type { PeerID } from "loro-crdt";

/** A Loro peer: the writer of one replica in one process, never a person. No later process uses it again (I8). */
export type Peer = PeerID;

/** Fills a buffer with random bytes; injected so that a simulation can replay itself. */
export type RandomBytes = (size: number) => Uint8Array;

/** Returns a fresh peer. Loro reserves the largest 64-bit value, so one bit stays clear. */
export function newPeer(random: RandomBytes): Peer {
  const bytes = random(8);
  const value = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0) >> 1n;
  return value.toString() as Peer;
}
