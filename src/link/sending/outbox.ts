import type { Clock } from "../../mirror/clock.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import { reportOnce } from "../base/report-once.ts";
import { beyond, joined, type Vector } from "../base/vector.ts";
import type { Carrier } from "../carrier/carrier.ts";
import type { Sealer } from "../members/sealer.ts";
import { encodeMessage, type Item } from "../messages/message.ts";
import type { Offer } from "../messages/record-exchange.ts";
import { type LinkedDocument, outboxId, outboxShelf } from "../state/link-state.ts";
import type { LinkStatus } from "../state/link-status.ts";
import { type Collected, collect } from "./collect.ts";
import { OwnMessages, type OwnParts } from "./own-messages.ts";
import { Publisher } from "./publisher.ts";

/** The size at which a message is sent; bytes. */
const FULL_BYTES = 128 << 10;
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

/** The items that a document has for the other machines; `hasMore` is true if further changes wait. */
type Found = Collected & { readonly hasMore: boolean };

/**
 * Owns the messages of this machine. Changes leave the journals as numbered messages. Each is durable before it is
 * published, and stored until every machine has it (M1, M11).
 *
 *     journals ── collect ──► outbox ── publish ──► carrier
 */
export class Outbox {
  readonly own: OwnMessages;
  readonly publisher: Publisher;
  readonly #parts: OutboxParts;
  readonly #dirty = new Set<string>();
  /** The records to send, once no document is dirty. */
  readonly #offers: Offer[] = [];
  readonly #abort = new AbortController();
  #collecting: Promise<void> | undefined;
  /** The bytes at which a message is sent: fewer after one that could not be sealed. */
  #full = FULL_BYTES;
  readonly #reportOnce: ReturnType<typeof reportOnce>;
  /** The oldest message that is stored, and the first one that is not stored yet. */
  #first: number;
  #unstored: number;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#reportOnce = reportOnce(parts.report);
    const { next, theirs } = parts.state.standing;
    this.#first = firstStored(parts.store, next);
    this.#unstored = next;
    this.own = new OwnMessages(parts);
    // Until the carrier reports its newest message, the outbox treats each message that no other machine has as
    // unpublished.
    const known = Object.values(theirs).map((has) => has[parts.sealer.machine] ?? 0);
    const cursor = Math.min(next, Math.max(this.#first, 1 + Math.max(0, ...known)));
    const { machine } = parts.sealer;
    const stored = () => ({ first: this.#first, unstored: this.#unstored });
    this.publisher = new Publisher({ ...parts, machine, own: this.own, stored }, cursor);
  }

  /** The number of messages that the carrier has not acknowledged, and the time since when the oldest waits. */
  get status(): Pick<LinkStatus, "waiting" | "waitingSince" | "refusal" | "isFull"> {
    const { state, store } = this.#parts;
    const { cursor, underWay, oldest, refusal } = this.publisher;
    const waiting = state.standing.next - cursor + underWay;
    const waitingSince = waiting === 0 ? undefined : store.shelved(outboxShelf, outboxId(oldest))?.at;
    return { waiting, waitingSince, refusal, isFull: this.isFull };
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
    this.#collecting ??= this.#collect();
  }

  /** Resolves once every marked document is in a message, as far as the outbox has room. */
  async collected(): Promise<void> {
    await this.#collecting;
  }

  /** Resolves once every marked change is published, as far as that is possible now. */
  async settled(): Promise<void> {
    await this.#collecting;
    await this.publisher.settled();
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
    await this.publisher.close();
    await this.#collecting;
  }

  /**
   * Puts all that waits into messages. From the check that nothing waits to the end of the work nothing waits: a call of
   * `mark` in between would begin no work.
   */
  async #collect(): Promise<void> {
    try {
      await Promise.resolve(); // changes of the same turn share a message
      while (this.#dirty.size + this.#offers.length > 0 && !this.isFull && !this.#abort.signal.aborted)
        await this.#send();
    } catch (error) {
      this.#defect(error);
    } finally {
      this.#full = FULL_BYTES;
      this.#collecting = undefined;
    }
  }

  async #send(): Promise<void> {
    const { clock, report } = this.#parts;
    const affected = this.#next();
    const save = () => storeFailure(this.#parts.state.save());
    // The state in memory counts the message as sent, so it is stored before any later one.
    for (let failure = await save(); failure !== undefined; failure = await save()) {
      if (this.#abort.signal.aborted) return;
      report("link.unsent", { reason: failure.message });
      await clock.sleep(RETRY_MS, this.#abort.signal);
    }
    this.#unstored = this.#parts.state.standing.next;
    this.publisher.publish();
    this.#parts.place(affected);
  }

  /** Puts waiting changes and records into the next message; returns the documents whose places may have changed. */
  #next(): readonly string[] {
    const number = this.#parts.state.standing.next;
    const affected = new Set<string>();
    const documents: Found[] = [];
    const [offers, records]: [Offer[], Item[]] = [[], []];
    let bytes = 0;
    for (const docId of this.#dirty) {
      if (bytes >= this.#full) break;
      this.#dirty.delete(docId);
      const found = this.#find(docId, number);
      if (found === undefined) continue;
      if (found.items.length === 0) this.#count(found, affected);
      else documents.push(found);
      bytes += sizeOf(found.items);
    }
    const isLast = this.#dirty.size === 0 && !documents.some((found) => found.hasMore);
    while (isLast && this.#offers.length > 0 && bytes < this.#full) {
      offers.push(this.#offers.shift()!);
      records.push(offers.at(-1)!(number));
      bytes += sizeOf(records.slice(-1));
    }
    if (documents.length + records.length === 0) return [...affected];
    try {
      this.#seal(number, documents, records);
    } catch (error) {
      if (documents.length + records.length === 1) this.#defect(error, { doc: documents[0]?.linked.id });
      else this.#sendEachAlone(documents, offers);
      return [...affected];
    }
    for (const found of documents) this.#count(found, affected);
    return [...affected];
  }

  /** One of these cannot be sealed. Each gets a message of its own, so that this one stops no other (I14). */
  #sendEachAlone(documents: readonly Found[], offers: readonly Offer[]): void {
    this.#full = 1;
    for (const { linked } of documents) this.#dirty.add(linked.id);
    this.#offers.unshift(...offers);
  }

  /** Returns what a document has for the other machines. Reports a document with a defect, which waits (I14). */
  #find(docId: string, number: number): Found | undefined {
    const { store, state, sealer } = this.#parts;
    try {
      const collected = collect(store, state, docId, sealer, number);
      return collected && { ...collected, hasMore: hasMore(store, collected.linked) };
    } catch (error) {
      this.#defect(error, { doc: docId });
      return undefined;
    }
  }

  /** @throws RangeError if the content is too large for a message */
  #seal(number: number, documents: readonly Found[], records: readonly Item[]): void {
    const { state, sealer, clock } = this.#parts;
    const { told, received } = state.standing;
    let has = joined(received, state.applying);
    for (const { linked } of documents) has = joined(has, sourcesOf(linked, sealer.machine));
    const items = [...documents.flatMap((found) => found.items), ...records];
    const bytes = sealer.seal(number, encodeMessage({ after: beyond(has, told), items }));
    // The next message names again what is still being applied: a snapshot may have this one without it.
    state.stand({ next: number + 1, told: joined(told, received) });
    state.send(number, { bytes, at: clock.now() });
    for (const item of items) if (item.is === "change") state.heldAtDeletion.delete(item.facts.id);
  }

  /** Counts the items of a document as sent. */
  #count({ linked, hasMore }: Found, affected: Set<string>): void {
    for (const id of this.#parts.state.set(linked)) affected.add(id);
    if (hasMore) this.#dirty.add(linked.id);
  }

  /** Reports a defect, once for each document and reason. */
  #defect(error: unknown, about: { readonly doc?: string | undefined } = {}): void {
    const reason = String(error);
    this.#reportOnce(`${about.doc} ${reason}`, "link.defect", { ...about, reason });
  }
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

function sizeOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + sizeOfOne(item), 0);
}

function sizeOfOne(item: Item): number {
  if (item.is === "record") return item.given === null ? 100 : JSON.stringify(item.given).length;
  if (item.is === "document") return item.snapshot.bytes.length + 200 * item.changes.length;
  return item.updates.reduce((sum, { length }) => sum + length, 100);
}
