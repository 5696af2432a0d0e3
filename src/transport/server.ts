import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Rooms } from "../protocol/loro/rooms.ts";
import { MOST_MESSAGE_BYTES } from "../protocol/loro/wire.ts";
import type { Holder, Service } from "../protocol/service.ts";
import { EXPOSITION_TYPE, prometheusText } from "../protocol/telemetry/exposition.ts";
import { type Access, access, type Denied, isDenied, type Keys } from "./access.ts";
import { serveLoro } from "./loro.ts";
import { serveSocket } from "./socket.ts";

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Take any free port when the wanted one is taken. */
  readonly anyPort: boolean;
  readonly allowedHosts: readonly string[];
  readonly keys: Keys;
  /** What to tell whoever asks, with a token or without. */
  readonly health: (asking: Holder | undefined) => object;
  /** What `/loro` serves. */
  readonly rooms: Rooms;
  /** Answers a request to `/mcp` that was admitted. */
  readonly mcp: (request: IncomingMessage, response: ServerResponse, holder: Holder) => Promise<void>;
}

export interface Listening {
  readonly url: string;
  readonly rpc: string;
  close(): Promise<void>;
}

/** Serves `/rpc`, `/loro`, `/mcp`, `/health` and `/metrics` on one port. @throws when the port cannot be had */
export async function listen(service: Service, options: ServerOptions): Promise<Listening> {
  let port = options.port;
  const door = access(options.keys, options.allowedHosts, () => port);
  const pages = pagesOf(service, door, options);
  const http = createServer(
    { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 30_000 },
    (request, response) => {
      if (pathOf(request) !== "/mcp") return answer(request, response, pages);
      const holder = door.admit(request);
      if (isDenied(holder)) return fail(response, holder.status, holder.message);
      options.mcp(request, response, holder).catch((error: unknown) => {
        service.log("error", "mcp.failed", { reason: String(error) });
        response.destroy();
      });
    },
  );
  const shared = { noServer: true, perMessageDeflate: false, clientTracking: true };
  const rpc = new WebSocketServer({ ...shared, maxPayload: service.maxMessageBytes });
  const loro = new WebSocketServer({ ...shared, maxPayload: MOST_MESSAGE_BYTES });
  const clients = () => [...rpc.clients, ...loro.clients];
  http.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const holder = door.admit(request);
    if (isDenied(holder)) return refuse(socket, holder.status, holder.message);
    const holds = () => options.keys.holds(holder);
    switch (pathOf(request)) {
      case "/rpc":
        return rpc.handleUpgrade(request, socket, head, (ws) =>
          serveSocket(service, holder, holds, ws, socket),
        );
      case "/loro":
        return loro.handleUpgrade(request, socket, head, (ws) =>
          serveLoro(service, options.rooms, holder, holds, ws, socket),
        );
      default:
        return refuse(socket, 404, "connect to /rpc, or with a Loro client to /loro");
    }
  });
  http.on("clientError", (_error, socket) => refuse(socket, 400, "not a request"));
  port = await bind(http, options);
  const authority = `${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;
  return {
    url: `http://${authority}`,
    rpc: `ws://${authority}/rpc`,
    async close() {
      for (const ws of clients()) ws.close(1001, "the daemon stops");
      const closed = new Promise((resolve) => http.close(resolve));
      const stragglers = setTimeout(() => {
        for (const ws of clients()) ws.terminate();
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
  /** To whoever asks, with a token or without; or why not to them. */
  readonly body: (asking: Holder | Denied) => string | Denied;
}

interface Pages {
  readonly door: Access;
  readonly at: ReadonlyMap<string, Page>;
}

const JSON_TYPE = "application/json; charset=utf-8";

function pagesOf({ metrics }: Service, door: Access, { health }: ServerOptions): Pages {
  const figures = (asking: Holder | Denied) => {
    if (isDenied(asking)) return asking;
    return asking.rights.allowsEverywhere("read") ? prometheusText(metrics.snapshot()) : FOR_READERS_OF_ALL;
  };
  const state = (asking: Holder | Denied) =>
    `${JSON.stringify(health(isDenied(asking) ? undefined : asking))}\n`;
  return {
    door,
    at: new Map<string, Page>([
      ["/health", { type: JSON_TYPE, body: state }],
      ["/metrics", { type: EXPOSITION_TYPE, body: figures }],
    ]),
  };
}

const FOR_READERS_OF_ALL: Denied = {
  status: 403,
  message: "this concerns every document: it takes a token that may read all of them",
};

function answer(request: IncomingMessage, response: ServerResponse, { door, at }: Pages): void {
  const page = at.get(pathOf(request));
  const body = page?.body(door.admit(request));
  if (page === undefined || body === undefined)
    fail(
      response,
      404,
      `there is /rpc (WebSocket), /loro (Loro clients), /mcp (MCP over HTTP), ${[...at.keys()].join(" and ")}`,
    );
  else if (typeof body !== "string") fail(response, body.status, body.message);
  else if (request.method !== "GET" && request.method !== "HEAD") fail(response, 405, "GET only");
  else respond(response, 200, page.type, body);
}

/** What comes of the request is not waited for. */
function fail(response: ServerResponse, status: number, error: string): void {
  response.setHeader("connection", "close");
  respond(response, status, JSON_TYPE, `${JSON.stringify({ error })}\n`);
}

function respond(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(body);
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
