import { type Shelved, type Store, shelfOf, storeFailure } from "../../store/store.ts";
import { MESSAGES, THREADS } from "../../work/bounds.ts";
import { Quota } from "../access/quota.ts";
import type { Refusal } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";

/** The approximate size of a stored message without its text, in bytes. */
const RECORD_BYTES = 256;

export type MessageRole = "user" | "assistant";

/** One message of a thread, as it is stored and sent. */
export interface ThreadMessage {
  readonly id: string;
  readonly role: MessageRole;
  readonly text: string;
  readonly author: string;
  /** ISO 8601. */
  readonly time: string;
}

/** A stored thread without its messages; each message has its own record under its number. */
interface ThreadHead {
  readonly id: string;
  readonly user: string;
  /** The number of the oldest stored message. */
  readonly first: number;
  /** The number of the next message. */
  readonly next: number;
  /** The bytes of all its messages. */
  readonly bytes: number;
  /** The time of the last message, in milliseconds since the epoch. */
  readonly active: number;
}

/** A thread as stores up to schema 2 hold it: with all its messages. */
interface WholeThread extends Pick<ThreadHead, "id" | "user" | "active"> {
  readonly messages: readonly ThreadMessage[];
}

export const threadShelf = shelfOf<WholeThread | ThreadHead>("threads");
export const messageShelf = shelfOf<ThreadMessage>("messages");

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

  /** Returns the messages of a thread, oldest first. */
  messages(id: string): readonly ThreadMessage[] {
    const stored = this.#store.shelved(threadShelf, id);
    if (stored === undefined) return [];
    if ("messages" in stored) return stored.messages;
    const messages: ThreadMessage[] = [];
    for (let n = stored.first; n < stored.next; n++) messages.push(this.#message(id, n));
    return messages;
  }

  /** Adds a message and deletes the oldest ones while the thread exceeds its bounds. */
  async append(
    id: string,
    user: string,
    message: ThreadMessage,
    active: number,
  ): Promise<Refusal | undefined> {
    const failed = await this.#upgrade(id);
    if (failed !== undefined) return failed;
    const before = this.head(id);
    let { first, next, bytes } = before ?? { first: 0, next: 0, bytes: 0 };
    const records: Shelved[] = [{ shelf: messageShelf, id: messageId(id, next++), record: message }];
    bytes += bytesOf(message);
    while (next - first > MESSAGES.count || bytes > MESSAGES.bytes) {
      bytes -= bytesOf(this.#message(id, first));
      records.push({ shelf: messageShelf, id: messageId(id, first++), record: null });
    }
    const head = { id, user, first, next, bytes, active };
    const refusal = this.#quota.admit(user, id, bytes);
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

  /** Deletes a thread with all its messages. */
  async delete(id: string): Promise<Refusal | undefined> {
    const head = this.head(id);
    if (head === undefined) return undefined;
    this.#heads.delete(id);
    this.#quota.release(id);
    const deletions: Shelved[] = [{ shelf: threadShelf, id, record: null }];
    for (let n = head.first; n < head.next; n++)
      deletions.push({ shelf: messageShelf, id: messageId(id, n), record: null });
    const failure = await storeFailure(this.#store.shelve(...deletions));
    return failure && storeRefusal(failure);
  }

  /** Stores the messages of a schema 2 thread as records of their own. */
  async #upgrade(id: string): Promise<Refusal | undefined> {
    const head = this.head(id);
    const stored = head && this.#store.shelved(threadShelf, id);
    if (head === undefined || stored === undefined || !("messages" in stored)) return undefined;
    const messages = stored.messages.map(
      (record, n): Shelved => ({ shelf: messageShelf, id: messageId(id, n), record }),
    );
    const failure = await storeFailure(
      this.#store.shelve(...messages, { shelf: threadShelf, id, record: head }),
    );
    return failure && storeRefusal(failure);
  }

  #message(id: string, n: number): ThreadMessage {
    return this.#store.shelved(messageShelf, messageId(id, n))!;
  }

  /** The heads of all threads; the store is read once. */
  get #heads(): Map<string, ThreadHead> {
    if (!this.#isLoaded)
      for (const stored of this.#store.shelf(threadShelf)) {
        const head = "messages" in stored ? headOf(stored) : stored;
        this.#loaded.set(head.id, head);
        this.#quota.count(head.user, head.id, head.bytes);
      }
    this.#isLoaded = true;
    return this.#loaded;
  }
}

function headOf({ id, user, active, messages }: WholeThread): ThreadHead {
  const bytes = messages.reduce((sum, message) => sum + bytesOf(message), 0);
  return { id, user, first: 0, next: messages.length, bytes, active };
}

function bytesOf({ text }: ThreadMessage): number {
  return Buffer.byteLength(text) + RECORD_BYTES;
}

/** Returns the record id of a message. It is unique: no thread's id is a prefix of another's. */
function messageId(id: string, n: number): string {
  return `${id}/${n}`;
}
