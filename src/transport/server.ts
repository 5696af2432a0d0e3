import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Service } from "../protocol/service.ts";
import { EXPOSITION_TYPE, prometheusText } from "../protocol/telemetry/exposition.ts";
import { type Access, access } from "./access.ts";
import { serveSocket } from "./socket.ts";

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Take any free port when the wanted one is taken. */
  readonly anyPort: boolean;
  readonly allowedHosts: readonly string[];
  /** Token → the name of its holder. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly health: () => object;
}

export interface Listening {
  readonly url: string;
  readonly rpc: string;
  close(): Promise<void>;
}

/** Serves `/rpc`, `/health` and `/metrics` on one port. @throws when the port cannot be had */
export async function listen(service: Service, options: ServerOptions): Promise<Listening> {
  let port = options.port;
  const door = access(options.tokens, options.allowedHosts, () => port);
  const pages = pagesOf(service, door, options);
  const http = createServer(
    { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 30_000 },
    (request, response) => answer(request, response, pages),
  );
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: service.maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: true,
  });
  http.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const token = door.admit(request);
    if (typeof token !== "string") return refuse(socket, token.status, token.message);
    if (pathOf(request) !== "/rpc") return refuse(socket, 404, "connect to /rpc");
    sockets.handleUpgrade(request, socket, head, (ws) => serveSocket(service, token, ws, socket));
  });
  http.on("clientError", (_error, socket) => refuse(socket, 400, "not a request"));
  port = await bind(http, options);
  const authority = `${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;
  return {
    url: `http://${authority}`,
    rpc: `ws://${authority}/rpc`,
    async close() {
      for (const ws of sockets.clients) ws.close(1001, "the daemon stops");
      const closed = new Promise((resolve) => http.close(resolve));
      const stragglers = setTimeout(() => {
        for (const ws of sockets.clients) ws.terminate();
        http.closeAllConnections();
      }, 500);
      http.closeIdleConnections();
      await closed;
      clearTimeout(stragglers);
    },
  };
}

/** What is answered to GET on one path, and of which type. */
interface Page {
  readonly type: string;
  /** Whether a token is asked for. */
  readonly open: boolean;
  readonly body: () => string;
}

interface Pages {
  readonly door: Access;
  readonly at: ReadonlyMap<string, Page>;
}

const JSON_TYPE = "application/json; charset=utf-8";

function pagesOf({ metrics }: Service, door: Access, { health }: ServerOptions): Pages {
  return {
    door,
    at: new Map<string, Page>([
      ["/health", { type: JSON_TYPE, open: true, body: () => `${JSON.stringify(health())}\n` }],
      ["/metrics", { type: EXPOSITION_TYPE, open: false, body: () => prometheusText(metrics.snapshot()) }],
    ]),
  };
}

function answer(request: IncomingMessage, response: ServerResponse, { door, at }: Pages): void {
  const respond = (status: number, type: string, body: string) => {
    response.writeHead(status, {
      "content-type": type,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    response.end(body);
  };
  const fail = (status: number, error: string) =>
    respond(status, JSON_TYPE, `${JSON.stringify({ error })}\n`);
  const page = at.get(pathOf(request));
  const token = page === undefined || page.open ? "" : door.admit(request);
  if (page === undefined) fail(404, `there is /rpc (WebSocket), ${[...at.keys()].join(" and ")}`);
  else if (typeof token !== "string") fail(token.status, token.message);
  else if (request.method !== "GET" && request.method !== "HEAD") fail(405, "GET only");
  else respond(200, page.type, page.body());
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").split("?", 1)[0]!;
}

const REASONS: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
};

function refuse(socket: Duplex, status: number, message: string): void {
  if (!socket.writable) return void socket.destroy();
  const body = `${JSON.stringify({ error: message })}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

async function bind(http: Server, { host, port, anyPort }: ServerOptions): Promise<number> {
  try {
    return await tryBind(http, host, port);
  } catch (error) {
    if (!anyPort || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return tryBind(http, host, 0);
  }
}

function tryBind(http: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      http.off("error", reject);
      const address = http.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}
