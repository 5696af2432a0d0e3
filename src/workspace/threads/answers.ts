import type { Shelved } from "../../store/shelf.ts";
import { storeFailure } from "../../store/store.ts";
import { LEASE_MS } from "../../work/bounds.ts";
import type { Actor } from "../access/actor.ts";
import type { Answering } from "../document/elsewhere.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, type Refusal } from "../outcome/refusal.ts";
import { type AnswerOf, AnswerUnderWay, type LeftAnswer, leftAnswers } from "./answer-under-way.ts";
import { hasContent } from "./draft.ts";
import { authorOf, type Lease, type LeaseState, Leases } from "./leases.ts";
import { heldBy, notAnswerable } from "./refusals.ts";
import type { ThreadRepository } from "./repository.ts";
import type {
  AnswerPart,
  Draft,
  Incomplete,
  LeaseView,
  MessageRole,
  ThreadAuthor,
  ThreadHead,
  ThreadMessage,
} from "./thread.ts";

/** An answer under way, with its author and the message that it answers. */
export interface DraftView extends Draft, ThreadAuthor {
  readonly messageId: string;
}

/** The right to answer a thread, for its holder. */
export interface GrantedLease extends LeaseState {
  readonly leaseId: string;
  readonly messageId: string;
}

/** Owns the answers under way: their authors, their parts, and the remains of an answer that was lost. */
export class Answers {
  /** The order of the work on each thread. */
  readonly turns = new KeyedQueue<string>();
  readonly #workspace: Workspace;
  readonly #repository: ThreadRepository;
  readonly #leases: Leases;
  /** The work in the background, for which no request waits. */
  readonly #background = new Set<Promise<void>>();

  constructor(workspace: Workspace, repository: ThreadRepository) {
    this.#workspace = workspace;
    this.#repository = repository;
    this.#leases = new Leases(workspace.ports.clock, (lease) =>
      this.inBackground(lease.threadId, (head) => this.#leaveOff(head, leftOf(lease), "lost")),
    );
    const { elsewhere } = workspace.shared;
    elsewhere.add(() => ({ answering: this.#leases.answering }));
    repository.listen(() => elsewhere.changed());
    elsewhere.listen(({ before, now }) => this.#changedElsewhere(before.answering, now.answering));
  }

  /** Returns the lease of a thread, here or on another machine; null without one. */
  view(threadId: string): LeaseView | null {
    return this.#leases.view(threadId) ?? this.#viewElsewhere(threadId);
  }

  /** Returns the lease of a thread on another machine; it is valid for a while without a further word. */
  #viewElsewhere(threadId: string): LeaseView | null {
    const { shared, ports } = this.#workspace;
    const found = shared.elsewhere.answering(threadId);
    if (found === undefined) return null;
    const { author, agent, kind, messageId, machine } = found;
    const until = new Date(ports.clock.now() + LEASE_MS).toISOString();
    return { author, agent, kind, messageId, machine, until, stopping: false };
  }

  /** Announces the threads whose answers began or ended on another machine. */
  #changedElsewhere(before: readonly Answering[], now: readonly Answering[]): void {
    const [old, current] = [before, now].map((list) => list.map(({ thread }) => thread));
    const changed = [...old!, ...current!].filter((id) => old!.includes(id) !== current!.includes(id));
    for (const thread of changed) {
      const head = this.#repository.current(thread);
      if (head !== undefined) this.#repository.changed(head);
    }
  }

  /** Returns the answer under way; null without one. */
  draft(threadId: string): DraftView | null {
    const lease = this.#leases.of(threadId);
    return lease === undefined
      ? null
      : { ...lease.holder, messageId: lease.messageId, ...lease.answer.shown };
  }

  /** Shows all parts of the answer under way. */
  async showAll(threadId: string): Promise<void> {
    await this.#leases.of(threadId)?.answer.flush();
  }

  /** Stores an incomplete answer for each one that was under way when an earlier process died. */
  async recover(): Promise<void> {
    const { store } = this.#workspace.ports;
    for (const left of leftAnswers(store)) {
      const isGone = this.#repository.current(left.threadId) === undefined;
      if (isGone) await storeFailure(store.shelve(...left.removals));
      else this.inBackground(left.threadId, (head) => this.#leaveOff(head, left, "lost"));
    }
    await Promise.all(this.#background);
  }

  /** Returns the id of the message that an answer to a thread answers: the last one of a user. */
  question(head: ThreadHead): string | undefined {
    if (head.last.role === "user" && head.next > head.first) return head.last.id;
    for (const { role, id } of this.#repository.records.newestFirst(head)) if (role === "user") return id;
    return undefined;
  }

  /** Returns the next message of a thread. */
  message(
    author: ThreadAuthor,
    { next }: ThreadHead,
    role: MessageRole,
    text: string,
  ): ThreadMessage & { readonly agent: string } {
    const time = new Date(this.#workspace.ports.clock.now()).toISOString();
    return { id: `${this.#workspace.newId("msg")}.${next}`, role, text, ...author, time };
  }

  /** Returns the lease that a message ends; refuses an answer while another client has the lease. */
  endedBy(
    actor: Actor,
    { id }: ThreadHead,
    role: MessageRole,
    leaseId: string | undefined,
  ): Outcome<Lease> | undefined {
    if (role === "user" && leaseId !== undefined)
      return notAnswerable("a user's message ends no lease", "Omit leaseId, or give role assistant.");
    if (role === "user") return undefined;
    const held = this.view(id);
    if (leaseId === undefined) return held === null ? undefined : heldBy(held);
    return this.#leaseOf(actor, id, leaseId);
  }

  /** Ends a lease by work that stores its answer. A refusal of the work leaves the lease as it was. */
  async ending(
    lease: Lease | undefined,
    work: () => Promise<Refusal | undefined>,
  ): Promise<Refusal | undefined> {
    if (lease === undefined) return work();
    this.#leases.release(lease); // the work announces the thread without a lease
    const refusal = await work();
    if (refusal !== undefined) this.#leases.resume(lease);
    return refusal;
  }

  /** Gives an actor the right to answer a thread, or renews it. The end of `connection` ends it. */
  lease(
    actor: Actor,
    id: string,
    { leaseId, connection }: { leaseId?: string | undefined; connection: string | undefined },
  ): Promise<Outcome<GrantedLease>> {
    return this.inTurn(actor, id, async (head) => {
      const isNew = leaseId === undefined;
      const lease = isNew ? this.#grant(actor, head, connection) : this.#leaseOf(actor, id, leaseId);
      if (isRefusal(lease)) return lease;
      this.#leases.renew(lease);
      if (isNew) this.#repository.changed(head);
      return { leaseId: lease.id, messageId: lease.messageId, ...this.#leases.stateOf(lease) };
    });
  }

  /** Adds parts to an answer under way, which are stored and shown soon, and renews its lease. */
  parts(
    actor: Actor,
    leaseId: string,
    parts: readonly AnswerPart[],
  ): Outcome<LeaseState & { readonly index: number }> {
    const lease = this.#leases.find(actor, leaseId);
    if (isRefusal(lease)) return lease;
    const head = this.#repository.find(actor, lease.threadId);
    if (isRefusal(head)) return head;
    const draft = this.#leases.add(lease, parts);
    return isRefusal(draft) ? draft : { index: draft.index, ...this.#leases.stateOf(lease) };
  }

  /** Releases a lease. The parts sent so far become an incomplete answer. */
  release(actor: Actor, leaseId: string, why: Incomplete): Promise<Refusal | undefined> {
    const lease = this.#leases.find(actor, leaseId);
    if (isRefusal(lease)) return Promise.resolve(lease);
    return this.turns.run([lease.threadId], async () => {
      const head = this.#repository.current(lease.threadId);
      if (this.#leases.of(lease.threadId) !== lease || head === undefined) return undefined;
      return this.ending(lease, () => this.#leaveOff(head, leftOf(lease), why));
    });
  }

  /** Asks the holder of a thread's lease to stop. Returns false without a lease. */
  stop(actor: Actor, id: string): Outcome<boolean> {
    const head = this.#repository.find(actor, id);
    if (isRefusal(head)) return head;
    const lease = this.#leases.of(id);
    if (lease === undefined) return false;
    lease.stopping = true;
    const { id: leaseId, connection } = lease;
    this.#repository.emit({ type: "stop", threadId: id, leaseId, by: actor.name, connection }, head);
    this.#repository.changed(head);
    return true;
  }

  /** Ends the lease of a thread, if it has one, by work that deletes the thread with the stored parts; as `ending`. */
  endingAny(
    threadId: string,
    work: (parts: readonly Shelved[]) => Promise<Refusal | undefined>,
  ): Promise<Refusal | undefined> {
    const lease = this.#leases.of(threadId);
    return this.ending(lease, () => work(lease?.answer.removals ?? []));
  }

  /** Ends the leases of a connection that ended. */
  endConnection(connection: string): void {
    this.#leases.endConnection(connection);
  }

  /** Ends all leases; resolves once the rest of their answers is stored. */
  async close(): Promise<void> {
    this.#leases.endAll();
    await Promise.all(this.#background);
  }

  /** Runs work on a thread that the actor may see, after all earlier work on it. */
  inTurn<T>(actor: Actor, id: string, work: (head: ThreadHead) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return this.turns.run([id], async () => {
      const head = this.#repository.find(actor, id);
      return isRefusal(head) ? head : work(head);
    });
  }

  /** Runs work on a thread in the background, after all earlier work on it; reports a refusal. */
  inBackground(id: string, work: (head: ThreadHead) => Promise<Refusal | undefined>): void {
    const { report } = this.#workspace.ports;
    const failed = (reason: string) => report("thread.not_stored", { thread: id, reason });
    const working: Promise<void> = this.turns
      .run([id], async () => {
        const head = this.#repository.current(id);
        return head && work(head);
      })
      .then(
        (refusal) => refusal && failed(refusal.message),
        (error: unknown) => failed(String(error)),
      )
      .finally(() => this.#background.delete(working));
    this.#background.add(working);
  }

  #grant(actor: Actor, head: ThreadHead, connection: string | undefined): Outcome<Lease> {
    const messageId = this.question(head);
    if (messageId === undefined)
      return notAnswerable("the thread has no message of a user", "Wait for one (thread.message).");
    const held = this.#viewElsewhere(head.id);
    if (held !== null) return heldBy(held);
    const id = this.#workspace.newId("lease");
    const of = { threadId: head.id, messageId, holder: authorOf(actor) };
    return this.#leases.grant({ id, ...of, connection, answer: this.#newAnswer(id, of) });
  }

  #newAnswer(leaseId: string, of: AnswerOf): AnswerUnderWay {
    const { store, clock } = this.#workspace.ports;
    const { threadId, messageId } = of;
    const isUnderWay = () => this.#leases.of(threadId)?.id === leaseId;
    const show = (parts: readonly AnswerPart[], index: number) => {
      const head = this.#repository.current(threadId);
      if (head) this.#repository.emit({ type: "part", threadId, messageId, index, parts }, head);
    };
    return new AnswerUnderWay({ of, store, clock, isUnderWay, show });
  }

  /** Finds an actor's lease of a thread. */
  #leaseOf(actor: Actor, threadId: string, leaseId: string): Outcome<Lease> {
    const lease = this.#leases.find(actor, leaseId);
    if (isRefusal(lease) || lease.threadId === threadId) return lease;
    return notAnswerable(`the lease is one of ${lease.threadId}`, "Name the thread of the lease.");
  }

  /** Stores the parts of an unfinished answer, or announces the end of the lease if there are none. */
  async #leaveOff(head: ThreadHead, left: LeftAnswer, incomplete: Incomplete): Promise<Refusal | undefined> {
    const { draft, holder, messageId: answers, removals } = left;
    if (hasContent(draft)) {
      const said = this.message(holder, head, "assistant", draft.text);
      return this.#repository.add(head, { ...said, answers, incomplete, ...listsOf(draft) }, removals);
    }
    if (removals.length > 0) await storeFailure(this.#workspace.ports.store.shelve(...removals));
    this.#repository.changed(head);
    return undefined;
  }
}

function leftOf({ threadId, messageId, holder, answer: { draft, removals } }: Lease): LeftAnswer {
  return { threadId, messageId, holder, draft, removals };
}

/** Returns the plan and the tool calls of an answer, as its message stores them. */
export function listsOf({ plan, tools }: Draft): Pick<ThreadMessage, "plan" | "tools"> {
  return { ...(plan.length > 0 && { plan }), ...(tools.length > 0 && { tools }) };
}
