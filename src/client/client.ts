import { WebSocket } from "ws";
import type { Method, Notification, Params, Result } from "../protocol/schemas.ts";
import { Calls, DisconnectedError, type Listener } from "./calls.ts";

export interface ConnectOptions {
  /** The daemon's `rpc` address and token, as `.spliced/daemon.json` has them. */
  readonly rpc: string;
  readonly token: string;
  /** The name that this client's edits are shown under. */
  readonly name: string;
  readonly positionEncoding?: "utf-32" | "utf-16" | "utf-8";
}

/** A typed connection to a daemon. */
export class Client {
  readonly hello: Result<"hello">;
  readonly #ws: WebSocket;
  readonly #calls: Calls;
  readonly closed: Promise<void>;

  private constructor(ws: WebSocket, calls: Calls, hello: Result<"hello">) {
    this.#ws = ws;
    this.#calls = calls;
    this.hello = hello;
    this.closed = new Promise((resolve) => ws.once("close", () => resolve()));
  }

  /** @throws DisconnectedError, or RefusedError when the daemon does not accept the hello */
  static async connect({ rpc, token, name, positionEncoding }: ConnectOptions): Promise<Client> {
    const ws = new WebSocket(rpc, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      maxPayload: 0,
    });
    const calls = new Calls((frame) => ws.send(frame));
    let opened = false;
    const opening = new Promise<void>((resolve, reject) => {
      const end = (reason: string, cause?: Error) => {
        const error = new DisconnectedError(reason, { cause });
        reject(error);
        calls.end(error);
      };
      ws.once("open", resolve);
      ws.on("close", (code, reason) =>
        end(`${opened ? "the daemon closed the connection" : "turned away"} (${code} ${reason})`),
      );
      ws.on("error", (error) =>
        end(opened ? error.message : `no daemon answers at ${rpc}: ${error.message}`, error),
      );
    });
    ws.on("message", (data) => calls.receive(data.toString()));
    await opening;
    try {
      const hello = await calls.request("hello", {
        protocol: 1,
        agent: { name },
        ...(positionEncoding && { positionEncoding }),
      });
      opened = true;
      return new Client(ws, calls, hello);
    } catch (error) {
      ws.close();
      throw error;
    }
  }

  /** Sends a request; requests are answered in any order, but those on one document are done in theirs. */
  request<M extends Exclude<Method, "hello">>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.call(method, params) as Promise<Result<M>>;
  }

  /** As request, for methods and parameters that are not known before the program runs. */
  call(method: string, params: object): Promise<unknown> {
    if (this.#ws.readyState !== WebSocket.OPEN)
      return Promise.reject(new DisconnectedError("the connection is closed"));
    return this.#calls.call(method, params);
  }

  /** Calls back with each notification of a kind, until the answer is called. */
  on<N extends Notification>(notification: N, listener: Listener<N>): () => void {
    return this.#calls.on(notification, listener);
  }

  async close(): Promise<void> {
    this.#ws.close();
    await this.closed;
  }
}
