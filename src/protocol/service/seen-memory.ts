import { type ShelfName, type Shelved, shelfOf } from "../../store/shelf.ts";
import { storeFailure } from "../../store/store.ts";
import { MOST_LASTING_DOCUMENTS, MOST_LASTING_SESSIONS, SEEN_MS } from "../../work/bounds.ts";
import type { Ports } from "../../workspace/ports.ts";
import { SeenDocuments, type Sights } from "../../workspace/seen/seen-documents.ts";

/** The stored sights of a lasting session. */
interface SeenRecord {
  readonly id: string;
  readonly token: string;
  /** The id of the connection that wrote this record. */
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly sights: Sights;
}

/** A client that speaks for a model. Its seen versions outlive its connections and the daemon. */
export interface LastingClient {
  readonly token: string;
  /** The name of its agent. */
  readonly name: string;
  /** The id of its connection. */
  readonly session: string;
  /** The id of its former connection, if it connects again. */
  readonly resumes: string | undefined;
  /** Returns false when the client may be gone although its connection has not ended. */
  readonly isLive: () => boolean;
}

interface Holder extends Pick<LastingClient, "session" | "isLive"> {
  readonly seen: SeenDocuments;
  /** True once its connection has ended. A client without one, as over HTTP, is only perhaps gone. */
  readonly ended: boolean;
}

const seenShelf = shelfOf<SeenRecord>("seen" satisfies ShelfName);

/**
 * Stores the sights of lasting sessions, by token and name. One connection at a time holds such a record. A second
 * client of the same name, beside a live one, begins without it: it has seen nothing.
 */
export class SeenMemory {
  readonly #ports: Pick<Ports, "store" | "clock" | "report">;
  readonly #holders = new Map<string, Holder>();
  /** The records that are being written; true for one that has changed since. */
  readonly #writing = new Map<string, boolean>();
  readonly #saves = new Set<Promise<void>>();

  constructor(ports: Pick<Ports, "store" | "clock" | "report">) {
    this.#ports = ports;
  }

  /** Begins a session with the sights of its client's earlier sessions. */
  begin({ token, name, session, resumes, isLive }: LastingClient): SeenDocuments {
    const id = JSON.stringify([token, name]);
    const holder = this.#holders.get(id);
    if (holder !== undefined && holder.session !== resumes && holder.isLive()) return new SeenDocuments();
    const stored = this.#ports.store.shelved(seenShelf, id);
    if (holder === undefined && stored !== undefined && resumes !== undefined && stored.session !== resumes)
      return new SeenDocuments();
    const seen = new SeenDocuments(holder?.seen.all ?? stored?.sights, () => {
      if (this.#holders.get(id)?.seen === seen) this.#save(id, token);
    });
    this.#holders.set(id, { session, isLive, seen, ended: false });
    this.#forgetOld(token, id);
    if (stored !== undefined) this.#save(id, token);
    return seen;
  }

  /** Ends a connection. */
  end(session: string): void {
    for (const [id, holder] of this.#holders)
      if (holder.session === session) {
        this.#holders.set(id, { ...holder, isLive: () => false, ended: true });
        if (!this.#writing.has(id)) this.#holders.delete(id);
      }
  }

  /** Resolves once every record is stored as it is, or cannot be. */
  async settled(): Promise<void> {
    await Promise.all(this.#saves);
  }

  #save(id: string, token: string): void {
    const saved: Promise<void> = this.#write(id, token).finally(() => this.#saves.delete(saved));
    this.#saves.add(saved);
  }

  /** Writes a record, and again while it changes meanwhile. A record that is not written is older, which is safe. */
  async #write(id: string, token: string): Promise<void> {
    const isUnderWay = this.#writing.has(id);
    this.#writing.set(id, isUnderWay);
    if (isUnderWay) return;
    do {
      this.#writing.set(id, false);
      const failure = await storeFailure(this.#ports.store.shelve(this.#recordOf(id, token)));
      if (failure !== undefined) this.#ports.report("seen.not_stored", { reason: failure.message });
    } while (this.#writing.get(id));
    this.#writing.delete(id);
    if (this.#holders.get(id)?.ended) this.#holders.delete(id);
  }

  #recordOf(id: string, token: string): Shelved {
    const { session, seen } = this.#holders.get(id)!;
    const sights = seen.all.slice(-MOST_LASTING_DOCUMENTS);
    const record: SeenRecord = { id, token, session, time: this.#ports.clock.now(), sights };
    return { shelf: seenShelf, id, record };
  }

  /** Removes records that are too old, and the oldest of a token that has too many. */
  #forgetOld(token: string, except: string): void {
    const cutoff = this.#ports.clock.now() - SEEN_MS;
    const others = [...this.#ports.store.shelf(seenShelf)].filter(({ id }) => id !== except);
    const own = others.filter((one) => one.token === token).sort((a, b) => b.time - a.time);
    const surplus = new Set(own.slice(MOST_LASTING_SESSIONS - 1));
    const old = others.filter((one) => one.time < cutoff || surplus.has(one));
    if (old.length === 0) return;
    const removals = old.map(({ id }): Shelved => ({ shelf: seenShelf, id, record: null }));
    void storeFailure(this.#ports.store.shelve(...removals)).then((failure) => {
      if (failure !== undefined) this.#ports.report("seen.not_stored", { reason: failure.message });
    });
  }
}
