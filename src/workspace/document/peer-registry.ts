import { newPeer, type Peer } from "../../doc/peers.ts";
import type { Ports } from "../ports.ts";
import type { Context } from "./context.ts";

/**
 * Returns a function that makes one peer for each actor and kind of replica in this process, and stores its author
 * (I8).
 */
export function peerRegistry({ random, store, report }: Ports): Context["peerOf"] {
  const peers = new Map<string, Peer>();
  return (actor, replica) => {
    const key = `${replica} ${actor.agent}`;
    const known = peers.get(key);
    if (known !== undefined) return known;
    const peer = newPeer(random);
    peers.set(key, peer);
    const { name, agent } = actor;
    store.savePeer(peer, { name, agent }).catch((error: unknown) => {
      report("store.failed", { what: "peer", reason: String(error) });
    });
    return peer;
  };
}
