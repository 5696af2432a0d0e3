import { type Shelved, type Store, shelfOf, storeFailure } from "../../store/store.ts";
import { MESSAGES, THREADS } from "../../work/bounds.ts";
import { Quota } from "../access/quota.ts";
import type { Refusal } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";

/** What a message takes beside its text, roughly. */
const RECORD_BYTES = 256;

export type Role = "user" | "assistant";

export interface ThreadMessage {
  readonly id: string;
  readonly role: Role;
  readonly text: string;
  readonly author: string;
  /** ISO 8601. */
  readonly time: string;
}

/** A thread as it is stored, without its messages: each of those is a record of its own, under its number. */
export interface ThreadHead {
  readonly id: string;
  readonly user: string;
  /** The number of the oldest message that is kept. */
  readonly first: number;
  /** The number that the next message gets. */
  readonly next: number;
  /** Of its messages. */
  readonly bytes: number;
  /** When the last message came, in milliseconds since the epoch. */
  readonly active: number;
}

/** A thread as it was stored up to schema 2: with all of its messages. */
interface WholeThread extends Pick<ThreadHead, "id" | "user" | "active"> {
  readonly messages: readonly ThreadMessage[];
}

export const threadShelf = shelfOf<WholeThread | ThreadHead>("threads");
export const messageShelf = shelfOf<ThreadMessage>("messages");

/** The stored threads. Adding a message writes that message and the thread's head, however long the thread is. */
export class ThreadRecords {
  readonly #store: Store;
  readonly #quota = new Quota(THREADS, {
    things: "threads",
    advice: "Call thread.clear for a thread that is done.",
  });
  readonly #read = new Map<string, ThreadHead>();
  #isRead = false;

  constructor(store: Store) {
    this.#store = store;
  }

  head(id: string): ThreadHead | undefined {
    return this.#heads.get(id);
  }

  heads(): Iterable<ThreadHead> {
    return this.#heads.values();
  }

  /** Oldest first. */
  messages(id: string): readonly ThreadMessage[] {
    const stored = this.#store.shelved(threadShelf, id);
    if (stored === undefined) return [];
    if ("messages" in stored) return stored.messages;
    const messages: ThreadMessage[] = [];
    for (let n = stored.first; n < stored.next; n++) messages.push(this.#message(id, n));
    return messages;
  }

  /** Adds a message; the oldest ones go as far as the thread has too many or too large ones. */
  async append(
    id: string,
    user: string,
    message: ThreadMessage,
    active: number,
  ): Promise<Refusal | undefined> {
    const split = await this.#split(id);
    if (split !== undefined) return split;
    const before = this.head(id);
    let { first, next, bytes } = before ?? { first: 0, next: 0, bytes: 0 };
    const records: Shelved[] = [{ shelf: messageShelf, id: placeOf(id, next++), record: message }];
    bytes += bytesOf(message);
    while (next - first > MESSAGES.count || bytes > MESSAGES.bytes) {
      bytes -= bytesOf(this.#message(id, first));
      records.push({ shelf: messageShelf, id: placeOf(id, first++), record: null });
    }
    const head = { id, user, first, next, bytes, active };
    const refusal = this.#quota.take(user, id, bytes);
    if (refusal !== undefined) return refusal;
    const failure = await storeFailure(
      this.#store.shelve(...records, { shelf: threadShelf, id, record: head }),
    );
    if (failure === undefined) {
      this.#heads.set(id, head);
      return undefined;
    }
    if (before === undefined) this.#quota.release(id);
    else this.#quota.count(user, id, before.bytes);
    return storeRefusal(failure);
  }

  async forget(id: string): Promise<Refusal | undefined> {
    const head = this.head(id);
    if (head === undefined) return undefined;
    this.#heads.delete(id);
    this.#quota.release(id);
    const gone: Shelved[] = [{ shelf: threadShelf, id, record: null }];
    for (let n = head.first; n < head.next; n++)
      gone.push({ shelf: messageShelf, id: placeOf(id, n), record: null });
    const failure = await storeFailure(this.#store.shelve(...gone));
    return failure && storeRefusal(failure);
  }

  /** Gives the messages of a thread that an earlier version stored whole their own records. */
  async #split(id: string): Promise<Refusal | undefined> {
    const head = this.head(id);
    const stored = head && this.#store.shelved(threadShelf, id);
    if (head === undefined || stored === undefined || !("messages" in stored)) return undefined;
    const messages = stored.messages.map(
      (record, n): Shelved => ({ shelf: messageShelf, id: placeOf(id, n), record }),
    );
    const failure = await storeFailure(
      this.#store.shelve(...messages, { shelf: threadShelf, id, record: head }),
    );
    return failure && storeRefusal(failure);
  }

  #message(id: string, n: number): ThreadMessage {
    return this.#store.shelved(messageShelf, placeOf(id, n))!;
  }

  /** Read once: afterwards this knows of each change. */
  get #heads(): Map<string, ThreadHead> {
    if (!this.#isRead)
      for (const stored of this.#store.shelf(threadShelf)) {
        const head = "messages" in stored ? headOf(stored) : stored;
        this.#read.set(head.id, head);
        this.#quota.count(head.user, head.id, head.bytes);
      }
    this.#isRead = true;
    return this.#read;
  }
}

function headOf({ id, user, active, messages }: WholeThread): ThreadHead {
  const bytes = messages.reduce((sum, message) => sum + bytesOf(message), 0);
  return { id, user, first: 0, next: messages.length, bytes, active };
}

function bytesOf({ text }: ThreadMessage): number {
  return Buffer.byteLength(text) + RECORD_BYTES;
}

/** The id of a thread's message; a thread's id begins no other thread's. */
function placeOf(id: string, n: number): string {
  return `${id}/${n}`;
}
