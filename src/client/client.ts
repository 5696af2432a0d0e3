import { WebSocket } from "ws";
import type { WireError } from "../protocol/errors.ts";
import type { Method, Notification, NotificationParams, Params, Result } from "../protocol/schemas.ts";

export interface ConnectOptions {
  /** The daemon's `rpc` address and token, as `.spliced/daemon.json` has them. */
  readonly rpc: string;
  readonly token: string;
  /** The name that this client's edits are shown under. */
  readonly name: string;
  readonly positionEncoding?: "utf-32" | "utf-16" | "utf-8";
}

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

type Listener<N extends Notification> = (params: NotificationParams<N>) => void;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A typed connection to a daemon. */
export class Client {
  readonly hello: Result<"hello">;
  readonly #ws: WebSocket;
  readonly #waiting: Map<number, Waiting>;
  readonly #listeners = new Map<string, Set<(params: never) => void>>();
  readonly closed: Promise<void>;
  #next = 1;

  private constructor(ws: WebSocket, waiting: Map<number, Waiting>, hello: Result<"hello">) {
    this.#ws = ws;
    this.#waiting = waiting;
    this.hello = hello;
    this.closed = new Promise((resolve) => ws.once("close", () => resolve()));
    ws.on("message", (data) => this.#receive(data.toString()));
    ws.on("close", (code, reason) =>
      this.#end(new DisconnectedError(`the daemon closed the connection (${code} ${reason})`)),
    );
    ws.on("error", (error) => this.#end(new DisconnectedError(error.message, { cause: error })));
  }

  /** @throws DisconnectedError, or RefusedError when the daemon does not accept the hello */
  static async connect({ rpc, token, name, positionEncoding }: ConnectOptions): Promise<Client> {
    const ws = new WebSocket(rpc, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      maxPayload: 0,
    });
    const params: Params<"hello"> = {
      protocol: 1,
      agent: { name },
      ...(positionEncoding && { positionEncoding }),
    };
    const hello = await new Promise<string>((resolve, reject) => {
      ws.once("open", () => ws.send(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "hello", params })));
      ws.once("message", (data) => resolve(data.toString()));
      ws.once("error", (error) =>
        reject(new DisconnectedError(`no daemon answers at ${rpc}: ${error.message}`)),
      );
      ws.once("close", (code, reason) => reject(new DisconnectedError(`turned away (${code} ${reason})`)));
    });
    ws.removeAllListeners();
    const answer = JSON.parse(hello) as {
      result?: Result<"hello">;
      error?: WireError;
    };
    if (answer.result === undefined) {
      ws.on("error", () => ws.terminate());
      ws.close();
      throw new RefusedError(answer.error!);
    }
    return new Client(ws, new Map(), answer.result);
  }

  /** Sends a request; requests are answered in any order, but those on one document are done in theirs. */
  request<M extends Exclude<Method, "hello">>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.call(method, params) as Promise<Result<M>>;
  }

  /** As request, for methods and parameters that are not known before the program runs. */
  call(method: string, params: object): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (this.#ws.readyState !== WebSocket.OPEN)
        return reject(new DisconnectedError("the connection is closed"));
      this.#waiting.set(id, { resolve, reject });
      this.#ws.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** Calls back with each notification of a kind, until the answer is called. */
  on<N extends Notification>(notification: N, listener: Listener<N>): () => void {
    const listeners = this.#listeners.get(notification) ?? new Set();
    this.#listeners.set(notification, listeners.add(listener as (params: never) => void));
    return () => listeners.delete(listener as (params: never) => void);
  }

  async close(): Promise<void> {
    this.#ws.close();
    await this.closed;
  }

  #receive(frame: string): void {
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

  #end(error: DisconnectedError): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
