import { once } from "node:events";
import { WebSocket } from "ws";
import { atEnd } from "../cleanup.ts";
import { within } from "../until.ts";
import type { Frame } from "../wire.ts";

/** The milliseconds after which an attack is treated as never answered. */
const PATIENCE_MS = 60_000;

/** The answer to an attack: `ok`, a refusal's code, or `closed` and the close code. */
export type Verdict = string;

/** A bare connection that sends frames that no client would, and waits long. */
export class Attacker {
  readonly ws: WebSocket;
  readonly #waiting = new Map<number, (frame: Frame) => void>();
  readonly #unnumbered: ((frame: Frame) => void)[] = [];
  readonly #closed: Promise<number>;
  #ids = 0;

  private constructor(ws: WebSocket) {
    this.ws = ws;
    this.#closed = new Promise((done) => ws.once("close", done));
    ws.on("message", (data: Buffer) => this.#hear(data));
    ws.on("error", () => undefined); // it closes, for which the test waits
  }

  static async with(rpc: string, token: string): Promise<Attacker> {
    const ws = new WebSocket(rpc, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    atEnd(() => ws.terminate());
    const attacker = new Attacker(ws);
    await within("the attacker connects", once(ws, "open"));
    await attacker.ask("hello", { protocol: 1, agent: { name: "attacker" } });
    return attacker;
  }

  /** Returns the whole answer; undefined when the connection was closed instead. */
  ask(method: string, params: string | object): Promise<Frame | undefined> {
    const json = typeof params === "string" ? params : JSON.stringify(params);
    const id = ++this.#ids;
    const answer = new Promise<Frame>((heard) => void this.#waiting.set(id, heard));
    this.ws.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${json}}`);
    return this.#orClosed(method, answer);
  }

  async verdict(method: string, params: string | object): Promise<Verdict> {
    return this.#verdictOf(await this.ask(method, params));
  }

  /** Sends a frame unchanged; its answer may have the id `null`. */
  async raw(frame: string | Uint8Array): Promise<Verdict> {
    const answer = new Promise<Frame>((heard) => void this.#unnumbered.push(heard));
    this.ws.send(frame);
    return this.#verdictOf(await this.#orClosed("a raw frame", answer));
  }

  async #verdictOf(frame: Frame | undefined): Promise<Verdict> {
    if (frame === undefined) return `closed ${await this.#closed}`;
    return frame.error === undefined ? "ok" : (frame.error.data?.code ?? `untyped ${frame.error.code}`);
  }

  #orClosed(what: string, answer: Promise<Frame>): Promise<Frame | undefined> {
    const closed = this.#closed.then(() => undefined);
    return within(`an answer to ${what}`, Promise.race([answer, closed]), PATIENCE_MS);
  }

  #hear(data: Buffer): void {
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.method !== undefined) return;
    const numbered = typeof frame.id === "number" ? this.#waiting.get(frame.id) : undefined;
    if (numbered !== undefined) this.#waiting.delete(frame.id as number);
    const heard = numbered ?? this.#unnumbered.shift();
    heard?.(frame);
  }
}

/** Returns one verdict for many: each kind with its count. */
export function tally(verdicts: readonly Verdict[]): Verdict {
  const counts = new Map<Verdict, number>();
  for (const verdict of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  if (counts.size === 1) return verdicts[0]!;
  return [...counts].map(([verdict, count]) => `${verdict}×${count}`).join(" ");
}
