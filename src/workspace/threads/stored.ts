import { shelfOf } from "../../store/shelf.ts";
import { excerpt, type ThreadHead, type ThreadMessage } from "./thread.ts";

/** The approximate size of a stored message without its text, in bytes. */
const RECORD_BYTES = 256;

/** A thread's head as stores up to schema 4 hold it; its id consists of its user and its document or bundle. */
interface EarlierHead extends Pick<ThreadHead, "id" | "user" | "first" | "next" | "active"> {
  readonly bytes: number;
}

/** A thread as stores up to schema 2 hold it: with all its messages. */
export interface WholeThread extends Pick<ThreadHead, "id" | "user" | "active"> {
  readonly messages: readonly ThreadMessage[];
}

export const threadShelf = shelfOf<WholeThread | EarlierHead | ThreadHead>("threads");
/** The ids of cleared threads, which other machines of the workspace have to learn. */
export const clearedShelf = shelfOf<{ readonly id: string }>("cleared");
export const messageShelf = shelfOf<ThreadMessage>("messages");

/** Returns the head of a stored thread of any version. `messageAt` reads a stored message. */
export function headOf(
  stored: WholeThread | EarlierHead | ThreadHead,
  messageAt: (n: number) => ThreadMessage | undefined,
): ThreadHead | undefined {
  if ("docIds" in stored) return stored;
  const { id, user, active } = stored;
  const isWhole = "messages" in stored;
  const first = isWhole ? 0 : stored.first;
  const next = isWhole ? stored.messages.length : stored.next;
  const at = (n: number) => (isWhole ? stored.messages[n] : messageAt(n));
  const [oldest, newest] = [at(first), at(next - 1)];
  if (oldest === undefined || newest === undefined) return undefined; // a thread without messages is none
  const bytes = isWhole
    ? stored.messages.reduce((sum, message) => sum + bytesOf(message), 0)
    : (stored as EarlierHead).bytes;
  const [, kind, name] = JSON.parse(id) as [user: string, kind: "docId" | "bundle", name: string];
  return {
    id,
    user,
    isPrivate: true,
    docIds: kind === "docId" ? [name] : [],
    ...(kind === "bundle" && { bundle: name }),
    status: "open",
    title: excerpt(oldest.text),
    last: lastOf(newest),
    anchors: {},
    first,
    next,
    shares: { [user]: bytes },
    created: Date.parse(oldest.time),
    active,
  };
}

/** Returns the last message as a head shows it. */
export function lastOf({ plan: _plan, tools: _tools, ...message }: ThreadMessage): ThreadHead["last"] {
  return { ...message, text: excerpt(message.text) };
}

/** Returns the size of a stored message, roughly, in bytes. */
export function bytesOf({ text, plan = [], tools = [] }: ThreadMessage): number {
  const rest = plan.length + tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify([plan, tools]));
  return Buffer.byteLength(text) + rest + RECORD_BYTES;
}

/** Returns the record id of a message. It is unique: no thread's id is a prefix of another's. */
export function messageKey(id: string, n: number): string {
  return `${id}/${n}`;
}

/**
 * Orders two messages of a thread. The number at the end of a message's id is the number of messages that its author
 * had seen. It is larger than the number of each of these messages.
 */
export function compareMessages(a: ThreadMessage, b: ThreadMessage): number {
  return seenBy(a) - seenBy(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function seenBy({ id }: ThreadMessage): number {
  return Number(/\.(\d{1,9})$/.exec(id)?.[1] ?? 0);
}
