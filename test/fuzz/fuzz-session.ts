import type { Holder, Service } from "../../src/protocol/service/service.ts";
import { type Connection, ProtocolSession } from "../../src/protocol/session/session.ts";
import { REFUSAL_CODES } from "../../src/workspace/outcome/refusal.ts";
import { within } from "../e2e/until.ts";
import { MARKER } from "./known-values.ts";

/** Longest time for an answer, in milliseconds. */
const ANSWER_MS = 30_000;
const CODES: readonly string[] = REFUSAL_CODES;

interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: { readonly errors?: readonly { readonly code: string }[] };
  readonly error?: { readonly message?: string; readonly data?: { readonly code?: string } };
}

/** A session that sends arbitrary frames and checks each answer. */
export class FuzzSession {
  /** Descriptions of forbidden answers. */
  readonly problems: string[] = [];
  /** Number of answers by code, with `ok` among them. */
  readonly codes = new Map<string, number>();
  readonly #session: ProtocolSession;
  readonly #waiting: ((answer: Answer) => void)[] = [];
  readonly #mayReadHidden: boolean;

  constructor(service: Service, holder: Holder, mayReadHidden = false) {
    this.#mayReadHidden = mayReadHidden;
    const connection: Connection = {
      send: (frame) => this.#receive(frame),
      buffered: 0,
      hold() {},
      close() {},
    };
    this.#session = new ProtocolSession(service, holder, connection);
  }

  /** Sends a frame and waits for its answer, if it must have one. */
  async send(frame: string): Promise<Answer | undefined> {
    if (!isAnswered(frame)) return void this.#session.receive(frame);
    const heard = new Promise<Answer>((resolve) => this.#waiting.push(resolve));
    this.#session.receive(frame);
    const answer = await within("an answer", heard, ANSWER_MS);
    const code = codeOf(answer);
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    if (code !== "ok" && !CODES.includes(code))
      this.problems.push(`untyped (${code}): ${abbreviated(frame)}`);
    if (code === "INTERNAL")
      this.problems.push(`INTERNAL: ${answer.error?.message} to ${abbreviated(frame)}`);
    return answer;
  }

  ask(method: string, params: object = {}): Promise<Answer | undefined> {
    return this.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  }

  close(): void {
    this.#session.close();
  }

  #receive(frame: string): void {
    if (!this.#mayReadHidden && frame.includes(MARKER))
      this.problems.push(`told what is hidden: ${abbreviated(frame)}`);
    const answer = JSON.parse(frame) as Answer;
    if (answer.method === undefined) this.#waiting.shift()?.(answer);
  }
}

/** True for a frame that must have an answer: all but notifications. */
function isAnswered(frame: string): boolean {
  try {
    const { jsonrpc, id, method, params } = JSON.parse(frame) as Record<string, unknown>;
    const byName = typeof params === "object" && params !== null && !Array.isArray(params);
    const sound = jsonrpc === "2.0" && typeof method === "string" && (params === undefined || byName);
    return id !== undefined || !sound;
  } catch {
    return true;
  }
}

function codeOf({ error, result }: Answer): string {
  if (error !== undefined) return error.data?.code ?? "none";
  return result?.errors?.[0]?.code ?? "ok";
}

function abbreviated(frame: string): string {
  return frame.length > 400 ? `${frame.slice(0, 300)} … ${frame.slice(-90)}` : frame;
}
