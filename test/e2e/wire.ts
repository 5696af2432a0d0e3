import { once } from "node:events";
import { connect as tcpConnect } from "node:net";
import { WebSocket } from "ws";
import type { Located } from "../../src/client/index.ts";
import type { WireError } from "../../src/protocol/base/errors.ts";
import { atEnd } from "./cleanup.ts";
import { within } from "./until.ts";

/** One frame from the daemon, read as JSON. */
export interface Frame {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: WireError;
}

/** A bare WebSocket: sends exactly the frames of the test, and records the received ones. */
export interface Wire {
  readonly ws: WebSocket;
  /** Received frames that the test has not read yet, oldest first. */
  readonly heard: Frame[];
  /** The close code, once closed. */
  readonly closed: Promise<number>;
  send(frame: string | Uint8Array): void;
  /** Returns the next frame that is not a notification. */
  answer(): Promise<Frame>;
  /** Sends a request with these params as JSON, also params that no client would send. */
  ask(method: string, params?: string | object): Promise<Frame>;
}

export async function openWire({ rpc, token }: Located): Promise<Wire> {
  const ws = new WebSocket(rpc, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
  const heard: Frame[] = [];
  const waiting: ((frame: Frame) => void)[] = [];
  ws.on("message", (data) => {
    const frame = JSON.parse(data.toString()) as Frame;
    const next = frame.method === undefined ? waiting.shift() : undefined;
    if (next !== undefined) next(frame);
    else heard.push(frame);
  });
  ws.on("error", () => undefined); // it closes, for which the test waits
  atEnd(() => ws.terminate());
  const closed = new Promise<number>((done) => ws.once("close", done));
  await within("the connection opens", once(ws, "open"));
  let ids = 1000;
  const wire: Wire = {
    ws,
    heard,
    closed,
    send: (frame) => ws.send(frame),
    answer() {
      const at = heard.findIndex(({ method }) => method === undefined);
      if (at >= 0) return Promise.resolve(heard.splice(at, 1)[0]!);
      return within("an answer", new Promise<Frame>((resolve) => waiting.push(resolve)));
    },
    ask(method, params = "{}") {
      const json = typeof params === "string" ? params : JSON.stringify(params);
      ws.send(`{"jsonrpc":"2.0","id":${ids++},"method":${JSON.stringify(method)},"params":${json}}`);
      return wire.answer();
    },
  };
  return wire;
}

/** Returns a bare WebSocket after hello. */
export async function greetedWire(located: Located, hello: object = {}): Promise<Wire> {
  const wire = await openWire(located);
  await wire.ask("hello", { protocol: 1, agent: { name: "wire" }, ...hello });
  return wire;
}

/** Returns the HTTP status of the answer to an upgrade request with these headers. */
export function upgradeStatus(url: string, headers: Record<string, string>): Promise<number> {
  const ws = new WebSocket(url, { headers, perMessageDeflate: false });
  const status = new Promise<number>((resolve, reject) => {
    ws.once("open", () => resolve(101));
    ws.once("unexpected-response", (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    ws.once("error", reject);
  });
  ws.on("error", () => undefined); // after an answer, its end is no error
  return within("an answer to the upgrade", status).finally(() => ws.terminate());
}

/** Sends bytes over a bare TCP connection and returns the first answer; "" when the daemon closes it. */
export async function rawTcp({ url }: Located, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = tcpConnect(Number(port), hostname);
  atEnd(() => socket.destroy());
  socket.on("error", () => undefined); // a reset is an answer, too
  const closed = once(socket, "close").then(() => "");
  const heard = once(socket, "data").then(([chunk]) => (chunk as Buffer).toString("latin1"));
  heard.catch(() => undefined);
  socket.write(bytes);
  return within("an answer or the end", Promise.race([heard, closed])).finally(() => socket.destroy());
}

/** Sends bytes over a bare TCP connection; resolves when the daemon closes it. */
export async function closed({ url }: Located, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = tcpConnect(Number(port), hostname);
  atEnd(() => socket.destroy());
  socket.on("error", () => undefined); // the daemon may reset the connection
  let answer = "";
  socket.on("data", (some: Buffer) => {
    answer += some.toString();
  });
  if (bytes !== "") socket.write(bytes);
  await once(socket, "close");
  return answer;
}
