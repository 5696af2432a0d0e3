import type { WireError } from "../protocol/errors.ts";
import { type DisconnectedError, RefusedError } from "./errors.ts";

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The caller's half of one session over any wire: requests under way, and what is told. Does no I/O. */
export class Calls {
  readonly #send: (frame: string) => void;
  readonly #told: (method: string, params: never) => void;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;

  /** `send` takes frames out, `told` hears each notification. */
  constructor(send: (frame: string) => void, told: (method: string, params: never) => void) {
    this.#send = send;
    this.#told = told;
  }

  call(method: string, params: object): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  receive(frame: string): void {
    const message = JSON.parse(frame) as {
      id?: number | null;
      method?: string;
      params?: never;
      result?: unknown;
      error?: WireError;
    };
    if (message.method !== undefined) this.#told(message.method, message.params!);
    const waiting = typeof message.id === "number" ? this.#waiting.get(message.id) : undefined;
    if (waiting === undefined) return;
    this.#waiting.delete(message.id as number);
    if (message.error !== undefined) waiting.reject(new RefusedError(message.error));
    else waiting.resolve(message.result);
  }

  /** The wire is gone: nothing under way will be answered. */
  end(error: DisconnectedError): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
