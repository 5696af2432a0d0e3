import { storeFailure } from "../../store/store.ts";
import { breather } from "../base/breath.ts";
import { reportOnce } from "../base/report-once.ts";
import { joined, type Vector } from "../base/vector.ts";
import type { Carried, Place } from "../carrier/carrier.ts";
import { isLocked, type Sealer } from "../members/sealer.ts";
import { decodeMessage, type Message, type Opened } from "../messages/message.ts";
import type { LinkState } from "../state/link-state.ts";
import type { Applier } from "./apply.ts";
import { applyMessage, type MessageParts } from "./apply-message.ts";
import { NotNow } from "./not-now.ts";
import { RETRY_MS } from "./set-aside.ts";
import { Waiting } from "./waiting.ts";

/** The number of received messages after which the inbox stores its state. */
const SAVE_EVERY = 200;
/** The longest time, in milliseconds, and the most messages that the inbox applies together. */
const BATCH_MS = 10;
const MOST_TOGETHER = 500;

interface InboxParts extends MessageParts {
  readonly state: LinkState;
  readonly sealer: Sealer;
  readonly applier: Applier;
  /** Fetches the content of a message that is stored as an object; undefined while the carrier lacks it. */
  readonly large: (machine: string, number: number) => Promise<Uint8Array | undefined>;
}

/**
 * Owns the messages of other machines. A message waits until every message is applied that its machine had received
 * before it (M4). The inbox applies waiting messages together, and notes them as received once all are durable.
 */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #waiting = new Map<string, Waiting>();
  /** The newest message of each machine that any machine has named. */
  readonly #heard = new Map<string, number>();
  readonly #reportOnce: ReturnType<typeof reportOnce>;
  /** The newest message of each log that is applied and not durable yet. */
  readonly #applied = new Map<string, Opened>();
  /** The machines whose next message has a key that this one does not know yet: it waits for the owner's record. */
  readonly #locked = new Set<string>();
  readonly #abort = new AbortController();
  /** True while more messages wait than can be applied at once. */
  isCatchingUp = false;
  #draining: Promise<void> | undefined;
  #place: Place | undefined;
  #unsaved = 0;

  constructor(parts: InboxParts) {
    this.#parts = parts;
    this.#reportOnce = reportOnce(parts.report);
  }

  take({ machine, number, bytes, place }: Carried): void {
    this.#place = place;
    if (!this.#isNew(machine, number)) {
      this.#rest();
      return;
    }
    const next = this.#next(machine);
    const waiting = this.#waiting.get(machine) ?? new Waiting(next);
    this.#waiting.set(machine, waiting);
    if (!waiting.add(number, bytes, next)) this.heard(machine, number); // it is asked for once its turn comes
    this.#drain();
  }

  /** Applies the messages that waited for messages of a snapshot. */
  resume(): void {
    this.#drain();
  }

  /** True while a message waits for a key. */
  get isLocked(): boolean {
    return this.#locked.size > 0;
  }

  /** Opens the messages that waited for a key. */
  unlock(): void {
    this.#locked.clear();
    this.#drain();
  }

  /** Notes that a machine has sent messages up to a number. */
  heard(machine: string, number: number): void {
    this.#heard.set(machine, Math.max(number, this.#heard.get(machine) ?? 0));
  }

  /** Returns the first message of each log that this machine lacks although it knows of a later one (M4). */
  get needs(): Vector {
    const needs: Record<string, number> = {};
    for (const [machine, number] of this.#heard) {
      const next = this.#next(machine);
      if (next <= number && this.#waiting.get(machine)?.get(next) === undefined) needs[machine] = next;
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
    const applied = this.#applied.get(machine);
    if (applied !== undefined) return applied.number + 1;
    return machine === sealer.machine ? state.standing.next : (state.standing.received[machine] ?? 0) + 1;
  }

  #isNew(machine: string, number: number): boolean {
    return number >= this.#next(machine);
  }

  #drain(): void {
    this.#draining ??= this.#apply();
  }

  /**
   * Applies all messages that are ready. From the check that none is to the end of the work nothing waits: a message that
   * comes in between would begin no work.
   */
  async #apply(): Promise<void> {
    const { clock, applier, report } = this.#parts;
    const breathe = breather(clock);
    try {
      await Promise.resolve();
      for (;;) {
        const batch = await this.#applyReady(clock.elapsed() + BATCH_MS);
        const before = this.isCatchingUp;
        this.isCatchingUp = this.#ready() !== undefined;
        if (!this.isCatchingUp) applier.write(before ? "all" : "last");
        if (batch.length > 0) await this.#keep(batch);
        if (this.#abort.signal.aborted) return;
        if (batch.length === 0 && !this.isCatchingUp) break;
        await breathe();
      }
      this.#rest();
    } catch (error) {
      report("link.defect", { reason: String(error) });
    } finally {
      this.#draining = undefined;
    }
  }

  /** Applies messages that are ready, up to a time; returns them. */
  async #applyReady(until: number): Promise<Opened[]> {
    const { clock, state } = this.#parts;
    const batch: Opened[] = [];
    while (batch.length < MOST_TOGETHER && !this.#abort.signal.aborted) {
      const found = this.#ready();
      // No other message waits for a message whose content this machine has to fetch.
      if (found === undefined || (batch.length > 0 && found.bytes?.length === 1)) break;
      const { machine, number } = found;
      const message = await this.#open(machine, number, found.bytes);
      if (this.#locked.has(machine)) continue;
      this.#waiting.get(machine)?.delete(number);
      if (message === undefined) continue;
      const after = this.#after(machine, message);
      if (!this.#hasAll(after)) {
        this.#parked.set(machine, { number, message });
        for (const [other, newest] of Object.entries(after)) this.heard(other, newest);
        continue;
      }
      const opened = { machine, number, message, after };
      state.applying = joined(state.applying, { [machine]: number });
      await this.#applyOne(opened, batch);
      state.applied = joined(state.applied, { [machine]: number });
      this.#applied.set(machine, opened);
      batch.push(opened);
      if (clock.elapsed() >= until) break;
    }
    return batch;
  }

  /** The next message of each machine that waits for messages of others. */
  readonly #parked = new Map<string, { readonly number: number; readonly message: Message }>();

  /** Returns the next message of some machine; a parked message goes first once the inbox can apply it. */
  #ready(): { machine: string; number: number; bytes?: Uint8Array } | undefined {
    for (const [machine, { number, message }] of this.#parked)
      if (this.#hasAll(this.#after(machine, message))) return { machine, number };
    for (const [machine, waiting] of this.#waiting) {
      if (this.#parked.has(machine) || this.#locked.has(machine)) continue;
      const number = this.#next(machine);
      const bytes = waiting.get(number);
      if (bytes !== undefined) return { machine, number, bytes };
      waiting.dropBefore(number);
      if (waiting.size > 0) this.heard(machine, waiting.newest);
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
    if ("refused" in payload) {
      if (isLocked(payload)) this.#locked.add(machine);
      return this.#refuse(machine, number, payload.refused);
    }
    const message = decodeMessage(payload);
    return typeof message === "string" ? this.#refuse(machine, number, message) : message;
  }

  /** Reports a refused message, once for each machine and reason; a sound one of the same number may still come. */
  #refuse(machine: string, number: number, reason: string): undefined {
    this.#reportOnce(`${machine} ${reason}`, "link.refused", { machine, number, reason });
    this.heard(machine, number);
  }

  /** Returns the messages that a machine had received when it sent its next message. */
  #after(machine: string, { after }: Message): Vector {
    const before = this.#applied.get(machine)?.after ?? this.#parts.state.standing.after[machine] ?? {};
    return joined(before, after);
  }

  #hasAll(after: Vector): boolean {
    return Object.entries(after).every(([machine, number]) => number < this.#next(machine));
  }

  /** Applies a message, which may build on `earlier` ones that are not durable yet. */
  #applyOne(opened: Opened, earlier: readonly Opened[]): Promise<void> {
    const settle = () => this.#settle(earlier); // the store may have refused one of them meanwhile
    return applyMessage(this.#parts, opened, settle, this.#abort.signal);
  }

  /** Resolves once applied messages are durable. Applies them again after the store refused some of their changes. */
  async #settle(batch: readonly Opened[]): Promise<void> {
    const { applier, clock, report, state } = this.#parts;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        return await applier.durable();
      } catch (error) {
        if (!(error instanceof NotNow)) throw error;
        report("link.waiting", { reason: error.message });
        state.applied = {};
        await clock.sleep(RETRY_MS, signal);
        // The documents rolled the refused changes back; the other changes have no effect a second time.
        for (const [i, opened] of batch.entries()) {
          if (signal.aborted) return;
          await this.#applyOne(opened, batch.slice(0, i));
          state.applied = joined(state.applied, { [opened.machine]: opened.number });
        }
      }
    }
  }

  /** Notes applied messages as received once they are durable. */
  async #keep(batch: readonly Opened[]): Promise<void> {
    const { state } = this.#parts;
    await this.#settle(batch);
    if (this.#abort.signal.aborted) return;
    for (const [machine, { number, after }] of this.#applied) {
      const { received, after: told } = state.standing;
      // A snapshot may have brought later messages meanwhile.
      state.stand({ received: joined(received, { [machine]: number }) });
      state.stand({ after: { ...told, [machine]: after } });
    }
    state.applying = {};
    state.applied = {};
    this.#applied.clear();
    this.#unsaved += batch.length;
    if (this.#unsaved >= SAVE_EVERY) await this.#save();
  }

  /** Notes the place up to which the carrier was read, once no message waits. */
  #rest(): void {
    if (this.size > 0 || this.#parked.size > 0) return;
    if (this.#draining === undefined && this.#unsaved === 0) return;
    if (this.#place !== undefined) this.#parts.state.stand({ place: this.#place });
    void this.#save();
  }

  async #save(): Promise<void> {
    this.#unsaved = 0;
    const failure = await storeFailure(this.#parts.state.save());
    // After a restart the inbox applies these messages again, without effect.
    if (failure !== undefined) this.#parts.report("link.unsaved", { reason: failure.message });
  }
}
