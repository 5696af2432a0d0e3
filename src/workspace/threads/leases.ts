import type { Clock } from "../../mirror/clock.ts";
import { LEASE_MS } from "../../work/bounds.ts";
import type { Actor } from "../access/actor.ts";
import type { Answering } from "../document/elsewhere.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import type { AnswerUnderWay } from "./answer-under-way.ts";
import { heldBy, unknownLease } from "./refusals.ts";
import type { AnswerPart, Draft, LeaseView, ThreadAuthor } from "./thread.ts";

/** The right to answer a thread, and the answer under way. */
export interface Lease {
  readonly id: string;
  readonly threadId: string;
  /** The message that is being answered. */
  readonly messageId: string;
  readonly holder: ThreadAuthor;
  /** The connection that holds the lease; undefined for one that outlives its connection. */
  readonly connection: string | undefined;
  /** The time at which the lease ends without renewal, in milliseconds of the elapsed clock. */
  until: number;
  /** The answer as far as it has come. */
  readonly answer: AnswerUnderWay;
  stopping: boolean;
}

/** The time until which a lease is valid, and whether a client asked its holder to stop. */
export interface LeaseState {
  readonly until: string;
  readonly stopping: boolean;
}

/**
 * Owns the leases: one for each thread at a time. A lease ends with its release, with its holder's connection, and when
 * its holder does not renew it.
 */
export class Leases {
  readonly #clock: Clock;
  readonly #ended: (lease: Lease) => void;
  readonly #byThread = new Map<string, Lease>();
  readonly #timers = new Map<string, AbortController>();

  /** `ended` is called with each lease that its holder did not release. */
  constructor(clock: Clock, ended: (lease: Lease) => void) {
    this.#clock = clock;
    this.#ended = ended;
  }

  of(threadId: string): Lease | undefined {
    return this.#byThread.get(threadId);
  }

  /** The answers under way on this machine, as other machines see them. */
  get answering(): readonly Answering[] {
    return [...this.#byThread.values()].map(({ threadId: thread, messageId, holder }) => ({
      thread,
      messageId,
      ...holder,
    }));
  }

  /** Returns the lease of a thread as others see it; null without one. */
  view(threadId: string): LeaseView | null {
    const lease = this.of(threadId);
    if (lease === undefined) return null;
    const { holder, messageId } = lease;
    return { ...holder, messageId, ...this.stateOf(lease) };
  }

  stateOf({ until, stopping }: Lease): LeaseState {
    const inMs = until - this.#clock.elapsed();
    return { until: new Date(this.#clock.now() + inMs).toISOString(), stopping };
  }

  /** Grants the lease of a thread, or refuses it if another client has it. */
  grant(lease: Omit<Lease, "until" | "stopping">): Outcome<Lease> {
    const held = this.view(lease.threadId);
    if (held !== null) return heldBy(held);
    const granted = { ...lease, until: this.#next, stopping: false };
    this.#byThread.set(lease.threadId, granted);
    this.#watch(granted);
    return granted;
  }

  /** Finds a lease of an actor's identity by its id. */
  find(actor: Actor, id: string): Outcome<Lease> {
    for (const lease of this.#byThread.values())
      if (lease.id === id && lease.holder.agent === actor.agent) return lease;
    return unknownLease(id);
  }

  renew(lease: Lease): void {
    lease.until = this.#next;
  }

  /** Adds parts to the answer of a lease, and renews the lease. */
  add(lease: Lease, parts: readonly AnswerPart[]): Outcome<Draft> {
    const draft = lease.answer.add(parts);
    if (!isRefusal(draft)) this.renew(lease);
    return draft;
  }

  /** Continues a released lease, unless another client has the thread's lease by now. */
  resume(lease: Lease): void {
    if (this.#byThread.has(lease.threadId)) return;
    this.#byThread.set(lease.threadId, lease);
    this.#watch(lease);
  }

  /** Ends a lease. */
  release({ threadId, id }: Lease): void {
    if (this.#byThread.get(threadId)?.id === id) this.#byThread.delete(threadId);
    this.#timers.get(id)?.abort();
    this.#timers.delete(id);
  }

  /** Ends the leases of a connection that ended. */
  endConnection(connection: string): void {
    this.#endAll((lease) => lease.connection === connection);
  }

  /** Ends all leases. */
  endAll(): void {
    this.#endAll(() => true);
  }

  #endAll(which: (lease: Lease) => boolean): void {
    for (const lease of [...this.#byThread.values()]) if (which(lease)) this.#end(lease);
  }

  #end(lease: Lease): void {
    this.release(lease);
    this.#ended(lease);
  }

  get #next(): number {
    return this.#clock.elapsed() + LEASE_MS;
  }

  /** Ends a lease when its time is over. */
  #watch(lease: Lease): void {
    const timer = new AbortController();
    this.#timers.set(lease.id, timer);
    void this.#clock.sleep(lease.until - this.#clock.elapsed(), timer.signal).then(() => {
      if (timer.signal.aborted) return;
      if (this.#clock.elapsed() >= lease.until) this.#end(lease);
      else this.#watch(lease);
    });
  }
}

/** Returns an actor as an author of threads. */
export function authorOf({ name, agent, role = "agent" }: Actor): ThreadAuthor {
  return { author: name, agent, kind: role };
}
