import type { Params } from "../protocol/schemas/schemas.ts";

export type Part = Params<"thread.part">["parts"][number];
export type ToolPart = Omit<Extract<Part, { kind: "tool" }>, "kind">;
export type PlanStep = Extract<Part, { kind: "plan" }>["steps"][number];

/** The least time between two requests, in which parts gather, in milliseconds: a model sends a part for each word. */
const GATHER_MS = 80;
/** Most parts of one request. */
const MOST_PARTS = 500;

/** Sends the parts of an answer in their order, and joins texts that follow one another. */
export class Parts {
  readonly #send: (parts: Part[]) => Promise<void>;
  #waiting: Part[] = [];
  #timer: NodeJS.Timeout | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #sent: Promise<void> = Promise.resolve();

  /** `send` handles its own failures. */
  constructor(send: (parts: Part[]) => Promise<void>) {
    this.#send = send;
  }

  add(part: Part): void {
    const last = this.#waiting.at(-1);
    const joins =
      (part.kind === "text" || part.kind === "thought") && !part.again && last?.kind === part.kind;
    if (joins) this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + part.text };
    else this.#waiting.push(part);
    const rest = Math.max(0, this.#last + GATHER_MS - performance.now());
    this.#timer ??= setTimeout(() => void this.flush(), rest);
  }

  /** Resolves once every part is sent. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = performance.now();
    while (this.#waiting.length > 0) {
      const parts = this.#waiting.splice(0, MOST_PARTS);
      this.#sent = this.#sent.then(() => this.#send(parts));
    }
    return this.#sent;
  }
}
