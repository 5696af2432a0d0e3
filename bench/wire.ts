import { once } from "node:events";
import { WebSocket } from "ws";

type Params = Readonly<Record<string, unknown>>;

interface Pending {
  resolve(result: never): void;
  reject(error: Error): void;
}

/**
 * A bare client of JSON-RPC over a WebSocket. It costs less than the client of `src/client`, so that a row which keeps
 * the server busy measures the server. Its edits have an `opId`, as those of that client.
 */
export class Wire {
  /** The caller sets this function, which receives each notification. */
  notified: (method: string, params: Params) => void = () => undefined;
  readonly #ws: WebSocket;
  readonly #pending = new Map<number, Pending>();
  #id = 0;

  constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.on("message", (data) => this.#received(data.toString()));
    ws.once("close", (code) => {
      for (const { reject } of this.#pending.values()) reject(new Error(`the connection closed (${code})`));
    });
  }

  request<Result>(method: string, params: Params): Promise<Result> {
    const id = this.#id++;
    this.#ws.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  #received(frame: string): void {
    const { id, method, params, result, error } = JSON.parse(frame);
    if (method !== undefined) {
      this.notified(method, params);
      return;
    }
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(result as never);
    else pending?.reject(new Error(`${error.message} (${JSON.stringify(error.data)})`));
  }
}

/** Opens a WebSocket. */
export async function openSocket(url: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const ws = new WebSocket(url, { headers, perMessageDeflate: false });
  await once(ws, "open");
  return ws;
}
