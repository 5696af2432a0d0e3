import type { Client } from "../client/client.ts";
import { RefusedError } from "../client/errors.ts";
import type { Result } from "../protocol/schemas/schemas.ts";
import type { Answerer, Log } from "./answerer.ts";
import { AnswerFailure } from "./failure.ts";
import { isFor, isNamed } from "./mentions.ts";
import { Turn } from "./turn.ts";

type Thread = Result<"thread.list">["threads"][number];
type Message = Thread["last"];

/** Most attempts to answer one message, after losses of the connection. */
const MOST_TRIES = 3;
/** The pauses before another look at the threads while the daemon cannot serve this agent, in milliseconds. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

interface AttendOptions {
  /** The name under which the agent answers. */
  readonly name: string;
  /**
   * Opens a connection; each answer has one of its own, because the versions that a session has seen decide its merges.
   */
  readonly connect: (reconnect: boolean) => Promise<Client>;
  readonly answerer: Answerer;
  readonly limitMs: number;
  readonly log: Log;
  /** Aborts when this process ends. */
  readonly ended: AbortSignal;
}

/** Answers the threads of a workspace, until its signal aborts or the daemon refuses the connection. */
export async function attend(options: AttendOptions): Promise<void> {
  const client = await options.connect(true);
  const attendant = new Attendant(client, options);
  try {
    await attendant.run();
  } finally {
    await client.close();
  }
}

/** Chooses the threads to answer, and answers each message once. */
class Attendant {
  readonly #client: Client;
  readonly #options: AttendOptions;
  /** The threads that wait for an answer of this agent, in the order in which they came. */
  readonly #queue = new Set<string>();
  readonly #answering = new Map<string, Promise<void>>();
  /** The messages that wait while this agent, or another one, answers an earlier message; by their threads. */
  readonly #called = new Map<string, string>();
  /** The work that finishes answers of an earlier process; no answer begins before its end. */
  #recovering: Promise<void> = Promise.resolve();
  /** The number of attempts for each message. */
  readonly #tries = new Map<string, number>();
  /** The next look at the threads, and the pause before it. */
  #nextLook: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(client: Client, options: AttendOptions) {
    this.#client = client;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { ended } = this.#options;
    const client = this.#client;
    client.on("thread.message", ({ thread, message }) => {
      if (this.#calls(thread.id, message)) this.#called.set(thread.id, message.id);
      this.#consider(thread);
    });
    client.on("thread.changed", ({ thread }) => this.#consider(thread));
    client.on("resync", () => {
      this.#recover();
      void this.#list();
    });
    await client.subscribe({ threads: true });
    this.#recover();
    await this.#list();
    await new Promise<void>((resolve) => {
      ended.addEventListener("abort", () => resolve(), { once: true });
      client.closed.then(resolve, resolve);
      if (ended.aborted) resolve();
    });
    clearTimeout(this.#nextLook);
    await Promise.allSettled(this.#answering.values());
    if (!ended.aborted && client.reason !== undefined) throw client.reason;
  }

  async #list(): Promise<void> {
    try {
      const { threads } = await this.#client.thread.list({ status: "waiting", limit: 1000 });
      for (const thread of threads.reverse()) this.#consider(thread);
    } catch (error) {
      this.#options.log("threads.not_listed", { reason: (error as Error).message });
      this.#lookLater();
    }
  }

  /** Looks at the threads again after a pause, because no event would follow for one that waits. */
  #lookLater(): void {
    if (this.#nextLook !== undefined || this.#options.ended.aborted) return;
    this.#nextLook = setTimeout(() => {
      this.#nextLook = undefined;
      void this.#list();
    }, this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }

  /** Finishes answers that died before their end, once those under way have ended. */
  #recover(): void {
    const { answerer, log } = this.#options;
    if (answerer.recover === undefined) return;
    const underWay = [...this.#answering.values()]; // later ones wait for this
    this.#recovering = this.#recovering
      .then(() => Promise.allSettled(underWay))
      .then(() => answerer.recover?.(this.#client))
      .catch((error: Error) => log("answers.not_recovered", { reason: error.message }));
  }

  /** Answers a thread that waits for this agent. */
  #consider(thread: Thread): void {
    const { id, status, lease, last } = thread;
    const { name } = this.#options;
    if (status !== "open") {
      this.#queue.delete(id);
      this.#called.delete(id);
      return;
    }
    const waits = thread.waiting && !this.#isOwn(last) && isFor(name, last.text) && this.#mayTry(last.id);
    if (lease !== null || !(waits || this.#called.has(id))) return;
    this.#queue.add(id);
    this.#next();
  }

  /** Returns true for a message that waits for this agent beyond the answer under way. */
  #calls(thread: string, message: Message): boolean {
    const { name } = this.#options;
    if (message.role !== "user" || this.#isOwn(message)) return false;
    return isNamed(name, message.text) || (this.#answering.has(thread) && isFor(name, message.text));
  }

  #isOwn({ kind, author }: Pick<Message, "kind" | "author">): boolean {
    return kind === "agent" && author === this.#options.name;
  }

  #mayTry(messageId: string): boolean {
    return (this.#tries.get(messageId) ?? 0) < MOST_TRIES;
  }

  #next(): void {
    for (const thread of this.#queue) {
      if (this.#answering.size >= this.#options.answerer.atOnce || this.#options.ended.aborted) return;
      if (this.#answering.has(thread)) continue; // the end of that answer considers the thread again
      this.#queue.delete(thread);
      const answering = this.#answer(thread).finally(() => {
        this.#answering.delete(thread);
        this.#recover();
        this.#next();
      });
      this.#answering.set(thread, answering);
    }
  }

  async #answer(thread: string): Promise<void> {
    const { connect, log } = this.#options;
    await this.#recovering;
    try {
      const client = await connect(false);
      try {
        await this.#answerWith(client, thread);
      } finally {
        await client.close();
      }
    } catch (error) {
      if (error instanceof RefusedError && "holder" in error.details) return; // another agent answers
      log("thread.not_answered", { thread, reason: (error as Error).message });
      if (!(error instanceof RefusedError) || PASSING.has(error.code)) this.#lookLater();
    }
  }

  /** Acquires the lease of a thread, and answers its message if the message still waits for an answer. */
  async #answerWith(client: Client, thread: string): Promise<void> {
    const { log, ended, limitMs, answerer } = this.#options;
    const lease = await client.thread.lease({ thread });
    const { leaseId, messageId } = lease;
    if (!(await this.#isMine(client, thread, messageId)))
      return void (await client.thread.release({ leaseId }));
    const turn = new Turn({ client, thread, lease, limitMs, ended });
    const told: Log = (event, details) => log(event, { thread, messageId, ...details });
    const began = performance.now();
    told("answer.begun");
    this.#pauseMs = FIRST_PAUSE_MS;
    let failure: AnswerFailure | undefined;
    try {
      await answerer.answer(turn, told);
      turn.signal.throwIfAborted();
    } catch (error) {
      failure = turn.signal.aborted ? (turn.signal.reason as AnswerFailure) : failureOf(error);
    }
    await turn.close(failure);
    this.#tries.delete(messageId);
    const ms = Math.round(performance.now() - began);
    told(failure === undefined ? "answer.ended" : `answer.${failure.kind}`, {
      ms,
      edits: turn.made,
      reason: failure?.message,
    });
  }

  /** Returns true if a message still waits for this agent, and counts the attempt. */
  async #isMine(client: Client, thread: string, messageId: string): Promise<boolean> {
    const { name, log } = this.#options;
    const { messages } = await client.thread.get({ thread, limit: 50 });
    const at = messages.findIndex(({ id }) => id === messageId);
    const after = messages
      .slice(at + 1)
      .filter(({ role, answers }) => role === "assistant" && answers === messageId);
    const isCalled = this.#called.get(thread) === messageId && !after.some(({ author }) => author === name);
    this.#called.delete(thread);
    if ((after.length > 0 && !isCalled) || !this.#mayTry(messageId)) return false;
    const tries = (this.#tries.get(messageId) ?? 0) + 1;
    this.#tries.set(messageId, tries);
    if (tries === MOST_TRIES) log("message.last_try", { thread, messageId, tries });
    return true;
  }
}

/** The codes of refusals after which the daemon may accept the same request later. */
const PASSING: ReadonlySet<RefusedError["code"]> = new Set(["OVERLOADED", "STORAGE_FULL", "INTERNAL"]);

/** Returns the reason of a failed answer for the person who asked. */
function failureOf(error: unknown): AnswerFailure {
  if (error instanceof AnswerFailure) return error;
  return new AnswerFailure(`The answer failed: ${error instanceof Error ? error.message : String(error)}.`);
}
