import { MESSAGE_BYTES } from "../../work/bounds.ts";
import type { Actor } from "../access/actor.ts";
import { notifyEach } from "../events/notify-each.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import type { Ports } from "../ports.ts";
import { type MessageRole, type ThreadMessage, ThreadRecords } from "./records.ts";

/** Whose conversation it is, and about what: a document, or a bundle of several under a name. */
export interface ThreadKey {
  readonly user: string;
  readonly about: { readonly docId: string } | { readonly bundle: string };
}

/** What a model can take, in tokens. */
export interface TokenBudget {
  readonly maxTokens: number;
  /** Kept free for the reply. */
  readonly reserveTokens: number;
}

/** A person's newest message, and what it is to be answered with. */
export interface ContextRequest {
  readonly system: string;
  readonly message: string;
  readonly budget: TokenBudget;
}

/** What a model is given; `dropped` tells how many older messages did not fit. */
export interface ThreadContext {
  readonly messages: { role: "system" | MessageRole; content: string }[];
  readonly dropped: number;
}

/** A thread is forgotten so long after its last message; milliseconds. */
const LIFE_MS = 30 * 24 * 3_600_000;
/** Threads that are over and are forgotten when a message comes. */
const FORGOTTEN_AT_ONCE = 10;
/** Whoever was to answer and has not by then is not waited for any more; milliseconds. */
const ANSWER_MS = 5 * 60_000;
/** Bytes of text that count as a token: on the safe side for most models and scripts. */
const TOKEN_BYTES = 3;

/**
 * Conversations of people with whatever answers them (R13): kept here, so that a client sends only the newest
 * message and whoever answers gets as much of what came before as fits.
 */
export class Threads {
  readonly #ports: Pick<Ports, "store" | "clock" | "report">;
  readonly #records: ThreadRecords;
  readonly #newId: (prefix: string) => string;
  readonly #listeners = new Set<(key: ThreadKey, message: ThreadMessage) => void>();
  /** Threads with a request under way, and since when. */
  readonly #answering = new Map<string, number>();
  readonly #turns = new KeyedQueue();

  constructor(ports: Pick<Ports, "store" | "clock" | "report">, newId: (prefix: string) => string) {
    this.#ports = ports;
    this.#records = new ThreadRecords(ports.store);
    this.#newId = newId;
  }

  /** Calls back with every new message, until the answer is called. */
  listen(listener: (key: ThreadKey, message: ThreadMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Oldest first. What is asked of one thread is done in the order in which it was asked. */
  messages(key: ThreadKey): Promise<readonly ThreadMessage[]> {
    return this.#turns.run([idOf(key)], async () => this.#messages(key));
  }

  /** Adds a message; an answer ends the request that it was waited for by. */
  append(key: ThreadKey, actor: Actor, role: MessageRole, text: string): Promise<Outcome<ThreadMessage>> {
    return this.#turns.run([idOf(key)], () => this.#append(key, actor, role, text));
  }

  clear(key: ThreadKey): Promise<Refusal | undefined> {
    const id = idOf(key);
    return this.#turns.run([id], () => {
      this.#answering.delete(id);
      return this.#records.delete(id);
    });
  }

  #messages(key: ThreadKey): readonly ThreadMessage[] {
    const id = idOf(key);
    return this.#isOver(id) ? [] : this.#records.messages(id);
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
        suggestion: "Shorten it, or write it into a document and name that. Nothing was added to the thread.",
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
    this.#forgetOld(id);
    const refusal =
      (this.#isOver(id) ? await this.#records.delete(id) : undefined) ??
      (await this.#records.append(id, key.user, message, now));
    if (refusal !== undefined) return refusal;
    if (role === "assistant") this.#answering.delete(id);
    const { report } = this.#ports;
    notifyEach(this.#listeners, (listener) => listener(key, message), { news: "message", report });
    return message;
  }

  /**
   * Begins a request: adds the person's message and answers what a model is to be given, which is all of the
   * system prompt and the newest messages that fit beside it and the reply. Where the newest alone does not fit,
   * or another request is under way, the thread stays as it is.
   */
  context(key: ThreadKey, actor: Actor, asked: ContextRequest): Promise<Outcome<ThreadContext>> {
    return this.#turns.run([idOf(key)], () => this.#context(key, actor, asked));
  }

  async #context(
    key: ThreadKey,
    actor: Actor,
    { system, message, budget }: ContextRequest,
  ): Promise<Outcome<ThreadContext>> {
    const id = idOf(key);
    const now = this.#ports.clock.elapsed();
    const begun = this.#answering.get(id);
    if (begun !== undefined && now - begun < ANSWER_MS)
      return new Refusal("OVERLOADED", "a request on this thread is under way", {
        suggestion: "Wait for its answer (thread.message), or call thread.clear to give it up.",
      });
    let left = budget.maxTokens - budget.reserveTokens - tokensOf(system) - tokensOf(message);
    if (left < 0)
      return new Refusal(
        "TOO_LARGE",
        `the message, the system prompt and the reply take ${budget.maxTokens - left} tokens; there are ${budget.maxTokens}`,
        {
          suggestion: "Shorten the message. Nothing was added to the thread.",
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

  /** Forgets some of the threads that are over, each in its turn; whoever adds a message does not wait for it. */
  #forgetOld(except: string): void {
    let begun = 0;
    for (const { id } of this.#records.heads()) {
      if (begun === FORGOTTEN_AT_ONCE) return;
      if (id === except || !this.#isOver(id)) continue;
      begun++;
      const failed = (reason: unknown) =>
        this.#ports.report("thread.not_forgotten", { reason: String(reason) });
      this.#turns
        .run([id], async () => (this.#isOver(id) ? this.#records.delete(id) : undefined))
        .then((refusal) => refusal && failed(refusal.message), failed);
    }
  }

  #isOver(id: string): boolean {
    const head = this.#records.head(id);
    return head !== undefined && this.#ports.clock.now() - head.active > LIFE_MS;
  }
}

function idOf({ user, about }: ThreadKey): string {
  return JSON.stringify([user, ...Object.entries(about)[0]!]);
}

/** How much of a model's window a text takes; an estimate that is rather too high. */
function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);
}
