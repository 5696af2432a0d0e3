import { isJsonObject } from "../json-object.ts";
import type { WireError } from "../protocol/base/errors.ts";
import { stringifyExactly } from "../text/exact-json.ts";
import { type DisconnectedError, RefusedError } from "./errors.ts";

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Message {
  readonly id?: number | null;
  readonly method?: string;
  readonly params?: never;
  readonly result?: unknown;
  readonly error?: WireError;
}

/** The calls under way over one wire, and the notifications that arrive over it. Does no I/O. */
export class Calls {
  readonly #send: (frame: string) => void;
  readonly #onNotification: (method: string, params: never) => void;
  readonly #pending = new Map<number, PendingCall>();
  #nextId = 0;

  /** `send` sends a frame; `onNotification` receives each notification. */
  constructor(send: (frame: string) => void, onNotification: (method: string, params: never) => void) {
    this.#send = send;
    this.#onNotification = onNotification;
  }

  call(method: string, params: object): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send(stringifyExactly({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /**
   * Reads one frame. Returns false when the frame is no message of the protocol, so its sender is no daemon.
   */
  receive(frame: string): boolean {
    const message = messageIn(frame);
    if (message === undefined) return false;
    if (message.method !== undefined) this.#onNotification(message.method, message.params!);
    const waiting = typeof message.id === "number" ? this.#pending.get(message.id) : undefined;
    if (waiting === undefined) return true;
    this.#pending.delete(message.id as number);
    if (message.error !== undefined) waiting.reject(new RefusedError(message.error));
    else waiting.resolve(message.result);
    return true;
  }

  /** Rejects every call under way: the wire has ended. */
  end(error: DisconnectedError): void {
    for (const waiting of this.#pending.values()) waiting.reject(error);
    this.#pending.clear();
  }
}

/** Returns the message in a frame, checked just far enough to recognize a daemon's messages. */
function messageIn(frame: string): Message | undefined {
  let message: unknown;
  try {
    message = JSON.parse(frame);
  } catch {
    return undefined;
  }
  if (!isJsonObject(message)) return undefined;
  const { method, params, error } = message;
  if (method !== undefined && (typeof method !== "string" || !isJsonObject(params))) return undefined;
  if (error !== undefined && !(isJsonObject(error) && isJsonObject(error["data"]))) return undefined;
  return message as Message;
}
