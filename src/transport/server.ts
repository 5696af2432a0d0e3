import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Rooms } from "../protocol/loro/rooms.ts";
import { MOST_MESSAGE_BYTES } from "../protocol/loro/wire.ts";
import { frameBytesOf, type Holder, type Service } from "../protocol/service/service.ts";
import { HEAD_CHECK_MS, HEAD_MS, REFUSED_MS } from "../work/bounds.ts";
import { Access, type AccessKeys, isDenied, type SignIns } from "./access.ts";
import { serveBrief } from "./brief.ts";
import { Connections } from "./connections.ts";
import { serveLoro } from "./loro.ts";
import { chosenAmong } from "./page-secret.ts";
import { CHALLENGE, deny, Pages, type PagesOptions } from "./pages.ts";
import { roleOf } from "./role.ts";
import { serveSocket } from "./socket.ts";

export interface ServerOptions
  extends Pick<PagesOptions, "health" | "page" | "person" | "prove" | "workspace"> {
  readonly host: string;
  readonly port: number;
  /** Ports to try before `port`. */
  readonly preferred?: readonly number[];
  /** True to use any free port when the requested one is in use. */
  readonly anyPort: boolean;
  readonly allowedHosts: readonly string[];
  readonly keys: AccessKeys;
  readonly signIns: SignIns;
  /** The rooms that `/loro` serves. */
  readonly rooms: Rooms;
  /** Answers an admitted request to `/mcp`. */
  readonly mcp: (request: IncomingMessage, response: ServerResponse, holder: Holder) => Promise<void>;
}

export interface Listening {
  readonly url: string;
  readonly rpc: string;
  readonly port: number;
  /** Returns the number of open connections, of any kind. */
  connections(): Promise<number>;
  /** Returns an address of the page that signs one browser in, once and soon. */
  invite(holder: Holder): string;
  close(): Promise<void>;
}

/** An address that this process cannot listen at, and why; the message names the remedy. */
class AddressError extends Error {
  override readonly name = "AddressError";
}

/** Serves `/rpc`, `/loro`, `/mcp` and the pages on one port. @throws AddressError when the port is not available */
export async function listen(service: Service, options: ServerOptions): Promise<Listening> {
  let port = options.port;
  const access = new Access({ ...options, port: () => port });
  const pages = new Pages(service, { ...options, access, url });
  const connections = new Connections();
  const http = createServer(
    {
      maxHeaderSize: 16_384,
      headersTimeout: HEAD_MS,
      requestTimeout: 30_000,
      connectionsCheckingInterval: HEAD_CHECK_MS,
    },
    (request, response) => {
      const path = pathOf(request);
      const isBrief = path === "/rpc" && request.method === "POST";
      if (path !== "/mcp" && !isBrief) return void pages.answer(path, request, response);
      const holder = access.admit(request);
      if (isDenied(holder)) return deny(response, holder);
      connections.admitted(request.socket);
      const noPlace = connections.take(holder, response);
      if (noPlace !== undefined) return deny(response, noPlace);
      const answering = isBrief
        ? serveBrief(service, holder, request, response)
        : options.mcp(request, response, holder);
      answering.catch((error: unknown) => {
        service.log("error", isBrief ? "rpc.failed" : "mcp.failed", { reason: String(error) });
        response.destroy();
      });
    },
  );
  const shared = {
    noServer: true,
    perMessageDeflate: false,
    clientTracking: true,
    handleProtocols: chosenAmong,
  };
  const rpc = new Map<number, WebSocketServer>();
  const loro = new WebSocketServer({ ...shared, maxPayload: MOST_MESSAGE_BYTES });
  const clients = () => [...rpc.values(), loro].flatMap((server) => [...server.clients]);
  http.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const holder = access.admit(request);
    if (isDenied(holder)) return refuse(socket, holder.status, holder.message);
    connections.admitted(socket);
    const noPlace = connections.take(holder, socket);
    if (noPlace !== undefined) return refuse(socket, noPlace.status, noPlace.message);
    const holds = access.validityOf(request, holder);
    switch (pathOf(request)) {
      case "/rpc":
        return rpcFor(holder).handleUpgrade(request, socket, head, (ws) =>
          serveSocket(service, holder, holds, ws, socket),
        );
      case "/loro":
        return loro.handleUpgrade(request, socket, head, (ws) =>
          serveLoro(service, options.rooms, { holder, role: roleOf(request) }, holds, ws, socket),
        );
      default:
        return refuse(socket, 404, "connect to /rpc, or to /loro with a Loro client");
    }
  });
  connections.watch(http);
  http.on("clientError", ({ code }: NodeJS.ErrnoException, socket) =>
    code === LATE
      ? refuse(socket, 408, "the request did not arrive in time")
      : refuse(socket, 400, "this is not an HTTP request"),
  );
  port = await bind(http, options);
  return {
    url: url(),
    rpc: `${url().replace("http", "ws")}/rpc`,
    port,
    connections: () =>
      new Promise((resolve) => http.getConnections((error, count) => resolve(error ? 0 : count))),
    invite: (holder) => pages.invitation(holder),
    async close() {
      for (const ws of clients()) ws.close(1001, "the daemon is stopping");
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

  /** Returns the WebSocket server for a holder's frame limit, which is one per server. */
  function rpcFor(holder: Holder): WebSocketServer {
    const maxPayload = frameBytesOf(holder, service.maxMessageBytes);
    const server = rpc.get(maxPayload) ?? new WebSocketServer({ ...shared, maxPayload });
    rpc.set(maxPayload, server);
    return server;
  }

  function url(): string {
    return `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;
  }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").split("?", 1)[0]!;
}

const REASONS: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  429: "Too Many Requests",
};

/**
 * Node's code for a connection without a whole request in time. A browser keeps connections for later: after another
 * answer than 408 it would not send the request again that it began at that moment.
 */
const LATE = "ERR_HTTP_REQUEST_TIMEOUT";

function refuse(socket: Duplex, status: number, message: string): void {
  if (!socket.writable) return void socket.destroy();
  const body = `${JSON.stringify({ error: message })}\n`;
  const challenge = status === 401 ? `www-authenticate: ${CHALLENGE}\r\n` : "";
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `${challenge}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // A client that does not close its end must not occupy a descriptor.
  setTimeout(() => socket.destroy(), REFUSED_MS).unref();
}

async function bind(http: Server, { host, port, anyPort, preferred = [] }: ServerOptions): Promise<number> {
  for (const earlier of preferred)
    try {
      return await tryBind(http, host, earlier);
    } catch {
      // another program has it by now
    }
  try {
    return await tryBind(http, host, port);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (anyPort && code === "EADDRINUSE") return tryBind(http, host, 0);
    throw addressError(code, host, port) ?? error;
  }
}

function addressError(code: string, host: string, port: number): AddressError | undefined {
  switch (code) {
    case "EADDRINUSE":
      return new AddressError(
        `port ${port} of ${host} is in use by another program; choose another one, or name none for any free port (--port, or \`port\` in daemon.config.ts)`,
      );
    case "EACCES":
      return new AddressError(
        `the system does not let this user listen at port ${port}; choose one above 1023 (--port, or \`port\` in daemon.config.ts)`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new AddressError(
        `${host} is no address of this machine; correct \`host\` in daemon.config.ts, or leave it out for 127.0.0.1`,
      );
    default:
      return undefined;
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
