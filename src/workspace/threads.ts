import type { Store } from "../store/store.ts";
import type { Actor } from "./actor.ts";
import type { Ports } from "./context.ts";
import { InOrder } from "./in-order.ts";
import { type Outcome, Refusal } from "./refusal.ts";

export type Role = "user" | "assistant";

export interface ThreadMessage {
  readonly id: string;
  readonly role: Role;
  readonly text: string;
  readonly author: string;
  /** ISO 8601. */
  readonly time: string;
}

/** Whose conversation it is, and about what: a document, or a bundle of several under a name. */
export interface ThreadKey {
  readonly user: string;
  readonly about: { readonly docId: string } | { readonly bundle: string };
}

interface Kept {
  readonly id: string;
  readonly user: string;
  readonly messages: readonly ThreadMessage[];
  /** Of the last message; milliseconds since the epoch. */
  readonly active: number;
}

/** What a model can take, in tokens. */
export interface Budget {
  readonly maxTokens: number;
  /** Kept free for the reply. */
  readonly reserveTokens: number;
}

/** A person's newest message, and what it is to be answered with. */
export interface Asked {
  readonly system: string;
  readonly message: string;
  readonly budget: Budget;
}

/** What a model is given; `dropped` tells how many older messages did not fit. */
export interface Given {
  readonly messages: { role: "system" | Role; content: string }[];
  readonly dropped: number;
}

/** A thread is forgotten so long after its last message; milliseconds. */
const LIFE_MS = 30 * 24 * 3_600_000;
/** The oldest messages go beyond so many (I15). */
const MOST = 1000;
/** Whoever was to answer and has not by then is not waited for any more; milliseconds. */
const ANSWER_MS = 5 * 60_000;
/** Bytes of text that count as a token: on the safe side for most models and scripts. */
const TOKEN_BYTES = 3;

/**
 * Conversations of people with whatever answers them (R13): kept here, so that a client sends only the newest
 * message and whoever answers gets as much of what came before as fits.
 */
export class Threads {
  readonly #ports: Ports;
  readonly #newId: (prefix: string) => string;
  readonly #listeners = new Set<(key: ThreadKey, message: ThreadMessage) => void>();
  /** Threads with a request under way, and since when. */
  readonly #answering = new Map<string, number>();
  readonly #turns = new InOrder();

  constructor(ports: Ports, newId: (prefix: string) => string) {
    this.#ports = ports;
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
  append(key: ThreadKey, actor: Actor, role: Role, text: string): Promise<ThreadMessage> {
    return this.#turns.run([idOf(key)], () => this.#append(key, actor, role, text));
  }

  clear(key: ThreadKey): Promise<void> {
    const id = idOf(key);
    return this.#turns.run([id], async () => {
      this.#answering.delete(id);
      await this.#store.shelve({ shelf: "threads", id, record: null });
    });
  }

  #messages(key: ThreadKey): readonly ThreadMessage[] {
    const kept = this.#store.shelved("threads", idOf(key)) as Kept | undefined;
    return kept === undefined || this.#isOver(kept) ? [] : kept.messages;
  }

  async #append(key: ThreadKey, actor: Actor, role: Role, text: string): Promise<ThreadMessage> {
    const now = this.#ports.clock.now();
    const message = {
      id: this.#newId("msg"),
      role,
      text,
      author: actor.name,
      time: new Date(now).toISOString(),
    };
    const messages = [...this.#messages(key), message].slice(-MOST);
    const id = idOf(key);
    const record: Kept = { id, user: key.user, messages, active: now };
    await this.#forgetOld();
    await this.#store.shelve({ shelf: "threads", id, record });
    if (role === "assistant") this.#answering.delete(id);
    for (const listener of this.#listeners) listener(key, message);
    return message;
  }

  /**
   * Begins a request: adds the person's message and answers what a model is to be given, which is all of the
   * system prompt and the newest messages that fit beside it and the reply. Where the newest alone does not fit,
   * or another request is under way, the thread stays as it is.
   */
  context(key: ThreadKey, actor: Actor, asked: Asked): Promise<Outcome<Given>> {
    return this.#turns.run([idOf(key)], () => this.#context(key, actor, asked));
  }

  async #context(key: ThreadKey, actor: Actor, { system, message, budget }: Asked): Promise<Outcome<Given>> {
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
    await this.#append(key, actor, "user", message);
    this.#answering.set(id, now);
    const messages = [
      { role: "system" as const, content: system },
      ...before.slice(first).map(({ role, text }) => ({ role, content: text })),
      { role: "user" as const, content: message },
    ];
    return { messages, dropped: first };
  }

  get #store(): Store {
    return this.#ports.store;
  }

  #isOver({ active }: Kept): boolean {
    return this.#ports.clock.now() - active > LIFE_MS;
  }

  async #forgetOld(): Promise<void> {
    const old = ([...this.#store.shelf("threads")] as Kept[]).filter((kept) => this.#isOver(kept));
    await this.#store.shelve(...old.map(({ id }) => ({ shelf: "threads", id, record: null }) as const));
  }
}

function idOf({ user, about }: ThreadKey): string {
  return JSON.stringify([user, ...Object.entries(about)[0]!]);
}

/** How much of a model's window a text takes; an estimate that is rather too high. */
function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);
}
