import { MESSAGE_BYTES } from "../../work/bounds.ts";
import type { Actor } from "../access/actor.ts";
import { notifyEach } from "../events/notify-each.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import type { Ports } from "../ports.ts";
import { type MessageRole, type ThreadMessage, ThreadRecords } from "./records.ts";

/** Identifies a thread by its user and by a document or a named bundle of documents. */
export interface ThreadKey {
  readonly user: string;
  readonly about: { readonly docId: string } | { readonly bundle: string };
}

/** The context window of a model, in tokens. */
interface TokenBudget {
  readonly maxTokens: number;
  /** The part reserved for the reply. */
  readonly reserveTokens: number;
}

/** The newest message of a user, with the system prompt and the budget of the model that answers. */
interface ContextRequest {
  readonly system: string;
  readonly message: string;
  readonly budget: TokenBudget;
}

/** The messages for a model. */
interface ThreadContext {
  readonly messages: { role: "system" | MessageRole; content: string }[];
  /** The number of older messages that did not fit. */
  readonly dropped: number;
}

/** The time after its last message when a thread expires, in milliseconds. */
const LIFE_MS = 30 * 24 * 3_600_000;
/** The most expired threads that one new message deletes. */
const DELETED_AT_ONCE = 10;
/** The time that a request blocks its thread while it waits for an answer, in milliseconds. */
const ANSWER_MS = 5 * 60_000;
/** The bytes of a token; for most models and scripts this overestimates the number of tokens. */
const TOKEN_BYTES = 3;

/**
 * Stores conversations between people and models (R13). A client sends only the newest message; the model gets that
 * message and as many earlier ones as fit into its window.
 */
export class Threads {
  readonly #ports: Pick<Ports, "store" | "clock" | "report">;
  readonly #records: ThreadRecords;
  readonly #newId: (prefix: string) => string;
  readonly #listeners = new Set<(key: ThreadKey, message: ThreadMessage) => void>();
  /** The start times of the requests that wait for an answer, by thread. */
  readonly #answering = new Map<string, number>();
  readonly #turns = new KeyedQueue();

  constructor(ports: Pick<Ports, "store" | "clock" | "report">, newId: (prefix: string) => string) {
    this.#ports = ports;
    this.#records = new ThreadRecords(ports.store);
    this.#newId = newId;
  }

  /** Calls `listener` with each new message until the returned function is called. */
  listen(listener: (key: ThreadKey, message: ThreadMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the messages of a thread, oldest first. Calls for one thread run in their order. */
  messages(key: ThreadKey): Promise<readonly ThreadMessage[]> {
    return this.#turns.run([idOf(key)], async () => this.#messages(key));
  }

  /** Adds a message. A message of the assistant ends the request that waits for it. */
  append(key: ThreadKey, actor: Actor, role: MessageRole, text: string): Promise<Outcome<ThreadMessage>> {
    return this.#turns.run([idOf(key)], () => this.#append(key, actor, role, text));
  }

  /** Deletes a thread and ends its waiting request. */
  clear(key: ThreadKey): Promise<Refusal | undefined> {
    const id = idOf(key);
    return this.#turns.run([id], () => {
      this.#answering.delete(id);
      return this.#records.delete(id);
    });
  }

  #messages(key: ThreadKey): readonly ThreadMessage[] {
    const id = idOf(key);
    return this.#isExpired(id) ? [] : this.#records.messages(id);
  }

  async #append(
    key: ThreadKey,
    actor: Actor,
    role: MessageRole,
    text: string,
  ): Promise<Outcome<ThreadMessage>> {
    const bytes = Buffer.byteLength(text);
    if (bytes > MESSAGE_BYTES)
      return new Refusal("TOO_LARGE", `the message has ${bytes} bytes; the limit is ${MESSAGE_BYTES}`, {
        suggestion:
          "Nothing was added to the thread. Shorten the message, or write it into a document and refer to that.",
        details: { bytes, limit: MESSAGE_BYTES },
      });
    const now = this.#ports.clock.now();
    const message = {
      id: this.#newId("msg"),
      role,
      text,
      author: actor.name,
      time: new Date(now).toISOString(),
    };
    const id = idOf(key);
    this.#deleteExpired(id);
    const refusal =
      (this.#isExpired(id) ? await this.#records.delete(id) : undefined) ??
      (await this.#records.append(id, key.user, message, now));
    if (refusal !== undefined) return refusal;
    if (role === "assistant") this.#answering.delete(id);
    const { report } = this.#ports;
    notifyEach(this.#listeners, (listener) => listener(key, message), { news: "message", report });
    return message;
  }

  /**
   * Begins a request: adds the user's message and returns the messages for the model. These are the system prompt,
   * the user's message and the newest earlier messages that fit beside them and the reply. If the user's message does
   * not fit, or another request waits for an answer, the thread remains unchanged.
   */
  context(key: ThreadKey, actor: Actor, request: ContextRequest): Promise<Outcome<ThreadContext>> {
    return this.#turns.run([idOf(key)], () => this.#context(key, actor, request));
  }

  async #context(
    key: ThreadKey,
    actor: Actor,
    { system, message, budget }: ContextRequest,
  ): Promise<Outcome<ThreadContext>> {
    const id = idOf(key);
    const now = this.#ports.clock.elapsed();
    const started = this.#answering.get(id);
    if (started !== undefined && now - started < ANSWER_MS)
      return new Refusal("OVERLOADED", "another request on this thread waits for its answer", {
        suggestion: "Wait for the answer (thread.message), or call thread.clear to cancel the request.",
      });
    let left = budget.maxTokens - budget.reserveTokens - tokensOf(system) - tokensOf(message);
    if (left < 0)
      return new Refusal(
        "TOO_LARGE",
        `the message, the system prompt and the reply need ${budget.maxTokens - left} tokens; the limit is ${budget.maxTokens}`,
        {
          suggestion: "Nothing was added to the thread. Shorten the message.",
          details: { message: tokensOf(message), system: tokensOf(system), ...budget },
        },
      );
    const before = this.#messages(key);
    let first = before.length;
    while (first > 0 && tokensOf(before[first - 1]!.text) <= left) left -= tokensOf(before[--first]!.text);
    const added = await this.#append(key, actor, "user", message);
    if (isRefusal(added)) return added;
    this.#answering.set(id, now);
    const messages = [
      { role: "system" as const, content: system },
      ...before.slice(first).map(({ role, text }) => ({ role, content: text })),
      { role: "user" as const, content: message },
    ];
    return { messages, dropped: first };
  }

  /** Deletes some expired threads in the background, except one. */
  #deleteExpired(except: string): void {
    let started = 0;
    for (const { id } of this.#records.heads()) {
      if (started === DELETED_AT_ONCE) return;
      if (id === except || !this.#isExpired(id)) continue;
      started++;
      const failed = (reason: unknown) =>
        this.#ports.report("thread.not_forgotten", { reason: String(reason) });
      this.#turns
        .run([id], async () => (this.#isExpired(id) ? this.#records.delete(id) : undefined))
        .then((refusal) => refusal && failed(refusal.message), failed);
    }
  }

  #isExpired(id: string): boolean {
    const head = this.#records.head(id);
    return head !== undefined && this.#ports.clock.now() - head.active > LIFE_MS;
  }
}

function idOf({ user, about }: ThreadKey): string {
  return JSON.stringify([user, ...Object.entries(about)[0]!]);
}

/** Returns the tokens of a text; the estimate is high rather than low. */
function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);
}
