import type { DocPath } from "../mirror/path.ts";
import { type Shelf, type Shelved, shelfOf } from "../store/shelf.ts";
import type { Seq, Store } from "../store/store.ts";
import type { Place } from "./carrier.ts";
import { forgetRecords, KnownRecords } from "./known-records.ts";
import { type Named, Names, type Stamp } from "./names.ts";
import { joined, type Vector } from "./vector.ts";

/** What a machine knows of a shared document. */
export interface LinkedDocument extends Named {
  /** The newest change of this machine's journal that was put into a message, or came from another machine. */
  readonly sent: Seq;
  /** For each machine, its newest message that changed the document, and the number of that change in this journal. */
  readonly last: Readonly<Record<string, { readonly number: number; readonly seq: Seq }>>;
  /** The message that deleted the document; Infinity for a deletion of this machine that is not in a message yet. */
  readonly deletedBy?: { readonly machine: string; readonly number: number };
  /** Why this machine has no such file, though others do: a rule of its own leaves the path out, or it may not read it. */
  readonly withheld?: string;
}

/** Where a machine stands among the others. */
interface Standing {
  /** The highest Lamport time that the machine has seen. */
  readonly lamport: number;
  /** The number of its own next message. */
  readonly next: number;
  /** What it has received and applied. */
  readonly received: Vector;
  /** The part of `received` that its messages have told. */
  readonly told: Vector;
  /** What each other machine had received, as its messages told. */
  readonly theirs: Readonly<Record<string, Vector>>;
  /** Up to where the carrier was read. */
  readonly place?: Place;
}

/** A message of this machine that another one may lack. */
export interface Outgoing {
  readonly bytes: Uint8Array;
}

const standingShelf = shelfOf<Standing>("link");
const linkedShelf = shelfOf<LinkedDocument>("linked");
export const outboxShelf: Shelf<Outgoing> = shelfOf<Outgoing>("outbox");

const STANDING = "standing";
const FIRST: Standing = { lamport: 0, next: 1, received: {}, told: {}, theirs: {} };

/** Returns the id of an own message in the outbox; ids sort as their numbers. */
export function outboxId(number: number): string {
  return String(number).padStart(12, "0");
}

/** Removes everything that a store has of a shared workspace, but its documents. @throws StoreError */
export async function forgetLink(store: Store): Promise<void> {
  const ids: Shelved[] = [...forgetRecords(store), { shelf: "link", id: STANDING, record: null }];
  const next = store.shelved(standingShelf, STANDING)?.next ?? 1;
  for (const { id } of store.shelf(linkedShelf)) ids.push({ shelf: "linked", id, record: null });
  for (
    let number = next - 1;
    number > 0 && store.shelved(outboxShelf, outboxId(number)) !== undefined;
    number--
  )
    ids.push({ shelf: "outbox", id: outboxId(number), record: null });
  await store.shelve(...ids);
}

/**
 * Owns what a machine knows of the shared workspace: the standing of all machines, and the names of all documents.
 * Everything here follows the journals: what a crash loses of it, the journals and the carrier tell again (M12).
 */
export class LinkState {
  readonly names: Names;
  readonly records: KnownRecords;
  readonly #store: Store;
  readonly #documents = new Map<string, LinkedDocument>();
  readonly #changed = new Set<string>();
  #standing: Standing;

  constructor(store: Store, machineName: (machine: string) => string) {
    this.#store = store;
    this.names = new Names(machineName);
    this.records = new KnownRecords(store);
    this.#standing = store.shelved(standingShelf, STANDING) ?? FIRST;
    for (const linked of store.shelf(linkedShelf)) {
      this.#documents.set(linked.id, linked);
      this.names.set(linked);
    }
  }

  get standing(): Standing {
    return this.#standing;
  }

  get documents(): Iterable<LinkedDocument> {
    return this.#documents.values();
  }

  document(id: string): LinkedDocument | undefined {
    return this.#documents.get(id);
  }

  /** Returns the next moment of this machine's own events. */
  stamp(machine: string): Stamp {
    const lamport = this.#standing.lamport + 1;
    this.stand({ lamport });
    return { lamport, machine };
  }

  /** Notes a moment of another machine: this machine's later events are after it. */
  saw({ lamport }: Stamp): void {
    if (lamport > this.#standing.lamport) this.stand({ lamport });
  }

  stand(change: Partial<Standing>): void {
    this.#standing = { ...this.#standing, ...change };
  }

  /** Notes what a machine has received, as one of its messages tells. */
  tells(machine: string, after: Vector): Vector {
    const theirs = joined(this.#standing.theirs[machine] ?? {}, after);
    this.stand({ theirs: { ...this.#standing.theirs, [machine]: theirs } });
    return theirs;
  }

  /** Sets what is known of a document; returns the ids of all documents whose places may have changed. */
  set(linked: LinkedDocument): readonly string[] {
    this.#documents.set(linked.id, linked);
    this.#changed.add(linked.id);
    return this.names.set(linked);
  }

  /** Returns the document that has a place for all machines; undefined for a path that no shared document has. */
  documentAt(path: DocPath): LinkedDocument | undefined {
    const named = this.names.at(path).find(({ id }) => this.names.placeOf(id) === path);
    return named && this.#documents.get(named.id);
  }

  /** Stores what changed, with other records: all or nothing. @throws StoreError */
  async save(...others: readonly Shelved[]): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    const linked = changed.map((id): Shelved => ({ shelf: "linked", id, record: this.#documents.get(id)! }));
    const records = this.records.take();
    const standing: Shelved = { shelf: "link", id: STANDING, record: this.#standing };
    try {
      await this.#store.shelve(...linked, ...records.changes, standing, ...others);
    } catch (error) {
      for (const id of changed) this.#changed.add(id);
      records.failed();
      throw error;
    }
  }
}
