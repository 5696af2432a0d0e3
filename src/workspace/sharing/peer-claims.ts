import type { Peer } from "../../doc/peers.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";

/**
 * The peers that replicas elsewhere write as. Such a peer belongs to the agent who first wrote as it, for good;
 * the daemon's own belong to nobody else, whichever agent they write for (I8).
 */
export class PeerClaims {
  readonly #store: Store;
  /** Being noted in the store. */
  readonly #underWay = new Map<Peer, { readonly agent: string; readonly noted: Promise<void> }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Makes peers an agent's own, unless one is somebody else's; those that are new are noted first. */
  async claim(peers: readonly Peer[], actor: Actor, document: Document): Promise<Outcome<void>> {
    for (const peer of peers) {
      const may = this.#mayUse(peer, actor, document);
      if (isRefusal(may)) return may;
      if (!may)
        return new Refusal("PERMISSION_DENIED", `peer ${peer} belongs to somebody else`, {
          suggestion:
            "Give each LoroDoc a peer of its own: leave setPeerId out, and send only what you wrote.",
          details: { peer },
        });
    }
    const failure = await storeFailure(Promise.all(peers.map((peer) => this.#note(peer, actor))));
    if (failure !== undefined) return storeRefusal(failure);
  }

  #mayUse(peer: Peer, { agent }: Actor, document: Document): Outcome<boolean> {
    const underWay = this.#underWay.get(peer);
    if (underWay !== undefined) return underWay.agent === agent;
    const known = this.#store.peer(peer);
    if (known !== undefined) return known.elsewhere === true && known.agent === agent;
    const knows = document.knows(peer);
    return isRefusal(knows) ? knows : !knows;
  }

  #note(peer: Peer, { name, agent }: Actor): Promise<void> {
    const underWay = this.#underWay.get(peer)?.noted;
    if (underWay !== undefined) return underWay;
    if (this.#store.peer(peer) !== undefined) return Promise.resolve();
    const noted = this.#store.savePeer(peer, { name, agent, elsewhere: true });
    this.#underWay.set(peer, { agent, noted });
    return noted.finally(() => this.#underWay.delete(peer));
  }
}
