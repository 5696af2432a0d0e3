import type { WireError } from "../protocol/errors.ts";
import type { Method, Notification, NotificationParams, Params, Result } from "../protocol/schemas.ts";

/** A request was refused; `code` is the protocol's name for why. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: WireError["data"]["code"];
  readonly details: WireError["data"]["details"];
  readonly suggestion: string | undefined;

  constructor(error: WireError) {
    super(error.message);
    this.code = error.data.code;
    this.details = error.data.details;
    this.suggestion = error.data.suggestion;
  }
}

/** The connection ended, or never began; whether requests under way were done is not known. */
export class DisconnectedError extends Error {
  override readonly name = "DisconnectedError";
}

export type Listener<N extends Notification> = (params: NotificationParams<N>) => void;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The caller's half of a session over any wire: requests under way, and who listens to what. Does no I/O. */
export class Calls {
  readonly #send: (frame: string) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Set<(params: never) => void>>();
  #next = 0;

  constructor(send: (frame: string) => void) {
    this.#send = send;
  }

  request<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.call(method, params) as Promise<Result<M>>;
  }

  /** As request, for methods and parameters that are not known before the program runs. */
  call(method: string, params: object): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** Calls back with each notification of a kind, until the answer is called. */
  on<N extends Notification>(notification: N, listener: Listener<N>): () => void {
    const listeners = this.#listeners.get(notification) ?? new Set();
    this.#listeners.set(notification, listeners.add(listener as (params: never) => void));
    return () => listeners.delete(listener as (params: never) => void);
  }

  receive(frame: string): void {
    const message = JSON.parse(frame) as {
      id?: number | null;
      method?: string;
      params?: never;
      result?: unknown;
      error?: WireError;
    };
    if (message.method !== undefined) {
      for (const listener of this.#listeners.get(message.method) ?? []) listener(message.params!);
      return;
    }
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
