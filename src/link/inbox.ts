import type { Clock } from "../mirror/clock.ts";
import { storeFailure } from "../store/store.ts";
import { type Applier, NotNow } from "./apply.ts";
import type { Carried, Place } from "./carrier.ts";
import type { LinkState } from "./link-state.ts";
import { decodeMessage, type Message } from "./message.ts";
import type { Sealer } from "./sealer.ts";
import { includes, joined, type Vector } from "./vector.ts";

/** The messages after which what was received is stored. */
const SAVE_EVERY = 200;
const RETRY_MS = 500;
/** The times that an item is tried which no full store or passing trouble prevents. */
const MOST_TRIES = 10;

interface InboxParts {
  readonly state: LinkState;
  readonly sealer: Sealer;
  readonly applier: Applier;
  readonly clock: Clock;
  /** Fetches the content of a message that is stored as an object; undefined while the carrier lacks it. */
  readonly large: (machine: string, number: number) => Promise<Uint8Array | undefined>;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

/**
 * Owns what other machines told. A message is applied once everything is applied that its machine had received before it
 * (M4); until then it waits.
 */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #waiting = new Map<string, Map<number, Uint8Array>>();
  /** The newest message of each machine that somebody spoke of. */
  readonly #heard = new Map<string, number>();
  readonly #refused = new Set<string>();
  readonly #abort = new AbortController();
  #draining: Promise<void> | undefined;
  #place: Place | undefined;
  #unsaved = 0;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  take({ machine, number, bytes, place }: Carried): void {
    this.#place = place;
    const { state } = this.#parts;
    if (!this.#isNew(machine, number)) {
      this.#rest();
      return;
    }
    if (machine === this.#parts.sealer.machine && number >= state.standing.next)
      // This folder came back from a backup: it takes in what it had told itself.
      this.#parts.report("link.own_message", { number });
    const waiting = this.#waiting.get(machine) ?? new Map<number, Uint8Array>();
    this.#waiting.set(machine, waiting.set(number, bytes));
    this.#drain();
  }

  /** Notes that a machine has sent messages up to a number. */
  heard(machine: string, number: number): void {
    this.#heard.set(machine, Math.max(number, this.#heard.get(machine) ?? 0));
  }

  /** Returns the first message of each log that this machine lacks, though a later one was heard of (M4). */
  get needs(): Vector {
    const needs: Record<string, number> = {};
    for (const [machine, number] of this.#heard) {
      const next = this.#next(machine);
      if (next <= number && !this.#waiting.get(machine)?.has(next)) needs[machine] = next;
    }
    return needs;
  }

  /** The number of messages that wait for others. */
  get size(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async settled(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#draining;
    await this.#save();
  }

  #next(machine: string): number {
    const { state, sealer } = this.#parts;
    return machine === sealer.machine ? state.standing.next : (state.standing.received[machine] ?? 0) + 1;
  }

  #isNew(machine: string, number: number): boolean {
    return number >= this.#next(machine);
  }

  #drain(): void {
    this.#draining ??= this.#apply()
      .catch((error: unknown) => this.#parts.report("link.defect", { reason: String(error) }))
      .finally(() => {
        this.#draining = undefined;
      });
  }

  async #apply(): Promise<void> {
    await Promise.resolve();
    for (let found = this.#ready(); found !== undefined; found = this.#ready()) {
      if (this.#abort.signal.aborted) return;
      const { machine, number } = found;
      const message = await this.#open(machine, number, found.bytes);
      this.#waiting.get(machine)?.delete(number);
      if (message === undefined) continue;
      const after = joined(this.#parts.state.standing.after[machine] ?? {}, message.after);
      if (!this.#hasAll(after)) {
        this.#parked.set(machine, { number, message });
        for (const [other, newest] of Object.entries(after)) this.heard(other, newest);
        continue;
      }
      await this.#applyOne(machine, number, message, after);
    }
    this.#rest();
  }

  /** The next message of each machine that waits for messages of others. */
  readonly #parked = new Map<string, { readonly number: number; readonly message: Message }>();

  /** Returns the next message of some machine; one that was parked goes first once it can be applied. */
  #ready(): { machine: string; number: number; bytes?: Uint8Array } | undefined {
    for (const [machine, { number, message }] of this.#parked)
      if (this.#hasAll(joined(this.#parts.state.standing.after[machine] ?? {}, message.after)))
        return { machine, number };
    for (const [machine, waiting] of this.#waiting) {
      if (this.#parked.has(machine)) continue;
      const number = this.#next(machine);
      const bytes = waiting.get(number);
      if (bytes !== undefined) return { machine, number, bytes };
      for (const old of waiting.keys()) if (old < number) waiting.delete(old);
      if (waiting.size > 0) this.heard(machine, Math.max(...waiting.keys()));
    }
    return undefined;
  }

  async #open(machine: string, number: number, bytes: Uint8Array | undefined): Promise<Message | undefined> {
    const parked = this.#parked.get(machine);
    if (bytes === undefined || parked?.number === number) {
      this.#parked.delete(machine);
      return parked?.message;
    }
    const whole = bytes.length > 1 ? bytes : await this.#parts.large(machine, number);
    if (whole === undefined) {
      this.heard(machine, number);
      return undefined;
    }
    const payload = this.#parts.sealer.open(machine, number, whole);
    if ("refused" in payload) return this.#refuse(machine, number, payload.refused);
    const message = decodeMessage(payload);
    return typeof message === "string" ? this.#refuse(machine, number, message) : message;
  }

  /** Reports a refused message, once for each machine and reason; a sound one of the same number may still come. */
  #refuse(machine: string, number: number, reason: string): undefined {
    const key = `${machine} ${reason}`;
    if (!this.#refused.has(key)) this.#parts.report("link.refused", { machine, number, reason });
    this.#refused.add(key);
    this.heard(machine, number);
  }

  #hasAll(after: Vector): boolean {
    const { state, sealer } = this.#parts;
    const { received, next } = state.standing;
    return includes({ ...received, [sealer.machine]: next - 1 }, after);
  }

  async #applyOne(machine: string, number: number, message: Message, after: Vector): Promise<void> {
    const { state, applier, clock, report, sealer } = this.#parts;
    if (machine !== sealer.machine) state.applying = { [machine]: number };
    for (const item of message.items)
      for (let tries = 1; ; tries++) {
        try {
          await applier.apply(item, { machine, number, after });
          break;
        } catch (error) {
          if (this.#abort.signal.aborted) return;
          if (!(error instanceof NotNow) && tries >= MOST_TRIES) {
            // One document's defect stops no other document (I14).
            state.lacks(item.doc, machine, number, String(error));
            report("link.defect", { machine: sealer.nameOf(machine), doc: item.doc, reason: String(error) });
            break;
          }
          report("link.waiting", { machine: sealer.nameOf(machine), reason: String(error) });
          await clock.sleep(RETRY_MS, this.#abort.signal);
        }
      }
    if (this.#abort.signal.aborted) return;
    state.stand({ after: { ...state.standing.after, [machine]: after } });
    if (machine === sealer.machine) state.stand({ next: number + 1 });
    else state.stand({ received: { ...state.standing.received, [machine]: number } });
    state.applying = {};
    if (++this.#unsaved >= SAVE_EVERY) await this.#save();
  }

  /** Notes how far the carrier was read, once nothing waits. */
  #rest(): void {
    if (this.#draining === undefined && this.#unsaved === 0) return;
    if (this.size > 0 || this.#parked.size > 0) return;
    if (this.#place !== undefined) this.#parts.state.stand({ place: this.#place });
    void this.#save();
  }

  async #save(): Promise<void> {
    this.#unsaved = 0;
    const failure = await storeFailure(this.#parts.state.save());
    // What was received is applied again after a restart, without effect.
    if (failure !== undefined) this.#parts.report("link.unsaved", { reason: failure.message });
  }
}
