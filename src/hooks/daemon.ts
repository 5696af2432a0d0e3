import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { ask } from "../client/ask.ts";
import { type BriefCall, sendBriefly } from "../client/brief.ts";
import type { Located } from "../client/locate.ts";
import { proofOf } from "../state/daemon-file.ts";
import { readKey } from "../state/key.ts";
import { isSameMac } from "../state/seal.ts";

/** The answer to a request: its result, or the code and the text of its refusal. */
export interface HookReply {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly message: string;
    readonly data?: { readonly code?: string; readonly suggestion?: string | undefined };
  };
}

/** The longest answers of the daemon that a hook reads, in characters. */
const MOST_PROOF = 1_024;
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
  async send(...calls: readonly BriefCall[]): Promise<readonly HookReply[]> {
    await this.#prove(); // the token goes only to a daemon that has proved itself
    const address = { url: this.#located.url, token: this.#token };
    const greeting = { protocol: 1, agent: this.#author };
    return (await sendBriefly(address, greeting, calls, MOST_ANSWER, this.#how)).slice(1);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #prove(): Promise<void> {
    if (this.#isProven) return;
    const nonce = randomBytes(24).toString("base64url");
    const key = readKey();
    const { text } = await ask(`${this.#located.url}/prove?nonce=${nonce}`, MOST_PROOF, this.#how);
    if (key === undefined || !isSameMac(text.trim(), proofOf(key, nonce, this.#located)))
      throw new Error(`${this.#located.url} does not prove to be the daemon`);
    this.#isProven = true;
  }

  get #how() {
    return { agent: this.#agent, signal: this.#signal };
  }
}
