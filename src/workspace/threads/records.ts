import type { Shelved } from "../../store/shelf.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import { MESSAGE_PAGE, MESSAGES, THREADS } from "../../work/bounds.ts";
import { tokenNameOf } from "../access/actor.ts";
import { Quota } from "../access/quota.ts";
import type { Refusal } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";
import { threadFull } from "./refusals.ts";
import {
  bytesOf,
  clearedShelf,
  compareMessages,
  headOf,
  lastOf,
  messageKey,
  messageShelf,
  threadShelf,
} from "./stored.ts";
import { excerpt, type ThreadHead, type ThreadMessage } from "./thread.ts";

/** Messages of a thread, oldest first. */
export interface MessagePage {
  readonly messages: readonly ThreadMessage[];
  /** True if the thread has older messages. */
  readonly more: boolean;
}

/** Stores records, all or none. @throws StoreError */
export type Shelve = (...records: readonly Shelved[]) => Promise<void>;

/** Reads and writes the stored threads. Adding a message writes only that message and the thread's head. */
export class ThreadRecords {
  readonly #store: Store;
  readonly #quota = new Quota(THREADS, {
    things: "threads",
    advice: "Call thread.clear for a thread that is done.",
  });
  readonly #loaded = new Map<string, ThreadHead>();
  #isLoaded = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the head of a thread; undefined for an unknown one. */
  head(id: string): ThreadHead | undefined {
    return this.#heads.get(id);
  }

  heads(): Iterable<ThreadHead> {
    return this.#heads.values();
  }

  /** Returns the messages before the one with an id, or the newest ones: as many as fit into an answer. */
  page(
    { id, first, next }: ThreadHead,
    before: number = next,
    limit: number = MESSAGE_PAGE.count,
  ): MessagePage {
    const messages: ThreadMessage[] = [];
    let n = Math.min(before, next);
    let bytes = 0;
    while (n > first && messages.length < Math.min(limit, MESSAGE_PAGE.count)) {
      const message = this.#message(id, n - 1)!;
      bytes += bytesOf(message);
      if (bytes > MESSAGE_PAGE.bytes && messages.length > 0) break;
      messages.push(message);
      n--;
    }
    return { messages: messages.reverse(), more: n > first };
  }

  /** Returns the messages of a thread, newest first. */
  *newestFirst({ id, first, next }: ThreadHead): Iterable<ThreadMessage> {
    for (let n = next - 1; n >= first; n--) yield this.#message(id, n)!;
  }

  /** Returns the number of a message; undefined for one that the thread does not have. */
  numberOf({ id, first, next }: ThreadHead, messageId: string): number | undefined {
    const named = Number(/\.(\d{1,9})$/.exec(messageId)?.[1] ?? Number.NaN);
    if (named >= first && named < next && this.#message(id, named)?.id === messageId) return named;
    for (let n = next - 1; n >= first; n--) {
      if (this.#message(id, n)!.id === messageId) return n;
    }
    return undefined;
  }

  message(head: ThreadHead, n: number): ThreadMessage {
    return this.#message(head.id, n)!;
  }

  /**
   * Adds a message of a token to a thread, which may be new, and writes other records with it. Refuses it if the thread or
   * the token has no room.
   */
  async append(
    head: ThreadHead,
    token: string,
    message: ThreadMessage,
    { active, others = [] }: { readonly active: number; readonly others?: readonly Shelved[] },
  ): Promise<Refusal | undefined> {
    const { id, next } = this.head(head.id) ?? head;
    const bytes = bytesOf(message);
    const used = Object.values(head.shares).reduce((sum, share) => sum + share, 0);
    if (next - head.first >= MESSAGES.count || used + bytes > MESSAGES.bytes)
      return threadFull(next - head.first, used);
    const before = head.shares[token];
    const share = (before ?? 0) + bytes;
    const refusal = this.#quota.admit(token, itemOf(id, token), share);
    if (refusal !== undefined) return refusal;
    const after: ThreadHead = {
      ...head,
      next: next + 1,
      shares: { ...head.shares, [token]: share },
      last: lastOf(message),
      active,
    };
    const added: Shelved = { shelf: messageShelf, id: messageKey(id, next), record: message };
    const failed = await this.#write(after, added, ...others);
    if (failed === undefined) return undefined;
    if (before === undefined) this.#quota.release(itemOf(id, token));
    else this.#quota.count(token, itemOf(id, token), before);
    return failed;
  }

  /** Stores another form of a message. */
  async rewrite(head: ThreadHead, n: number, message: ThreadMessage): Promise<Refusal | undefined> {
    const last = n === head.next - 1 ? { last: lastOf(message) } : {};
    return this.#write(
      { ...head, ...last },
      { shelf: messageShelf, id: messageKey(head.id, n), record: message },
    );
  }

  /** Stores the messages of a schema 2 thread as records of their own, so that each can be read alone. */
  async upgrade(head: ThreadHead): Promise<void> {
    const stored = this.#store.shelved(threadShelf, head.id);
    if (stored !== undefined && "messages" in stored) await this.#write(head); // a full disk leaves the record as it is
  }

  /** Stores another form of a thread's head. */
  update(head: ThreadHead): Promise<Refusal | undefined> {
    return this.#write(head);
  }

  /** Stores the head of a thread of another machine by `store`. @throws StoreError */
  async takeHead(head: ThreadHead, store: Shelve): Promise<void> {
    await store({ shelf: threadShelf, id: head.id, record: head });
    this.#heads.set(head.id, head);
  }

  /**
   * Adds a message of another machine at its place: after those that its author had seen, and among others by its id. So
   * all machines have the messages in one order. @throws StoreError
   */
  async takeMessage(head: ThreadHead, message: ThreadMessage, store: Shelve): Promise<void> {
    const { id, next } = head;
    const token = holderOf(message);
    const later: ThreadMessage[] = [];
    for (const one of this.newestFirst(head)) {
      if (compareMessages(one, message) < 0) break;
      later.push(one);
    }
    const moved = [message, ...later.reverse()];
    const from = next + 1 - moved.length;
    const share = (head.shares[token] ?? 0) + bytesOf(message);
    const after: ThreadHead = {
      ...head,
      next: next + 1,
      shares: { ...head.shares, [token]: share },
      last: lastOf(moved.at(-1)!),
      ...(from === head.first && { title: excerpt(message.text) }),
    };
    const records = moved.map(
      (record, i): Shelved => ({ shelf: messageShelf, id: messageKey(id, from + i), record }),
    );
    await store(...records, { shelf: threadShelf, id, record: after });
    this.#quota.count(token, itemOf(id, token), share);
    this.#heads.set(id, after);
  }

  /** Stores another form of a message by `store`. @throws StoreError */
  async retake(head: ThreadHead, n: number, message: ThreadMessage, store: Shelve): Promise<void> {
    const after = n === head.next - 1 ? { ...head, last: lastOf(message) } : head;
    await store(
      { shelf: messageShelf, id: messageKey(head.id, n), record: message },
      { shelf: threadShelf, id: head.id, record: after },
    );
    this.#heads.set(head.id, after);
  }

  /** The ids of the threads that a client of this machine cleared. */
  *cleared(): Iterable<string> {
    for (const { id } of this.#store.shelf(clearedShelf)) yield id;
  }

  /** Deletes a thread with all its messages, and writes other records with that. */
  async delete(
    { id, first, next, shares }: ThreadHead,
    others: readonly Shelved[] = [],
    store: Shelve = (...records) => this.#store.shelve(...records),
  ): Promise<Refusal | undefined> {
    const deletions: Shelved[] = [...others, { shelf: threadShelf, id, record: null }];
    for (let n = first; n < next; n++)
      deletions.push({ shelf: messageShelf, id: messageKey(id, n), record: null });
    const failure = await storeFailure(store(...deletions));
    if (failure !== undefined) return storeRefusal(failure);
    this.#heads.delete(id);
    for (const token of Object.keys(shares)) this.#quota.release(itemOf(id, token));
    return undefined;
  }

  /** Stores a head with other records, and the messages of a schema 2 thread as records of their own. */
  async #write(head: ThreadHead, ...records: readonly Shelved[]): Promise<Refusal | undefined> {
    const { id } = head;
    const stored = this.#store.shelved(threadShelf, id);
    const whole = stored !== undefined && "messages" in stored ? stored.messages : [];
    const upgraded = whole.map(
      (record, n): Shelved => ({ shelf: messageShelf, id: messageKey(id, n), record }),
    );
    const failure = await storeFailure(
      this.#store.shelve(...upgraded, ...records, { shelf: threadShelf, id, record: head }),
    );
    if (failure !== undefined) return storeRefusal(failure);
    this.#heads.set(id, head);
    return undefined;
  }

  #message(id: string, n: number): ThreadMessage | undefined {
    const message = this.#store.shelved(messageShelf, messageKey(id, n));
    if (message !== undefined) return message;
    const stored = this.#store.shelved(threadShelf, id);
    return stored !== undefined && "messages" in stored ? stored.messages[n] : undefined;
  }

  /** The heads of all threads; the store is read once. */
  get #heads(): Map<string, ThreadHead> {
    if (!this.#isLoaded) {
      this.#isLoaded = true;
      for (const stored of this.#store.shelf(threadShelf)) {
        const head = headOf(stored, (n) => this.#message(stored.id, n));
        if (head === undefined) continue;
        this.#loaded.set(head.id, head);
        for (const [token, bytes] of Object.entries(head.shares))
          this.#quota.count(token, itemOf(head.id, token), bytes);
      }
    }
    return this.#loaded;
  }
}

/** Returns the holder in whose quota a message is: its token, apart from the tokens of other machines. */
function holderOf({ agent, author, machine }: ThreadMessage): string {
  const token = agent === undefined ? author : tokenNameOf(agent);
  return machine === undefined ? token : `${machine}/${token}`;
}

/** Returns the name under which a quota counts the messages of a token in a thread. */
function itemOf(id: string, token: string): string {
  return JSON.stringify([id, token]);
}
