import type { DocPath } from "../../mirror/path.ts";
import { type Shelf, type Shelved, shelfOf } from "../../store/shelf.ts";
import type { Seq, Store } from "../../store/store.ts";
import { includes, joined, type Vector } from "../base/vector.ts";
import type { Place } from "../carrier/carrier.ts";
import { forgetRecords, KnownRecords } from "./known-records.ts";
import type { Moved } from "./moved.ts";
import { type Named, Names, type Stamp } from "./names.ts";

/** The state of a shared document, as this machine knows it. */
export interface LinkedDocument extends Named {
  /** The newest change of this machine's journal that is in a message or came from another machine. */
  readonly sent: Seq;
  /** For each machine, its newest message that changed the text, and the number of that change in this journal. */
  readonly last: Readonly<Record<string, { readonly number: number; readonly seq: Seq }>>;
  /** The changes of other machines in this journal whose messages a crash has lost from this state. */
  readonly found?: readonly Seq[];
  /**
   * The reason why this machine lacks a file that others have. Its own rule leaves the path out, or it may not read it.
   */
  readonly withheld?: string;
  /**
   * The newest message of each machine with a change of the document that this machine could not apply, and the reason.
   */
  readonly lacks?: { readonly messages: Vector; readonly reason: string };
  /**
   * The path where the others have a document of which they ignored changes of this machine, whose level does not allow
   * them; null if they ignored the whole document.
   */
  readonly ignoredAt?: DocPath | null;
  /** The newest moves of its file, the last one at the end. */
  readonly moved?: readonly Moved[];
}

/** The position of a machine in the exchange with the others. */
interface Standing {
  /** The highest Lamport time that the machine has seen. */
  readonly lamport: number;
  /** The number of its own next message. */
  readonly next: number;
  /** The messages that the machine has received and applied. */
  readonly received: Vector;
  /** The part of `received` that the machine's messages have reported. */
  readonly told: Vector;
  /** The messages that each other machine had received when it sent its newest message that was applied here. */
  readonly after: Readonly<Record<string, Vector>>;
  /** The messages that each other machine has received, as its words reported. */
  readonly theirs: Readonly<Record<string, Vector>>;
  /** The newest message of each machine with something that this one could not apply, of documents that it does not know. */
  readonly lacks?: Vector;
  /** The place up to which this machine has read the carrier. */
  readonly place?: Place;
  /** True once others have shown messages of this machine that its folder does not know. */
  readonly isOlder?: boolean;
}

/** A message of this machine that another one may lack. */
export interface Outgoing {
  readonly bytes: Uint8Array;
  /** The time at which the message was made; milliseconds since the epoch. Messages of earlier versions lack it. */
  readonly at?: number;
}

const standingShelf = shelfOf<Standing>("link");
const linkedShelf = shelfOf<LinkedDocument>("linked");
export const outboxShelf: Shelf<Outgoing> = shelfOf<Outgoing>("outbox");

const STANDING = "standing";
/** More moments than the machines of a workspace can count. */
const MOST_LAMPORT = 2 ** 48;
const FIRST: Standing = { lamport: 0, next: 1, received: {}, told: {}, after: {}, theirs: {} };

/** Returns the id of an own message in the outbox; ids sort as their numbers. */
export function outboxId(number: number): string {
  return String(number).padStart(12, "0");
}

/** Removes the whole state of a shared workspace from a store, except its documents. @throws StoreError */
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
 * Owns the state of the shared workspace: the standing of all machines, and the names of all documents. A crash may
 * lose some of it. The journals and the carrier then bring it again (M12).
 */
export class LinkState {
  readonly names: Names;
  readonly records: KnownRecords;
  /** The messages that are being applied. Local changes during that time may build on them. */
  applying: Vector = {};
  /** The messages that are applied as a whole, and not noted as received yet. */
  applied: Vector = {};
  /** The newest change that a deleted file held, for each deletion on disk that no message contains yet. */
  readonly heldAtDeletion = new Map<string, Seq>();
  /** The operations of first texts, by the documents that arrive while their files here become documents. */
  readonly seeds = new Map<string, Uint8Array>();
  readonly #store: Store;
  readonly #documents = new Map<string, LinkedDocument>();
  readonly #changed = new Set<string>();
  /** Messages of this machine that are not stored yet, by their ids. */
  readonly #outgoing = new Map<string, Outgoing>();
  #standing: Standing;
  #held: Vector;
  #saving: Promise<void> = Promise.resolve();

  constructor(store: Store, machineName: (machine: string) => string) {
    this.#store = store;
    this.names = new Names(machineName);
    this.records = new KnownRecords(store);
    this.#standing = store.shelved(standingShelf, STANDING) ?? FIRST;
    this.#held = this.#standing.received;
    for (const linked of store.shelf(linkedShelf)) {
      this.#documents.set(linked.id, linked);
      this.names.set(asNamed(linked));
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

  /** Returns the state of a document that a restart would find. */
  stored(id: string): LinkedDocument | undefined {
    return this.#store.shelved(linkedShelf, id);
  }

  /** Returns the next moment of this machine's own events; it comes after the moment of what the event changes. */
  stamp(machine: string, changed?: Stamp): Stamp {
    const lamport = this.#standing.lamport + 1;
    this.stand({ lamport });
    const after = Math.max(lamport, (changed?.lamport ?? 0) + 1);
    return { lamport: Math.min(after, Number.MAX_SAFE_INTEGER), machine };
  }

  /**
   * Notes a moment of another machine. Later events of this machine come after it, unless it is so far ahead that only a
   * forgery can be: no number would come after the last ones.
   */
  saw({ lamport }: Stamp): void {
    if (lamport > this.#standing.lamport && lamport <= MOST_LAMPORT) this.stand({ lamport });
  }

  stand(change: Partial<Standing>): void {
    this.#standing = { ...this.#standing, ...change };
  }

  /**
   * The messages that this machine has received and stored. The others need not store them for this machine any more.
   */
  get held(): Vector {
    return this.#held;
  }

  /** Notes the messages that a machine has, as one of its words reports. */
  tells(machine: string, held: Vector): void {
    const theirs = joined(this.#standing.theirs[machine] ?? {}, held);
    this.stand({ theirs: { ...this.#standing.theirs, [machine]: theirs } });
  }

  /** Sets the state of a document; returns the ids of all documents whose places may have changed. */
  set(linked: LinkedDocument): readonly string[] {
    this.#documents.set(linked.id, linked);
    this.#changed.add(linked.id);
    return this.names.set(asNamed(linked));
  }

  /** Notes that a message's change of a document could not be applied. */
  lacks(id: string, machine: string, number: number, reason: string): void {
    const linked = this.#documents.get(id);
    if (linked === undefined) this.lacksUnknown({ [machine]: number });
    else
      this.set({ ...linked, lacks: { messages: { ...linked.lacks?.messages, [machine]: number }, reason } });
  }

  /** Notes that this machine lacks something of these messages, of documents that it does not know. */
  lacksUnknown(messages: Vector): void {
    this.stand({ lacks: joined(this.#standing.lacks ?? {}, messages) });
  }

  /** Notes that this machine has received the content of all messages up to these. */
  caughtUp(messages: Vector): void {
    for (const { lacks, ...linked } of [...this.#documents.values()])
      if (lacks !== undefined && includes(messages, lacks.messages)) this.set(linked);
    const { lacks, ...standing } = this.#standing;
    if (lacks !== undefined && includes(messages, lacks)) this.#standing = standing;
  }

  /**
   * The messages with changes that this machine could not apply; undefined if it applied all. A snapshot that contains
   * these messages brings their content, except while a rule of this machine leaves out the document.
   */
  get lacking(): Vector | undefined {
    let all: Vector | undefined = this.#standing.lacks;
    for (const { lacks, withheld } of this.#documents.values())
      if (lacks !== undefined && withheld === undefined) all = joined(all ?? {}, lacks.messages);
    return all;
  }

  /** True if a snapshot of this machine lacks something: this machine does, or others ignore changes of it. */
  get isPartial(): boolean {
    for (const linked of this.#documents.values())
      if (lacksSome(linked) || typeof linked.ignoredAt === "string") return true;
    return this.#standing.lacks !== undefined;
  }

  /** Adds a message of this machine. The next `save` stores it together with the states that it changes. */
  send(number: number, outgoing: Outgoing): void {
    this.#outgoing.set(outboxId(number), outgoing);
  }

  /** Returns the document that has a place for all machines; undefined for a path that no shared document has. */
  documentAt(path: DocPath): LinkedDocument | undefined {
    const named = this.names.at(path).find(({ id }) => this.names.placeOf(id) === path);
    return named && this.#documents.get(named.id);
  }

  /** Stores the changed states together with their messages, as one group. @throws StoreError */
  save(): Promise<void> {
    // The writes go one after the other: a later standing never overtakes an earlier one that the store refuses.
    const saved = this.#saving.then(() => this.#save());
    this.#saving = saved.catch(() => undefined); // its own caller gets the error
    return saved;
  }

  async #save(): Promise<void> {
    const changed = [...this.#changed];
    const outgoing = [...this.#outgoing];
    this.#changed.clear();
    this.#outgoing.clear();
    const linked = changed.map((id): Shelved => ({ shelf: "linked", id, record: this.#documents.get(id)! }));
    const records = this.records.take();
    const messages = outgoing.map(([id, record]): Shelved => ({ shelf: "outbox", id, record }));
    const { received } = this.#standing;
    const standing: Shelved = { shelf: "link", id: STANDING, record: this.#standing };
    try {
      await this.#store.shelve(...linked, ...records.changes, ...messages, standing);
      this.#held = received;
    } catch (error) {
      for (const id of changed) this.#changed.add(id);
      for (const [id, record] of outgoing) this.#outgoing.set(id, record);
      records.failed();
      throw error;
    }
  }
}

/** Returns true for a document of which this machine lacks something, because of its own rule or a defect. */
export function lacksSome(linked: LinkedDocument): boolean {
  return linked.withheld === undefined ? linked.lacks !== undefined : !isGone(linked);
}

/** Returns true for a document whose deletion had seen every change of its text (M9). */
export function isGone({ name, last }: Pick<LinkedDocument, "name" | "last">): boolean {
  const { isDeleted, stamp, seen = {} } = name;
  return (
    isDeleted &&
    Object.entries(last).every(
      ([machine, { number }]) => machine === stamp.machine || number <= (seen[machine] ?? 0),
    )
  );
}

/**
 * Returns a document whose text messages changed, the newest of each machine in `last`; `seq` is the number of the newest
 * of these changes in this journal.
 */
export function withAll(linked: LinkedDocument, last: Vector, seq: Seq): LinkedDocument {
  const known = { ...linked.last };
  for (const [machine, number] of Object.entries(last)) {
    const before = known[machine] ?? { number: 0, seq: 0 };
    if (before.number <= number) known[machine] = { number, seq: Math.max(seq, before.seq) };
  }
  return { ...linked, last: known };
}

/** Returns a document under the name that it has in effect. */
function asNamed({ id, born, name, last, ignoredAt }: LinkedDocument): Named {
  return { id, born, name: { ...name, isDeleted: isGone({ name, last }) }, isAlone: ignoredAt === null };
}
