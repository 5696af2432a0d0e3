import { MESSAGE_BYTES, MOST_ANCHORS, MOST_LINKS } from "../../work/bounds.ts";
import { type Actor, tokenNameOf } from "../access/actor.ts";
import { deniedRefusal } from "../access/refusals.ts";
import type { WorkspaceEvent } from "../events/events.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { Answers, type DraftView, listsOf } from "./answers.ts";
import { hasContent } from "./draft.ts";
import { authorOf } from "./leases.ts";
import { madeForMessages } from "./made.ts";
import type { MessagePage, Shelve } from "./records.ts";
import { messageTooLarge, notAnswerable, unknownMessage } from "./refusals.ts";
import { type Link, type ThreadListener, ThreadRepository } from "./repository.ts";
import { SharedMessages, SharedThreads } from "./shared.ts";
import { bytesOf } from "./stored.ts";
import {
  excerpt,
  type Incomplete,
  type MessageRole,
  type StoredAnchor,
  type ThreadHead,
  type ThreadMessage,
  type ThreadSummary,
} from "./thread.ts";

/** The subject of a new thread: documents, a bundle, or a proposal, which has one thread. */
interface Subject extends Pick<ThreadHead, "docIds"> {
  readonly bundle?: string | undefined;
  readonly proposal?: string | undefined;
  readonly places?: readonly string[] | undefined;
}

/** A message to add: to a thread, or as the first one of a new thread. */
export interface AppendRequest {
  readonly to: string | Subject;
  readonly role: MessageRole;
  /** The message's text. For the end of a lease's answer, undefined means the text of its parts. */
  readonly text?: string | undefined;
  readonly anchor?: StoredAnchor | undefined;
  readonly leaseId?: string | undefined;
  readonly incomplete?: Exclude<Incomplete, "lost"> | undefined;
  /** The ids of changes that were made for the answer and do not name its message. */
  readonly changeIds?: readonly string[] | undefined;
}

/** A thread with a part of its messages, and the answer under way. */
export interface OpenedThread extends MessagePage {
  readonly head: ThreadHead;
  readonly thread: ThreadSummary;
  readonly draft: DraftView | null;
}

/**
 * Stores conversations between people and agents about documents (R13), for every token that may read these documents.
 * The daemon calls no model: a client that answers a thread acquires its lease, sends the parts of the answer, and
 * appends it.
 *
 *     waiting ── lease ──► answered ── append, release, or the holder's end ──► open ── resolve ──► resolved
 */
export class Threads {
  readonly answers: Answers;
  readonly #workspace: Workspace;
  readonly #repository: ThreadRepository;
  readonly #aboutProposals = new KeyedQueue<string>();
  /** The threads whose messages list every change that answers them. */
  readonly #caughtUp = new Set<string>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#repository = new ThreadRepository(workspace, (id) => this.answers.view(id));
    this.answers = new Answers(workspace, this.#repository);
    workspace.listen((event) => this.#noteAnswers(event));
    const sharing = {
      workspace,
      repository: this.#repository,
      inTurn: <T>(id: string, work: () => Promise<T>) => this.answers.turns.run([id], work),
      clear: (head: ThreadHead, store: Shelve) => this.#remove(head, "cleared", store),
    };
    workspace.shared.add(new SharedThreads(sharing));
    workspace.shared.add(new SharedMessages(sharing));
  }

  /** Calls the listener with each event and its audience, until the returned function is called. */
  listen(listener: ThreadListener): () => void {
    return this.#repository.listen(listener);
  }

  /** Returns the threads that an actor may see, the last active first. */
  list(actor: Actor, wanted: (head: ThreadHead) => boolean = () => true): ThreadSummary[] {
    return this.#repository
      .visible(actor)
      .filter(wanted)
      .map((head) => this.#repository.summary(head));
  }

  /** Returns the head of a thread that an actor may see. */
  find(actor: Actor, id: string): Outcome<ThreadHead> {
    return this.#repository.find(actor, id);
  }

  /** Returns a thread with its newest messages, or with those before a message. */
  get(
    actor: Actor,
    id: string,
    { before, limit }: { readonly before?: string | undefined; readonly limit?: number | undefined } = {},
  ): Promise<Outcome<OpenedThread>> {
    return this.answers.inTurn(actor, id, async (found) => {
      const { records } = this.#repository;
      await this.answers.showAll(id);
      await records.upgrade(found);
      await this.#catchUp(records.head(id)!);
      const head = records.head(id)!;
      const end = before === undefined ? head.next : records.numberOf(head, before);
      if (end === undefined) return unknownMessage(id, before!);
      const page = records.page(head, end, limit);
      return { head, thread: this.#repository.summary(head), ...page, draft: this.answers.draft(id) };
    });
  }

  /** Returns the messages of a thread, newest first. */
  newestFirst(head: ThreadHead): Iterable<ThreadMessage> {
    return this.#repository.records.newestFirst(head);
  }

  /** Adds a message. With a lease it is the lease's answer, and ends the lease. */
  append(actor: Actor, request: AppendRequest): Promise<Outcome<{ thread: string; message: ThreadMessage }>> {
    const { to } = request;
    if (typeof to === "string")
      return this.answers.inTurn(actor, to, (head) => this.#append(actor, head, request));
    const { proposal } = to;
    if (proposal === undefined) return this.#append(actor, this.#newThread(actor, to), request);
    return this.#aboutProposals.run([proposal], () => {
      const known = this.#repository.visible(actor).find((head) => head.proposal === proposal);
      return known === undefined
        ? this.#append(actor, this.#newThread(actor, to), request)
        : this.append(actor, { ...request, to: known.id });
    });
  }

  async #append(
    actor: Actor,
    found: ThreadHead,
    { role, text, anchor, leaseId, incomplete, changeIds = [] }: AppendRequest,
  ): Promise<Outcome<{ thread: string; message: ThreadMessage }>> {
    const lease = this.answers.endedBy(actor, found, role, leaseId);
    if (isRefusal(lease)) return lease;
    const answers = lease?.messageId ?? (role === "assistant" ? this.answers.question(found) : undefined);
    if (changeIds.length > 0 && answers === undefined)
      return notAnswerable(
        "changeIds belong to an answer",
        "Give them with role assistant, after a message.",
      );
    const message: ThreadMessage & { agent: string } = {
      ...this.answers.message(authorOf(actor), found, role, text ?? lease?.answer.draft.text ?? ""),
      ...(answers !== undefined && { answers }),
      ...(incomplete !== undefined && { incomplete }),
      ...(lease && listsOf(lease.answer.draft)),
    };
    if (message.text === "" && incomplete === undefined && !(lease && hasContent(lease.answer.draft)))
      return notAnswerable("the message has no text", "Give `text`, or send parts of the answer first.");
    const bytes = Buffer.byteLength(message.text);
    if (bytes > MESSAGE_BYTES || bytesOf(message) > 2 * MESSAGE_BYTES) return messageTooLarge(bytes);
    const anchored = anchor === undefined ? found : withAnchor(found, message.id, anchor);
    if (isRefusal(anchored)) return anchored;
    const links = changeIds.map((change): Link => ({ change }));
    // The links come first, because their refusal must not follow the answer.
    const unlinked = answers && links.length > 0 && (await this.#repository.link(found, answers, links));
    if (unlinked) return unlinked;
    const head = { ...(this.#repository.current(found.id) ?? found), anchors: anchored.anchors };
    const opened: ThreadHead = { ...head, title: head.title || excerpt(message.text), status: "open" };
    const refusal = await this.answers.ending(lease, () =>
      this.#repository.add(opened, message, lease?.answer.removals),
    );
    return refusal ?? { thread: opened.id, message };
  }

  /** Marks a thread as done, or as open again. A new message opens it, too. */
  resolve(actor: Actor, id: string, resolved: boolean): Promise<Outcome<ThreadSummary>> {
    return this.answers.inTurn(actor, id, (head) =>
      this.#repository.setStatus(head, resolved ? "resolved" : "open"),
    );
  }

  /** Deletes a thread and ends its lease. Only the token that started it, or a token with `admin`, may do so. */
  clear(actor: Actor, id: string): Promise<Refusal | undefined> {
    return this.answers.inTurn(actor, id, async (head) => {
      const { paths } = this.#repository.summary(head);
      const isOwn = head.machine === undefined && head.user === tokenNameOf(actor.agent);
      const denied = isOwn ? undefined : paths.find((path) => !actor.rights.allows(path, "admin"));
      if (denied !== undefined) return deniedRefusal(denied, actor.rights.permissionAt(denied), "admin");
      return this.#remove(head, "cleared");
    });
  }

  /** Checks the thread and the message that an edit names as its question. */
  answered(actor: Actor, id: string, messageId: string): Outcome<{ thread: string; messageId: string }> {
    const head = this.find(actor, id);
    if (isRefusal(head)) return head;
    const n = this.#repository.records.numberOf(head, messageId);
    return n === undefined ? unknownMessage(id, messageId) : { thread: id, messageId };
  }

  /** Deletes expired threads, which no client sees any more. */
  async expire(): Promise<void> {
    const { records } = this.#repository;
    for (const { id } of [...records.heads()].filter((head) => this.#repository.isExpired(head)))
      await this.answers.turns.run([id], async () => {
        const head = records.head(id);
        if (head === undefined || !this.#repository.isExpired(head)) return;
        const refusal = await this.#remove(head, "expired");
        if (refusal !== undefined)
          this.#workspace.ports.report("thread.not_forgotten", { thread: id, reason: refusal.message });
      });
  }

  async #remove(
    head: ThreadHead,
    status: "cleared" | "expired",
    store?: Shelve,
  ): Promise<Refusal | undefined> {
    this.#caughtUp.delete(head.id);
    return this.answers.endingAny(head.id, (parts) => this.#repository.remove(head, status, parts, store));
  }

  #newThread(actor: Actor, { docIds, bundle, proposal, places }: Subject): ThreadHead {
    const now = this.#workspace.ports.clock.now();
    return {
      id: this.#workspace.newId("thr"),
      user: tokenNameOf(actor.agent),
      docIds,
      ...(bundle !== undefined && { bundle }),
      ...(proposal !== undefined && { proposal }),
      ...(places !== undefined && { places }),
      status: "open",
      title: "",
      last: { id: "", role: "user", text: "", author: actor.name, time: "" },
      anchors: {},
      first: 0,
      next: 0,
      shares: {},
      created: now,
      active: now,
    };
  }

  /** Notes changes of a thread's documents on the messages that they answer, which a crash may have prevented. */
  async #catchUp(head: ThreadHead): Promise<void> {
    if (this.#caughtUp.has(head.id)) return;
    this.#caughtUp.add(head.id);
    const made = new Map<string, Link[]>();
    for (const docId of head.docIds)
      for (const { id, seq, time, answers } of this.#workspace.ports.store.changes(docId, {
        limit: MOST_LINKS,
      })) {
        if (time < head.created) break;
        if (answers?.thread !== head.id || !this.#workspace.stores(id, docId, seq)) continue;
        made.set(answers.messageId, [{ change: id }, ...(made.get(answers.messageId) ?? [])]);
      }
    for (const [messageId, links] of made)
      if (await this.#repository.link(this.#repository.current(head.id)!, messageId, links))
        this.#caughtUp.delete(head.id); // the store refused the note, so the next look tries again
  }

  /** Notes changes and proposals on the messages that they answer. */
  #noteAnswers(event: WorkspaceEvent): void {
    for (const { answers, link } of madeForMessages(event, this.#workspace.ports.store))
      this.answers.inBackground(answers.thread, (head) =>
        this.#repository.link(head, answers.messageId, [link]),
      );
  }
}

function withAnchor(head: ThreadHead, messageId: string, anchor: StoredAnchor): Outcome<ThreadHead> {
  if (Object.keys(head.anchors).length < MOST_ANCHORS)
    return { ...head, anchors: { ...head.anchors, [messageId]: anchor } };
  return new Refusal("OVERLOADED", `a thread has at most ${MOST_ANCHORS} anchors`, {
    suggestion: "The thread is unchanged. Start a new thread, or send the message without an anchor.",
    details: { limit: MOST_ANCHORS },
  });
}
