import type { About, GivenRecord, SharedRecords, Telling } from "../document/shared-records.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { Refusal } from "../outcome/refusal.ts";
import { type GivenAnchor, givenAnchor, takenAnchor } from "./given-anchor.ts";
import type { Shelve } from "./records.ts";
import type { ThreadRepository } from "./repository.ts";
import type { ThreadHead, ThreadMessage } from "./thread.ts";
import { isOfToken } from "./visibility.ts";

/** A thread as all machines know it; each of its messages is a record of its own. */
export interface GivenThread
  extends GivenRecord,
    Pick<ThreadHead, "user" | "proposal" | "bundle" | "status" | "created"> {}

/** A message as all machines know it, with the id of its thread. */
export interface GivenMessage extends GivenRecord {
  readonly thread: string;
  readonly message: ThreadMessage;
  readonly anchor?: GivenAnchor | undefined;
}

interface Sharing {
  readonly workspace: Workspace;
  readonly repository: ThreadRepository;
  /** Runs work on a thread after all earlier work on it. */
  readonly inTurn: <T>(id: string, work: () => Promise<T>) => Promise<T>;
  /** Deletes a thread and ends its lease; the thread is gone once `store` has stored that. */
  readonly clear: (head: ThreadHead, store: Shelve) => Promise<Refusal | undefined>;
}

/**
 * The threads that machines share: all except threads that only one token sees. A thread is cleared or resolved on all
 * machines, unless it has a message that the machine of this action had not seen.
 */
export class SharedThreads implements SharedRecords {
  readonly kind = "thread";
  readonly #sharing: Sharing;

  constructor(sharing: Sharing) {
    this.#sharing = sharing;
  }

  *ids(): Iterable<string> {
    for (const head of sharedHeads(this.#sharing)) yield head.id;
    yield* this.#sharing.repository.records.cleared();
  }

  facts(id: string): object | undefined {
    const head = this.#sharing.repository.records.head(id);
    return head && factsOf(head);
  }

  about(id: string): About | undefined {
    const head = this.#sharing.repository.records.head(id);
    return head && aboutOf(head);
  }

  async give(id: string): Promise<GivenThread | undefined> {
    const head = this.#sharing.repository.records.head(id);
    if (head === undefined) return undefined;
    const { machine, user, proposal, bundle, status, created } = head;
    return {
      ...aboutOf(head),
      user,
      status,
      created,
      ...(machine !== undefined && { machine }),
      ...(proposal !== undefined && { proposal }),
      ...(bundle !== undefined && { bundle }),
    };
  }

  take(id: string, given: GivenThread | null, telling: Telling): Promise<void> {
    return this.#sharing.inTurn(id, () => this.#takeHead(id, given, telling));
  }

  async #takeHead(id: string, given: GivenThread | null, telling: Telling): Promise<void> {
    const { repository, clear } = this.#sharing;
    const { records } = repository;
    const head = records.head(id);
    if (!telling.isNewer && head !== undefined) return;
    if (given === null) {
      if (head === undefined) return telling.store(null);
      if (this.#hasUnseen(head, telling)) return this.#tellAgain(head, telling);
      let failure: unknown;
      const refusal = await clear(head, (...gone) =>
        telling.store(null, ...gone).catch((error: unknown) => {
          failure = error;
          throw error;
        }),
      );
      if (refusal !== undefined) throw failure;
      return;
    }
    const store =
      (after: ThreadHead): Shelve =>
      (...shelved) =>
        telling.store(factsOf(after), ...shelved);
    if (head === undefined) {
      const created = this.#created(id, given, telling.machine);
      await records.takeHead(created, store(created));
    } else if (given.status === "resolved" && this.#hasUnseen(head, telling)) telling.again("thread", id);
    else {
      const after = { ...head, status: given.status };
      await records.takeHead(after, store(after));
      repository.changed(after);
    }
  }

  listen(changed: (id: string) => void): () => void {
    return this.#sharing.repository.listen((event) => {
      if (event.type !== "changed" && event.type !== "message") return;
      const { id, status, private: isPrivate } = event.thread;
      if (!isPrivate && status !== "expired") changed(id);
    });
  }

  #created(id: string, given: GivenThread, from: string): ThreadHead {
    const { docs, places, machine = from, user, proposal, bundle, status, created } = given;
    return {
      id,
      user,
      machine,
      docIds: docs,
      ...(places.length > 0 && { places }),
      ...(proposal !== undefined && { proposal }),
      ...(bundle !== undefined && { bundle }),
      status,
      title: "",
      last: { id: "", role: "user", text: "", author: user, time: "" },
      anchors: {},
      first: 0,
      next: 0,
      shares: {},
      created,
      active: this.#sharing.workspace.ports.clock.now(),
    };
  }

  #hasUnseen(head: ThreadHead, telling: Telling): boolean {
    for (const { id } of this.#sharing.repository.records.newestFirst(head))
      if (!telling.saw("message", messageRef(head.id, id))) return true;
    return false;
  }

  /** Sends a thread again that another machine cleared before it had seen all messages. */
  #tellAgain(head: ThreadHead, telling: Telling): void {
    telling.again("thread", head.id);
    for (const { id } of this.#sharing.repository.records.newestFirst(head))
      telling.again("message", messageRef(head.id, id));
  }
}

/** The messages of shared threads: a set by their ids. Each lists all changes and proposals that answer it anywhere. */
export class SharedMessages implements SharedRecords {
  readonly kind = "message";
  readonly #sharing: Sharing;

  constructor(sharing: Sharing) {
    this.#sharing = sharing;
  }

  *ids(): Iterable<string> {
    const { records } = this.#sharing.repository;
    for (const head of sharedHeads(this.#sharing))
      for (const { id } of records.newestFirst(head)) yield messageRef(head.id, id);
  }

  facts(ref: string): object | undefined {
    const found = this.#find(ref);
    return found && linksOf(found.message);
  }

  about(ref: string): About | undefined {
    const head = this.#sharing.repository.records.head(threadOf(ref));
    return head && aboutOf(head);
  }

  async give(ref: string): Promise<GivenMessage | undefined> {
    const found = this.#find(ref);
    if (found === undefined) return undefined;
    const { head, message } = found;
    const { machine, ...said } = message;
    const anchor = head.anchors[message.id];
    return {
      ...aboutOf(head),
      ...(machine !== undefined && { machine }),
      thread: head.id,
      message: said,
      ...(anchor !== undefined && { anchor: givenAnchor(this.#sharing.workspace, anchor) }),
    };
  }

  take(ref: string, given: GivenMessage | null, telling: Telling): Promise<void> {
    if (given === null) return Promise.resolve();
    return this.#sharing.inTurn(given.thread, () => this.#takeMessage(ref, given, telling));
  }

  async #takeMessage(ref: string, given: GivenMessage, telling: Telling): Promise<void> {
    const { repository, workspace } = this.#sharing;
    const { records } = repository;
    const head = records.head(given.thread);
    // The thread was cleared here. If another machine does not accept that, it sends the thread and its messages again.
    if (head === undefined) return;
    const { machine = telling.machine } = given;
    const known = this.#find(ref);
    if (known !== undefined) {
      const { message, n } = known;
      const joined = { ...message, ...joinedLinks(message, given.message) };
      if (count(joined) > count(given.message)) telling.again("message", ref);
      if (count(joined) === count(message)) return telling.store(linksOf(joined));
      await records.retake(head, n, joined, (...shelved) => telling.store(linksOf(joined), ...shelved));
      return repository.said(records.head(head.id)!, joined);
    }
    const anchor = given.anchor && (await takenAnchor(workspace, given.anchor));
    const { id } = given.message;
    const now = { ...records.head(head.id)!, active: workspace.ports.clock.now() };
    const anchored = anchor === undefined ? now : { ...now, anchors: { ...now.anchors, [id]: anchor } };
    const message = { ...given.message, machine };
    await records.takeMessage(anchored, message, (...shelved) => telling.store(linksOf(message), ...shelved));
    repository.said(records.head(head.id)!, message);
  }

  listen(changed: (ref: string) => void): () => void {
    return this.#sharing.repository.listen((event) => {
      if (event.type === "message" && !event.thread.private)
        changed(messageRef(event.thread.id, event.message.id));
    });
  }

  #find(ref: string): { head: ThreadHead; message: ThreadMessage; n: number } | undefined {
    const { records } = this.#sharing.repository;
    const thread = threadOf(ref);
    const id = ref.slice(thread.length + 1);
    const head = records.head(thread);
    const n = head && records.numberOf(head, id);
    return head === undefined || n === undefined ? undefined : { head, n, message: records.message(head, n) };
  }
}

function sharedHeads({ repository }: Sharing): ThreadHead[] {
  const shared = [...repository.records.heads()].filter(
    (head) => !isOfToken(head) && !repository.isExpired(head),
  );
  return shared.sort((a, b) => a.active - b.active);
}

function aboutOf({ docIds, places = [] }: ThreadHead): About {
  return { docs: docIds, places };
}

function factsOf({ status }: ThreadHead): object {
  return { status };
}

/** Returns the id by which all machines know a message. */
function messageRef(thread: string, id: string): string {
  return `${thread}/${id}`;
}

/** Returns the id of the thread of such a message. */
function threadOf(ref: string): string {
  return ref.slice(0, Math.max(0, ref.indexOf("/")));
}

type Links = Pick<ThreadMessage, "changes" | "proposals">;

function linksOf({ changes = [], proposals = [] }: Links): object {
  return { changes: changes.toSorted(), proposals: proposals.toSorted() };
}

function count({ changes = [], proposals = [] }: Links): number {
  return changes.length + proposals.length;
}

function joinedLinks(a: Links, b: Links): Links {
  const changes = [...new Set([...(a.changes ?? []), ...(b.changes ?? [])])];
  const proposals = [...new Set([...(a.proposals ?? []), ...(b.proposals ?? [])])];
  return { ...(changes.length > 0 && { changes }), ...(proposals.length > 0 && { proposals }) };
}
