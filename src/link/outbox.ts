import type { Clock } from "../mirror/clock.ts";
import { type Store, storeFailure } from "../store/store.ts";
import { type Carrier, CarrierError } from "./carrier.ts";
import { collect } from "./collect.ts";
import { type LinkedDocument, outboxId, outboxShelf } from "./link-state.ts";
import type { LinkStatus } from "./link-status.ts";
import { encodeMessage, type Item } from "./message.ts";
import { OwnMessages, type OwnParts } from "./own-messages.ts";
import type { Offer } from "./record-exchange.ts";
import type { Sealer } from "./sealer.ts";
import { beyond, joined, type Vector } from "./vector.ts";

/** Messages that are on their way to the carrier at the same time. */
const AT_ONCE = 64;
/** The size at which a message is sent, and the size from which its payload is stored as an object; bytes. */
const FULL_BYTES = 128 << 10;
const LARGE_BYTES = 512 << 10;
/**
 * The most messages that wait. Further changes wait in the journals until other machines have some of these messages
 * (M11).
 */
const MOST_WAITING = 20_000;
const RETRY_MS = 1_000;

interface OutboxParts extends OwnParts {
  readonly sealer: Sealer;
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
  /** The most messages that wait. */
  readonly mostWaiting: number | undefined;
  /** Moves the files of documents to their new places. */
  readonly place: (docIds: readonly string[]) => void;
}

/**
 * Owns the messages of this machine. Changes leave the journals as numbered messages. Each is durable before it is
 * published, and stored until every machine has it (M1, M11).
 *
 *     journals ── collect ──► outbox ── publish ──► carrier
 */
export class Outbox {
  readonly own: OwnMessages;
  readonly #parts: OutboxParts;
  readonly #dirty = new Set<string>();
  /** The records to send, once no document is dirty. */
  readonly #offers: Offer[] = [];
  readonly #abort = new AbortController();
  #collecting: Promise<void> | undefined;
  /** Counts the times that the carrier was reached or lost. */
  #connection = 0;
  #isPublishing = false;
  /** The next message to publish. */
  #cursor: number;
  /** The oldest message that is stored, and the first one that is not stored yet. */
  #first: number;
  #unstored: number;
  /** The messages that are on their way to the carrier, by their numbers. */
  readonly #publishing = new Map<number, Promise<void>>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    const { next, theirs } = parts.state.standing;
    this.#first = firstStored(parts.store, next);
    this.#unstored = next;
    this.own = new OwnMessages(parts);
    // Until the carrier reports its newest message, the outbox treats each message that no other machine has as
    // unpublished.
    const known = Object.values(theirs).map((has) => has[parts.sealer.machine] ?? 0);
    this.#cursor = Math.min(next, Math.max(this.#first, 1 + Math.max(0, ...known)));
  }

  /** The number of messages that the carrier has not acknowledged, and the time since when the oldest waits. */
  get status(): Pick<LinkStatus, "waiting" | "waitingSince" | "isFull"> {
    const { state, store } = this.#parts;
    const waiting = state.standing.next - this.#cursor + this.#publishing.size;
    const oldest = Math.min(this.#cursor, ...this.#publishing.keys());
    const waitingSince = waiting === 0 ? undefined : store.shelved(outboxShelf, outboxId(oldest))?.at;
    return { waiting, waitingSince, isFull: this.isFull };
  }

  /** The oldest message that can be published again. */
  get first(): number {
    return Math.max(1, this.#first);
  }

  /** The messages that some machine may lack. */
  get stored(): number {
    return this.#parts.state.standing.next - this.#first;
  }

  /** True while the outbox is full, so that changes wait in the journals. */
  get isFull(): boolean {
    return this.stored >= (this.#parts.mostWaiting ?? MOST_WAITING);
  }

  /** Notes that a document may have changes for other machines. */
  mark(docId: string): void {
    this.#dirty.add(docId);
    this.#begin();
  }

  /** Sends a record after the changes of all marked documents. */
  offer(offer: Offer): void {
    this.#offers.push(offer);
    this.#begin();
  }

  #begin(): void {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = undefined;
    });
  }

  /** Resolves once every marked document is in a message, as far as the outbox has room. */
  async collected(): Promise<void> {
    await this.#collecting;
  }

  /** Resolves once every marked change is published, as far as that is possible now. */
  async settled(): Promise<void> {
    await this.#collecting;
    await Promise.all(this.#publishing.values());
  }

  /**
   * Begins to publish after the newest message that the carrier has. Returns true once it does, and false if the carrier
   * is away again.
   */
  async connected(): Promise<boolean> {
    const { carrier, sealer, clock } = this.#parts;
    const connection = ++this.#connection;
    this.#isPublishing = false;
    while (connection === this.#connection && !this.#abort.signal.aborted) {
      const newest = await carrier.newest(sealer.machine).catch(orAway);
      if (connection !== this.#connection) return false;
      if (newest !== undefined && this.own.isOlderThan(newest)) return false;
      if (newest !== undefined) {
        this.#cursor = Math.max(this.#first, newest + 1);
        this.#isPublishing = true;
        this.#publish();
        return true;
      }
      // The carrier may lose a request although it is connected.
      await clock.sleep(RETRY_MS, this.#abort.signal);
    }
    return false;
  }

  away(): void {
    this.#connection++;
    this.#isPublishing = false;
  }

  /** Publishes stored messages again, from a number on, because a machine lacks them (M4). */
  again(from: number): void {
    this.#cursor = Math.min(this.#cursor, Math.max(from, this.#first));
    this.#publish();
  }

  /** Removes the messages up to a number, which every machine has. @throws StoreError */
  async drop(upTo: number): Promise<void> {
    const numbers: number[] = [];
    for (; this.#first <= upTo && this.#first < this.#parts.state.standing.next; this.#first++)
      numbers.push(this.#first);
    if (numbers.length === 0) return;
    await this.#parts.store.shelve(
      ...numbers.map((number) => ({ shelf: outboxShelf, id: outboxId(number), record: null })),
    );
    if (this.#dirty.size + this.#offers.length > 0) this.#begin();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.away();
    await this.#collecting;
    await Promise.allSettled(this.#publishing.values());
  }

  async #collect(): Promise<void> {
    const { clock, report } = this.#parts;
    await Promise.resolve(); // changes of the same turn share a message
    while (this.#dirty.size + this.#offers.length > 0 && !this.isFull && !this.#abort.signal.aborted) {
      const affected = this.#next();
      const save = () => storeFailure(this.#parts.state.save());
      // The state in memory counts the message as sent, so it is stored before any later one.
      for (let failure = await save(); failure !== undefined; failure = await save()) {
        if (this.#abort.signal.aborted) return;
        report("link.unsent", { reason: failure.message });
        await clock.sleep(RETRY_MS, this.#abort.signal);
      }
      this.#unstored = this.#parts.state.standing.next;
      this.#publish();
      this.#parts.place(affected);
    }
  }

  /** Puts waiting changes and records into the next message; returns the documents whose places may have changed. */
  #next(): readonly string[] {
    const { state, store, sealer } = this.#parts;
    const number = state.standing.next;
    const items: Item[] = [];
    const affected = new Set<string>();
    let has = joined(state.standing.received, state.applying);
    let bytes = 0;
    for (const docId of this.#dirty) {
      if (bytes >= FULL_BYTES) break;
      this.#dirty.delete(docId);
      const collected = collect(store, state, docId, sealer.machine, number);
      if (collected === undefined) continue;
      items.push(...collected.items);
      bytes += collected.items.reduce((sum, item) => sum + sizeOf(item), 0);
      for (const id of state.set(collected.linked)) affected.add(id);
      has = joined(has, sourcesOf(collected.linked, sealer.machine));
      if (hasMore(store, collected.linked)) this.#dirty.add(docId);
    }
    while (this.#dirty.size === 0 && this.#offers.length > 0 && bytes < FULL_BYTES) {
      const item = this.#offers.shift()!(number);
      items.push(item);
      bytes += sizeOf(item);
    }
    if (items.length === 0) return [...affected];
    const { told } = state.standing;
    const payload = encodeMessage({ after: beyond(has, told), items });
    const sealed = sealer.seal(number, payload);
    state.stand({ next: number + 1, told: joined(told, has) });
    state.send(number, { bytes: sealed, at: this.#parts.clock.now() });
    return [...affected];
  }

  #publish(): void {
    const { store, sealer } = this.#parts;
    while (this.#isPublishing && this.#publishing.size < AT_ONCE && this.#cursor < this.#unstored) {
      const number = this.#cursor++;
      this.own.published(number);
      const stored = store.shelved(outboxShelf, outboxId(number));
      if (stored === undefined) continue;
      const publishing = this.#publishOne(sealer.machine, number, stored.bytes).finally(() => {
        this.#publishing.delete(number);
        this.#publish();
      });
      this.#publishing.set(number, publishing);
    }
  }

  /** Publishes a message; the payload of a large one becomes an object, which the message names. */
  async #publishOne(machine: string, number: number, bytes: Uint8Array): Promise<void> {
    const { carrier, report } = this.#parts;
    const connection = this.#connection;
    try {
      if (bytes.length <= Math.min(LARGE_BYTES, carrier.maxBytes))
        return await carrier.publish(machine, number, bytes);
      const name = largeName(machine, number);
      await carrier.put(name, bytes);
      await carrier.publish(machine, number, LARGE);
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
      if (error.kind === "refused") report("link.unpublished", { number, reason: error.message });
      this.#cursor = Math.min(this.#cursor, number);
      if (connection === this.#connection) void this.connected();
    }
  }
}

/** Returns undefined for a request that the carrier did not answer. */
function orAway(error: unknown): undefined {
  if (!(error instanceof CarrierError)) throw error;
}

/** The bytes of a message whose content is a stored object. */
const LARGE = new Uint8Array([0]);

/** Returns the name of the object that has the content of a large message. */
export function largeName(machine: string, number: number): string {
  return `large.${machine}.${number}`;
}

function firstStored(store: Store, next: number): number {
  let first = next;
  while (first > 1 && store.shelved(outboxShelf, outboxId(first - 1)) !== undefined) first--;
  return first;
}

function hasMore(store: Store, { id, sent }: LinkedDocument): boolean {
  const [newest] = store.changes(id, { limit: 1 });
  return newest !== undefined && newest.seq > sent;
}

/** Returns the messages of other machines that a document's text builds on. */
function sourcesOf({ last }: LinkedDocument, self: string): Vector {
  const others = Object.entries(last).filter(([machine]) => machine !== self);
  return Object.fromEntries(others.map(([machine, { number }]) => [machine, number]));
}

function sizeOf(item: Item): number {
  if (item.is === "record") return item.given === null ? 100 : JSON.stringify(item.given).length;
  if (item.is === "document") return item.snapshot.bytes.length + 200 * item.changes.length;
  return item.updates.reduce((sum, { length }) => sum + length, 100);
}
