import type { Shelved } from "../../store/shelf.ts";
import { MOST_LINKS } from "../../work/bounds.ts";
import { type Actor, tokenNameOf } from "../access/actor.ts";
import { notifyEach } from "../events/notify-each.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal, type Outcome, type Refusal } from "../outcome/refusal.ts";
import { seqOfAnchor } from "./anchors.ts";
import { type Shelve, ThreadRecords } from "./records.ts";
import { unknownMessage, unknownThread } from "./refusals.ts";
import { clearedShelf } from "./stored.ts";
import type {
  Audience,
  LeaseView,
  ThreadEvent,
  ThreadHead,
  ThreadMessage,
  ThreadStatus,
  ThreadSummary,
} from "./thread.ts";
import { audienceOf, documentsOf, isOfToken } from "./visibility.ts";

/** The time after its last message when a thread expires, in milliseconds. */
const LIFE_MS = 30 * 24 * 3_600_000;

export type ThreadListener = (event: ThreadEvent, audience: Audience) => void;

/** The ids that a message gets: of a change or a proposal that answers it. */
export type Link = { readonly change: string } | { readonly proposal: string };

/** Finds and changes threads, and announces each change to the connections that may see the thread. */
export class ThreadRepository {
  readonly records: ThreadRecords;
  readonly #workspace: Workspace;
  readonly #leaseOf: (id: string) => LeaseView | null;
  readonly #listeners = new Set<ThreadListener>();

  constructor(workspace: Workspace, leaseOf: (id: string) => LeaseView | null) {
    this.#workspace = workspace;
    this.#leaseOf = leaseOf;
    this.records = new ThreadRecords(workspace.ports.store);
    workspace.pins.add((docId) => this.#oldestBase(docId));
  }

  /** Calls the listener with each event and its audience, until the returned function is called. */
  listen(listener: ThreadListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: ThreadEvent, head: ThreadHead): void {
    const audience = audienceOf(this.#workspace, head);
    const { report } = this.#workspace.ports;
    notifyEach(this.#listeners, (listener) => listener(event, audience), { news: "thread", report });
  }

  /** Finds a thread that an actor may see. */
  find(actor: Actor, id: string): Outcome<ThreadHead> {
    const head = this.current(id);
    return head !== undefined && audienceOf(this.#workspace, head)(actor) ? head : unknownThread(id);
  }

  /** Returns a thread that has not expired. */
  current(id: string): ThreadHead | undefined {
    const head = this.records.head(id);
    return head === undefined || this.isExpired(head) ? undefined : head;
  }

  /** Returns the threads that an actor may see, the last active first. */
  visible(actor: Actor): ThreadHead[] {
    return [...this.records.heads()]
      .filter((head) => !this.isExpired(head) && audienceOf(this.#workspace, head)(actor))
      .sort((a, b) => b.active - a.active);
  }

  isExpired({ active }: ThreadHead): boolean {
    return this.#workspace.ports.clock.now() - active >= LIFE_MS;
  }

  summary(head: ThreadHead, status: ThreadStatus = head.status): ThreadSummary {
    const { id, title, docIds, bundle, proposal, first, next, last, created, active } = head;
    const lease = this.#leaseOf(id);
    return {
      id,
      status,
      title,
      ...documentsOf(this.#workspace, head),
      docIds,
      ...(bundle !== undefined && { bundle }),
      ...(proposal !== undefined && { proposal }),
      private: isOfToken(head),
      waiting: status === "open" && last.role === "user" && lease === null,
      messages: next - first,
      last,
      lease,
      created: new Date(created).toISOString(),
      active: new Date(active).toISOString(),
      expires: new Date(active + LIFE_MS).toISOString(),
    };
  }

  /** Announces a change of a thread's status or lease. */
  changed(head: ThreadHead, status?: ThreadStatus): void {
    this.emit({ type: "changed", thread: this.summary(head, status) }, head);
  }

  /** Announces a new message, or a message with new links. */
  said(head: ThreadHead, message: ThreadMessage): void {
    this.emit({ type: "message", thread: this.summary(head), message }, head);
  }

  /** Adds a message to a thread, which may be new, with other records, and announces it. */
  async add(
    head: ThreadHead,
    message: ThreadMessage & { readonly agent: string },
    others: readonly Shelved[] = [],
  ): Promise<Refusal | undefined> {
    const active = this.#workspace.ports.clock.now();
    const refusal = await this.records.append(head, tokenNameOf(message.agent), message, { active, others });
    if (refusal === undefined) this.said(this.records.head(head.id)!, message);
    return refusal;
  }

  /** Notes changes and proposals on the message that they answer, and announces the message again. */
  async link(head: ThreadHead, messageId: string, links: readonly Link[]): Promise<Refusal | undefined> {
    const n = this.records.numberOf(head, messageId);
    if (n === undefined) return unknownMessage(head.id, messageId);
    const before = this.records.message(head, n);
    const message = links.reduce(withLink, before);
    if (message === before) return undefined;
    const refusal = await this.records.rewrite(head, n, message);
    if (refusal === undefined) this.said(this.records.head(head.id)!, message);
    return refusal;
  }

  /** Stores another status and announces it. */
  async setStatus(head: ThreadHead, status: ThreadHead["status"]): Promise<Outcome<ThreadSummary>> {
    const after = { ...head, status };
    const refusal = head.status === status ? undefined : await this.records.update(after);
    if (refusal !== undefined) return refusal;
    this.changed(after);
    return this.summary(after);
  }

  /** Deletes a thread, writes other records with that, and announces it. */
  async remove(
    head: ThreadHead,
    status: "cleared" | "expired",
    others: readonly Shelved[],
    store?: Shelve,
  ): Promise<Refusal | undefined> {
    const { id } = head;
    const isTold = status === "cleared" && store === undefined && !isOfToken(head);
    const mark = isTold ? [{ shelf: clearedShelf, id, record: { id } }] : [];
    const refusal = await this.records.delete(head, [...others, ...mark], store);
    if (!isRefusal(refusal)) this.changed(head, status);
    return refusal;
  }

  /** Returns the first change of a document that an anchor builds on. */
  #oldestBase(docId: string): number | undefined {
    let oldest: number | undefined;
    for (const { anchors } of this.records.heads())
      for (const anchor of Object.values(anchors)) {
        const seq = anchor.docId === docId ? seqOfAnchor(anchor) : undefined;
        if (seq !== undefined && seq < (oldest ?? Number.POSITIVE_INFINITY)) oldest = seq;
      }
    return oldest;
  }
}

/** Returns a message with a link; the same message if it has this link, or the most links of a message. */
function withLink(message: ThreadMessage, link: Link): ThreadMessage {
  const { changes = [], proposals = [] } = message;
  const [list, id] = "change" in link ? [changes, link.change] : [proposals, link.proposal];
  if (list.includes(id) || list.length >= MOST_LINKS) return message;
  return "change" in link
    ? { ...message, changes: [...changes, id] }
    : { ...message, proposals: [...proposals, id] };
}
