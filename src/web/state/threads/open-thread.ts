import { type ReadonlySignal, signal } from "@preact/signals";
import { type Client, RefusedError } from "../../../client/browser.ts";
import type { NotificationParams, Result } from "../../../protocol/schemas/schemas.ts";
import { attempt } from "../base/messages.ts";
import { begunAnswer, withParts } from "./answer-draft.ts";
import type { AnswerDraft, ThreadMessage, ThreadSummary } from "./thread-types.ts";

/** A thread as the page follows it. */
export type OpenThread =
  | { readonly is: "loading" }
  | ({ readonly is: "open" } & Result<"thread.get">)
  /** The thread is deleted, or the person may not see it. */
  | { readonly is: "gone"; readonly why: string };

const ENDS: Readonly<Record<string, string>> = {
  cleared: "This thread was deleted.",
  expired: "This thread has expired after 30 days without a message.",
};

const NOT_FOUND = "It was deleted, or you may not read all of its documents.";

/** Follows a thread with its messages and the answer under way, until `close`. */
export class ThreadFeed {
  readonly #client: Client;
  readonly #id: string;
  readonly #state = signal<OpenThread>({ is: "loading" });
  readonly #ends: readonly (() => void)[];
  /** The number of the newest request; answers to earlier ones are ignored. */
  #request = 0;

  constructor(client: Client, id: string) {
    this.#client = client;
    this.#id = id;
    this.#ends = [
      client.on("thread.part", (event) => {
        if (event.thread === id) this.#add(event);
      }),
      client.on("thread.message", ({ thread, message }) => {
        if (thread.id === id) this.#put(thread, message);
      }),
      client.on("thread.changed", ({ thread }) => {
        if (thread.id === id) this.#change(thread);
      }),
      client.on("resync", ({ threads = [] }) => {
        if (threads.includes(id)) void this.reload();
      }),
    ];
    void this.#begin();
  }

  get state(): ReadonlySignal<OpenThread> {
    return this.#state;
  }

  /** Reads the newest messages and the answer under way. */
  async reload(): Promise<void> {
    const request = ++this.#request;
    try {
      const read = await this.#client.thread.get({ thread: this.#id });
      if (request !== this.#request) return;
      const before = this.#state.value;
      const draft = before.is === "open" ? newer(before.draft, read.draft) : read.draft;
      this.#state.value = { is: "open", ...read, draft: draft ?? begunAnswer(read.thread) };
    } catch (error) {
      // After a lost connection the client sends `resync`, and the thread is read again.
      if (request === this.#request && error instanceof RefusedError)
        this.#state.value = { is: "gone", why: error.code === "NOT_FOUND" ? NOT_FOUND : error.message };
    }
  }

  /** Loads the messages before the first one. */
  async loadOlder(): Promise<void> {
    const { value: state } = this.#state;
    const first = state.is === "open" ? state.messages[0] : undefined;
    if (first === undefined) return;
    const older = await attempt("Could not load older messages", () =>
      this.#client.thread.get({ thread: this.#id, before: first.id }),
    );
    const { value: now } = this.#state;
    if (older === undefined || now.is !== "open" || now.messages[0]?.id !== first.id) return;
    this.#state.value = { ...now, messages: [...older.messages, ...now.messages], more: older.more };
  }

  close(): void {
    this.#request++;
    for (const end of this.#ends) end();
    this.#client.unsubscribe({ thread: this.#id }).catch(() => undefined); // the connection's end ends it, too
  }

  async #begin(): Promise<void> {
    const subscribed = this.#client.subscribe({ thread: this.#id });
    await subscribed.catch(() => undefined); // the request below says why the thread is not there
    await this.reload();
  }

  #add(event: NotificationParams<"thread.part">): void {
    const { value: state } = this.#state;
    if (state.is !== "open") return;
    const draft = withParts(state.draft, event);
    if (draft === undefined) void this.reload();
    else this.#state.value = { ...state, draft };
  }

  #put(thread: ThreadSummary, message: ThreadMessage): void {
    const { value: state } = this.#state;
    if (state.is !== "open") return;
    const at = state.messages.findIndex(({ id }) => id === message.id);
    // An older message that is not loaded may have got a change.
    const isOld = at < 0 && state.messages.some(({ time }) => time > message.time);
    const messages =
      at >= 0 ? state.messages.with(at, message) : isOld ? state.messages : [...state.messages, message];
    const ends = message.role === "assistant" && message.answers === state.draft?.messageId;
    this.#state.value = { ...state, thread, messages, draft: ends ? null : state.draft };
    // A new message may have an anchor, which only the whole thread has.
    if (at < 0 && message.role === "user") void this.reload();
  }

  #change(thread: ThreadSummary): void {
    const { value: state } = this.#state;
    const why = ENDS[thread.status];
    if (why !== undefined) {
      this.#request++;
      this.#state.value = { is: "gone", why };
    } else if (state.is === "open") {
      const same = state.draft !== null && state.draft.messageId === thread.lease?.messageId;
      this.#state.value = { ...state, thread, draft: same ? state.draft : begunAnswer(thread) };
    }
  }
}

/** Returns the longer one of two states of an answer; of two answers, the one that was read last. */
function newer(known: AnswerDraft | null, read: AnswerDraft | null): AnswerDraft | null {
  if (known === null || read === null || known.messageId !== read.messageId) return read;
  return known.index > read.index ? known : read;
}
