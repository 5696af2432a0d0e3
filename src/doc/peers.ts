import type { PeerID } from "loro-crdt";

/** A Loro peer: one replica's writer in one process, never a person. Never used again after it (I8). */
export type Peer = PeerID;

/** Fills a buffer with random bytes; injected so that a simulation can replay itself. */
export type RandomBytes = (size: number) => Uint8Array;

/** A fresh peer. Loro reserves the largest 64-bit value, so one bit stays clear. */
export function newPeer(random: RandomBytes): Peer {
  const bytes = random(8);
  const value = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0) >> 1n;
  return value.toString() as Peer;
}
