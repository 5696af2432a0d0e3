import type { Clock } from "../../mirror/clock.ts";
import type { Store } from "../../store/store.ts";
import { longer } from "../base/pause.ts";
import { reportOnce } from "../base/report-once.ts";
import { type Carrier, CarrierError, largeName } from "../carrier/carrier.ts";
import { outboxId, outboxShelf } from "../state/link-state.ts";
import type { OwnMessages } from "./own-messages.ts";
import { Repeats } from "./repeats.ts";

/** Messages that are on their way to the carrier at the same time. */
const AT_ONCE = 64;
/** The size from which the payload of a message is stored as an object; bytes. */
const LARGE_BYTES = 512 << 10;
/** The first pause and the longest one after a message that the carrier did not take; milliseconds. */
const RETRY_MS = 1_000;
const MOST_RETRY_MS = 30_000;

interface PublisherParts {
  readonly store: Store;
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
  /** This machine. */
  readonly machine: string;
  readonly own: OwnMessages;
  /** Returns the oldest message that is stored, and the first one that is not stored yet. */
  readonly stored: () => { readonly first: number; readonly unstored: number };
}

/**
 * Publishes the stored messages of this machine in the order of their numbers. After a pause, it publishes again what the
 * carrier did not take.
 */
export class Publisher {
  readonly #parts: PublisherParts;
  readonly #abort = new AbortController();
  /** Counts the times that the carrier was reached or lost. */
  #connection = 0;
  #isPublishing = false;
  /** The next message to publish. */
  #cursor: number;
  #pause = RETRY_MS;
  #refusal: string | undefined;
  /** The messages that are on their way to the carrier, by their numbers. */
  readonly #publishing = new Map<number, Promise<void>>();
  readonly #repeats: Repeats;
  readonly #reportOnce: ReturnType<typeof reportOnce>;

  constructor(parts: PublisherParts, cursor: number) {
    this.#parts = parts;
    this.#repeats = new Repeats(parts.clock);
    this.#reportOnce = reportOnce(parts.report);
    this.#cursor = cursor;
  }

  /** The oldest message that the carrier has not acknowledged; the next one if there is none. */
  get oldest(): number {
    return Math.min(this.#cursor, ...this.#publishing.keys());
  }

  /** The messages before this one are on their way to the carrier, or acknowledged. */
  get cursor(): number {
    return this.#cursor;
  }

  /** The reason why the carrier did not take the last message; undefined if it took it, or is away. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** The number of messages on their way to the carrier. */
  get underWay(): number {
    return this.#publishing.size;
  }

  /**
   * Begins to publish after the newest message that the carrier has. Returns true once it does, and false if the carrier
   * is away again.
   */
  async connected(): Promise<boolean> {
    const { clock, own } = this.#parts;
    const connection = ++this.#connection;
    this.#isPublishing = false;
    while (connection === this.#connection && !this.#abort.signal.aborted) {
      const first = await this.#firstLacking().catch((error: unknown) => this.#failed(error));
      if (connection !== this.#connection) return false;
      if (first !== undefined && own.isOlderThan(0)) return false; // found now, or at an earlier start
      if (first !== undefined) {
        this.#cursor = first;
        this.#isPublishing = true;
        this.publish();
        return true;
      }
      // The carrier may lose a request although it is connected.
      await clock.sleep(RETRY_MS, this.#abort.signal);
    }
    return false;
  }

  away(): void {
    this.#refusal = undefined;
    this.#connection++;
    this.#isPublishing = false;
  }

  /** Publishes stored messages again, from a number on, because a machine asks for them (M4), if a repetition is due. */
  again(machine: string, from: number): void {
    const { first, unstored } = this.#parts.stored();
    const lacking = Math.max(from, first);
    // A message that the carrier refuses delays no repetition of the ones before it.
    const cursor = this.#refusal === undefined ? this.#cursor : unstored;
    if (lacking >= this.#cursor || !this.#repeats.isDue(machine, lacking, cursor, unstored)) return;
    this.#cursor = lacking;
    this.publish();
  }

  /** Publishes what is stored, while the carrier takes it. */
  publish(): void {
    const { own, stored } = this.#parts;
    while (this.#isPublishing && this.#publishing.size < AT_ONCE && this.#cursor < stored().unstored) {
      const number = this.#cursor++;
      own.published(number);
      const publishing = this.#publishOne(number).finally(() => {
        this.#publishing.delete(number);
        this.publish();
      });
      this.#publishing.set(number, publishing);
    }
  }

  /** Resolves once the messages that are on their way have arrived, or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#publishing.values());
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.away();
    await this.settled();
  }

  /** Returns the first stored message after the newest one that the carrier has. @throws CarrierError */
  async #firstLacking(): Promise<number> {
    const { carrier, machine, own, stored } = this.#parts;
    const newest = await carrier.newest(machine);
    const isOwn = newest !== undefined && (await own.sees(newest));
    return Math.max(stored().first, isOwn ? newest.number + 1 : 0);
  }

  /** Publishes a message; the payload of a large one becomes an object, which the message names. */
  async #publishOne(number: number): Promise<void> {
    const { store, carrier, machine } = this.#parts;
    const connection = this.#connection;
    try {
      const bytes = store.shelved(outboxShelf, outboxId(number))?.bytes;
      if (bytes === undefined) return;
      if (bytes.length <= Math.min(LARGE_BYTES, carrier.maxBytes))
        await carrier.publish(machine, number, bytes);
      else {
        await carrier.put(largeName(machine, number), bytes);
        await carrier.publish(machine, number, LARGE);
      }
      this.#pause = RETRY_MS;
      this.#refusal = undefined;
    } catch (error) {
      this.#failed(error, { number });
      this.#cursor = Math.min(this.#cursor, number);
      if (this.#isPublishing && connection === this.#connection) void this.#retry();
    }
  }

  /** Begins anew after a pause, which grows until the carrier takes a message. */
  async #retry(): Promise<void> {
    const connection = this.#connection;
    this.#isPublishing = false;
    const pause = this.#pause;
    this.#pause = longer(pause, MOST_RETRY_MS);
    await this.#parts.clock.sleep(pause, this.#abort.signal);
    if (connection === this.#connection) await this.connected();
  }

  /** Reports why the carrier takes no messages, once for each reason. The link reports that the carrier is away. */
  #failed(error: unknown, details: { readonly number?: number } = {}): undefined {
    if (error instanceof CarrierError && error.kind === "away") return;
    const [event, reason] =
      error instanceof CarrierError ? ["link.unpublished", error.message] : ["link.defect", String(error)];
    this.#refusal = reason;
    this.#reportOnce(reason, event, { ...details, reason });
  }
}

/** The bytes of a message whose content is a stored object. */
const LARGE = new Uint8Array([0]);
