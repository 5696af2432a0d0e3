import { MESSAGE_BYTES, MESSAGES } from "../../work/bounds.ts";
import { Refusal } from "../outcome/refusal.ts";
import type { LeaseView } from "./thread.ts";

/** Returns the refusal for a thread that does not exist, or that the token may not see. */
export function unknownThread(id: string): Refusal {
  return new Refusal("NOT_FOUND", `there is no thread ${JSON.stringify(id)}`, {
    suggestion: "thread.list names the threads. A thread is removed 30 days after its last message.",
  });
}

export function unknownMessage(thread: string, id: string): Refusal {
  return new Refusal("NOT_FOUND", `the thread ${thread} has no message ${JSON.stringify(id)}`, {
    suggestion: "thread.get names the messages.",
  });
}

/** Returns the refusal for a lease that does not exist, has ended, or belongs to another token. */
export function unknownLease(id: string): Refusal {
  return new Refusal("NOT_FOUND", `there is no lease ${JSON.stringify(id)}`, {
    suggestion:
      "A lease ends with its connection, without renewal, and with its answer. Ask for a new one with thread.lease.",
  });
}

/** Returns the refusal while another client answers a thread. */
export function heldBy({ author, agent, kind, messageId, until }: LeaseView): Refusal {
  return new Refusal("OVERLOADED", `${author} is answering this thread`, {
    suggestion: "Wait for the answer (thread.message), or ask with thread.stop to stop it.",
    details: { holder: { name: author, agent, kind }, messageId, until },
  });
}

export function messageTooLarge(bytes: number): Refusal {
  return new Refusal("TOO_LARGE", `the message has ${bytes} bytes; the limit is ${MESSAGE_BYTES}`, {
    suggestion:
      "The thread is unchanged. Shorten the message, or write it into a document and refer to that.",
    details: { bytes, limit: MESSAGE_BYTES },
  });
}

export function threadFull(count: number, bytes: number): Refusal {
  return new Refusal("OVERLOADED", `this thread has ${count} messages of ${bytes} bytes, and no room`, {
    suggestion: "Start a new thread about the same document.",
    details: { count, bytes, limits: MESSAGES },
  });
}

export function notAnswerable(message: string, suggestion: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", message, { suggestion });
}
