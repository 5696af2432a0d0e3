import type { Holder, Service } from "../../src/protocol/service.ts";
import { type Connection, ProtocolSession } from "../../src/protocol/session.ts";
import { REFUSAL_CODES } from "../../src/workspace/outcome/refusal.ts";
import { within } from "../e2e/until.ts";
import { MARKER } from "./lore.ts";

/** An answer that takes longer counts as none. */
const PATIENCE_MS = 30_000;
const CODES: readonly string[] = REFUSAL_CODES;

interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: { readonly errors?: readonly { readonly code: string }[] };
  readonly error?: { readonly message?: string; readonly data?: { readonly code?: string } };
}

/** Somebody's session, to which any text is said; what comes back is looked at as it comes. */
export class Visitor {
  /** What should not have been answered. */
  readonly problems: string[] = [];
  /** How often each code was answered, `ok` among them. */
  readonly codes = new Map<string, number>();
  readonly #session: ProtocolSession;
  readonly #waiting: ((answer: Answer) => void)[] = [];
  readonly #mayKnow: boolean;

  constructor(service: Service, holder: Holder, mayKnow = false) {
    this.#mayKnow = mayKnow;
    const connection: Connection = {
      send: (frame) => this.#hear(frame),
      buffered: 0,
      hold() {},
      close() {},
    };
    this.#session = new ProtocolSession(service, holder, connection);
  }

  /** Says a frame and waits for the answer, where there has to be one. */
  async say(frame: string): Promise<Answer | undefined> {
    if (!isAnswered(frame)) return void this.#session.receive(frame);
    const heard = new Promise<Answer>((resolve) => this.#waiting.push(resolve));
    this.#session.receive(frame);
    const answer = await within("an answer", heard, PATIENCE_MS);
    const code = codeOf(answer);
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    if (code !== "ok" && !CODES.includes(code)) this.problems.push(`untyped (${code}): ${shown(frame)}`);
    if (code === "INTERNAL") this.problems.push(`INTERNAL: ${answer.error?.message} to ${shown(frame)}`);
    return answer;
  }

  ask(method: string, params: object = {}): Promise<Answer | undefined> {
    return this.say(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  }

  close(): void {
    this.#session.close();
  }

  #hear(frame: string): void {
    if (!this.#mayKnow && frame.includes(MARKER)) this.problems.push(`told what is hidden: ${shown(frame)}`);
    const answer = JSON.parse(frame) as Answer;
    if (answer.method === undefined) this.#waiting.shift()?.(answer);
  }
}

/** Notifications have no answer; all else has one, what cannot be read, too. */
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

function shown(frame: string): string {
  return frame.length > 400 ? `${frame.slice(0, 300)} … ${frame.slice(-90)}` : frame;
}
