import type { Peer } from "../../doc/peers.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";

/**
 * Decides which agent owns a peer of an outside replica. A peer belongs permanently to the agent that first used it.
 * The daemon's own peers belong to the daemon alone, whichever agent they write for (I8).
 */
export class PeerClaims {
  readonly #store: Store;
  /** The peers that the store is saving. */
  readonly #saving = new Map<Peer, { readonly agent: string; readonly saved: Promise<void> }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Makes peers the property of an agent; refuses them all if one belongs to another agent. */
  async claim(peers: readonly Peer[], actor: Actor, document: Document): Promise<Outcome<void>> {
    for (const peer of peers) {
      const mayUse = this.#mayUse(peer, actor, document);
      if (isRefusal(mayUse)) return mayUse;
      if (!mayUse)
        return new Refusal("PERMISSION_DENIED", `peer ${peer} belongs to another agent`, {
          suggestion: "Use a new peer for each LoroDoc: do not call setPeerId, and send only your own edits.",
          details: { peer },
        });
    }
    const failure = await storeFailure(Promise.all(peers.map((peer) => this.#save(peer, actor))));
    if (failure !== undefined) return storeRefusal(failure);
  }

  #mayUse(peer: Peer, { agent }: Actor, document: Document): Outcome<boolean> {
    const saving = this.#saving.get(peer);
    if (saving !== undefined) return saving.agent === agent;
    const known = this.#store.peer(peer);
    if (known !== undefined) return known.elsewhere === true && known.agent === agent;
    const isUsed = document.knows(peer);
    return isRefusal(isUsed) ? isUsed : !isUsed;
  }

  #save(peer: Peer, { name, agent }: Actor): Promise<void> {
    const saving = this.#saving.get(peer)?.saved;
    if (saving !== undefined) return saving;
    if (this.#store.peer(peer) !== undefined) return Promise.resolve();
    const saved = this.#store.savePeer(peer, { name, agent, elsewhere: true });
    this.#saving.set(peer, { agent, saved });
    return saved.finally(() => this.#saving.delete(peer));
  }
}
