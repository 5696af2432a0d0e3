import type { Client } from "../client/client.ts";
import type { Result } from "../protocol/schemas/schemas.ts";
import { AnswerFailure } from "./failure.ts";
import { type Part, Parts, type PlanStep, type ToolPart } from "./parts.ts";

/** The pause between two renewals of the lease, in milliseconds; the lease lasts 60 seconds. */
const RENEW_MS = 15_000;
/** The most characters of text and thoughts in one answer. The daemon accepts 1 MB in all. */
const MOST_TEXT = 400_000;
/** Most tool calls that an answer shows. */
const MOST_TOOLS = 1_000;
/** Most changes that the end of an answer names. */
const MOST_CHANGES = 1_000;
/** Most characters of a sentence about a tool call or a step. */
const MOST_TITLE = 300;

interface TurnOptions {
  readonly client: Client;
  readonly thread: string;
  readonly lease: Result<"thread.lease">;
  /** The time limit of the answer, in milliseconds. */
  readonly limitMs: number;
  /** Aborts when this process ends. */
  readonly ended: AbortSignal;
}

/**
 * One answer under way: it sends the model's text and tool calls to the thread, and renews the lease. `signal` aborts,
 * with an AnswerFailure, when a person stops the answer, when its time is over, and when the daemon refuses more of it.
 */
export class Turn {
  readonly client: Client;
  readonly thread: string;
  readonly messageId: string;
  readonly leaseId: string;
  /** The number of edits and proposals that were made for this answer. */
  made = 0;
  /** The changes that were made for this answer and do not name its message. */
  readonly changeIds: string[] = [];
  readonly #ending = new AbortController();
  readonly #parts: Parts;
  readonly #cleanUp: (() => void)[];
  readonly #tools = new Set<string>();
  /** The characters of the answer's text. */
  #text = 0;
  /** The characters of text and thoughts. */
  #shown = 0;

  constructor({ client, thread, lease, limitMs, ended }: TurnOptions) {
    this.client = client;
    this.thread = thread;
    this.messageId = lease.messageId;
    this.leaseId = lease.leaseId;
    this.#parts = new Parts((parts) => this.#send(parts));
    const renewal = setInterval(() => void this.#renew(), RENEW_MS);
    const limit = setTimeout(
      () => this.end(new AnswerFailure(`The answer took longer than its limit of ${limitMs / 1000} s.`)),
      limitMs,
    );
    const leave = () => this.end(new AnswerFailure("The agent was ended.", "stopped"));
    ended.addEventListener("abort", leave, { once: true });
    this.#cleanUp = [
      () => clearInterval(renewal),
      () => clearTimeout(limit),
      () => ended.removeEventListener("abort", leave),
      client.on("thread.stop", ({ leaseId, by }) => {
        if (leaseId === this.leaseId) this.end(new AnswerFailure(`${by} stopped the answer.`, "stopped"));
      }),
      client.on("thread.changed", ({ thread: { id, status } }) => {
        if (id === thread && (status === "cleared" || status === "expired"))
          this.end(new AnswerFailure("The thread was deleted.", "stopped"));
      }),
      client.on("state", (state) => {
        if (state === "closed") this.end(new AnswerFailure("The connection to the daemon was lost."));
      }),
    ];
    if (ended.aborted) leave();
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The ids that each edit names. */
  get answers(): { readonly thread: string; readonly messageId: string } {
    return { thread: this.thread, messageId: this.messageId };
  }

  say(text: string): void {
    this.#add("text", text);
  }

  /** Adds a paragraph of this process itself, also to an answer that has ended early. */
  note(text: string): void {
    this.#text += text.length;
    this.#parts.add({ kind: "text", text: `\n\n${text}\n\n`.toWellFormed() });
  }

  think(text: string): void {
    this.#add("thought", text);
  }

  plan(steps: readonly PlanStep[]): void {
    const shown = steps.slice(0, 200).map(({ text, status }) => ({ text: short(text), status }));
    this.#parts.add({ kind: "plan", steps: shown });
  }

  /** Shows a tool call, or its newest state. */
  tool({ id, title, status, paths }: ToolPart): void {
    if (!this.#tools.has(id) && this.#tools.size >= MOST_TOOLS)
      this.end(new AnswerFailure(`The model called more than ${MOST_TOOLS} tools.`));
    else {
      this.#tools.add(id);
      this.#parts.add({ kind: "tool", id, title: short(title), status, ...(paths?.length && { paths }) });
    }
  }

  /** Ends the answer early. */
  end(failure: AnswerFailure): void {
    this.#ending.abort(failure);
  }

  /** Ends the answer: stores it, with a sentence about the missing part if it is incomplete. */
  async close(failure: AnswerFailure | undefined): Promise<void> {
    for (const cleanUp of this.#cleanUp) cleanUp();
    if (failure !== undefined) {
      const before = this.#text > 0 ? "\n\n" : "";
      const text = `${before}${failure.message} ${this.#effect()}`.toWellFormed();
      this.#parts.add({ kind: "text", text });
    }
    await this.#parts.flush();
    const { client, thread, leaseId, changeIds } = this;
    await client.thread.append({
      thread,
      role: "assistant",
      leaseId,
      ...(failure !== undefined && { incomplete: failure.kind }),
      ...(failure === undefined && this.#text === 0 && { text: this.#wordless() }),
      ...(changeIds.length > 0 && { changeIds: changeIds.slice(-MOST_CHANGES) }),
    });
  }

  /** Returns a sentence about the changes of an incomplete answer. */
  #effect(): string {
    if (this.made === 0) return "It changed nothing. Your message is kept; write again to try again.";
    const edits = this.made === 1 ? "One edit was" : `${this.made} edits were`;
    return `${edits} made before that, and stay. Look at them with: spliced history`;
  }

  #wordless(): string {
    return this.made > 0 ? "Done." : "The model answered without a word, and changed nothing.";
  }

  #add(kind: "text" | "thought", text: string): void {
    if (text === "" || this.signal.aborted) return;
    this.#text += kind === "text" ? text.length : 0;
    this.#shown += text.length;
    if (this.#shown > MOST_TEXT)
      this.end(new AnswerFailure(`The model said more than ${MOST_TEXT} characters.`));
    else this.#parts.add({ kind, text: text.toWellFormed() });
  }

  async #send(parts: Part[]): Promise<void> {
    await this.#lease(() => this.client.thread.part({ leaseId: this.leaseId, parts }));
  }

  async #renew(): Promise<void> {
    const { thread, leaseId } = this;
    await this.#lease(() => this.client.thread.lease({ thread, leaseId }));
  }

  /** Makes a request that renews the lease; a refusal ends the answer. */
  async #lease(request: () => Promise<{ readonly stopping: boolean }>): Promise<void> {
    try {
      const { stopping } = await request();
      if (stopping) this.end(new AnswerFailure("The answer was stopped.", "stopped"));
    } catch (error) {
      this.end(new AnswerFailure(`The daemon took no more of the answer: ${(error as Error).message}.`));
    }
  }
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim().toWellFormed();
  return line.length > MOST_TITLE ? `${line.slice(0, MOST_TITLE - 1).toWellFormed()}…` : line;
}
