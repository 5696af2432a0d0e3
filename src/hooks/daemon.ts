import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { ask } from "../client/ask.ts";
import type { Located } from "../client/locate.ts";
import { proofOf } from "../state/daemon-file.ts";
import { readKey } from "../state/key.ts";
import { isSameMac } from "../state/seal.ts";

/** One request of the protocol. */
export interface HookCall {
  readonly method: string;
  readonly params: object;
}

/** The answer to a request: its result, or the code and the text of its refusal. */
export interface HookReply {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly message: string;
    readonly data?: { readonly code?: string; readonly suggestion?: string };
  };
}

/** The longest answer of the daemon that a hook reads, in characters. */
const MOST_ANSWER = 32 << 20;

/** Sends a few requests to a daemon over one connection, as one author. The daemon proves itself first. */
export class HookLine {
  readonly #located: Located;
  readonly #token: string;
  readonly #author: { readonly name: string; readonly session?: string };
  readonly #signal: AbortSignal;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #isProven = false;

  constructor(
    located: Located,
    token: string,
    author: { readonly name: string; readonly session?: string },
    signal: AbortSignal,
  ) {
    this.#located = located;
    this.#token = token;
    this.#author = author;
    this.#signal = signal;
  }

  /** Makes requests one after the other. @throws when no daemon of this user answers in time */
  async send(...calls: readonly HookCall[]): Promise<readonly HookReply[]> {
    await this.#prove();
    const hello = { method: "hello", params: { protocol: 1, agent: this.#author } };
    const body = JSON.stringify([hello, ...calls].map((call, id) => ({ jsonrpc: "2.0", id, ...call })));
    const answers: unknown = JSON.parse(await this.#ask("/rpc", body));
    if (!Array.isArray(answers)) throw new Error("the daemon refused the requests");
    return answers.slice(1) as HookReply[];
  }

  close(): void {
    this.#agent.destroy();
  }

  async #prove(): Promise<void> {
    if (this.#isProven) return;
    const nonce = randomBytes(24).toString("base64url");
    const key = readKey();
    const answer = await this.#ask(`/prove?nonce=${nonce}`);
    if (key === undefined || !isSameMac(answer.trim(), proofOf(key, nonce, this.#located)))
      throw new Error(`${this.#located.url} does not prove to be the daemon`);
    this.#isProven = true;
  }

  async #ask(path: string, body?: string): Promise<string> {
    // The token goes only to a daemon that has proved itself.
    const headers = this.#isProven
      ? { authorization: `Bearer ${this.#token}`, "content-type": "application/json" }
      : {};
    const question = { headers, agent: this.#agent, signal: this.#signal };
    const sent = body === undefined ? question : ({ ...question, method: "POST", body } as const);
    return (await ask(`${this.#located.url}${path}`, MOST_ANSWER, sent)).text;
  }
}
