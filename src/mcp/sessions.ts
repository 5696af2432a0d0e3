import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Transport, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Holder, Service } from "../protocol/service/service.ts";
import { inProcessCaller } from "./in-process.ts";
import { refuse } from "./refuse.ts";
import type { Seat, Seats } from "./seats.ts";
import { McpSession } from "./session.ts";
import { sendWeb, webRequest } from "./web-http.ts";

/** The most ended sessions that are remembered. */
const MOST_OVER = 1_000;

/** The session of one client of an older version of MCP. */
class HttpSession implements Seat {
  readonly holder: Holder;
  readonly open: Set<ServerResponse>;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Resolves once the session can serve requests. */
  readonly connected: Promise<void>;
  readonly #session: McpSession;

  constructor(
    holder: Holder,
    open: Set<ServerResponse>,
    session: McpSession,
    transport: WebStandardStreamableHTTPServerTransport,
    connected: Promise<void>,
  ) {
    this.holder = holder;
    this.open = open;
    this.transport = transport;
    this.connected = connected;
    this.#session = session;
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** Serves clients of the versions of MCP that begin a session by `initialize`. */
export class HttpSessions {
  readonly #service: Service;
  readonly #seats: Seats;
  /** Sessions that their clients ended, or whose token was revoked; they are never made again. */
  readonly #over = new Set<string>();

  constructor(service: Service, seats: Seats) {
    this.#service = service;
    this.#seats = seats;
  }

  /** Answers a request whose body has been read. */
  async answer(
    request: IncomingMessage,
    body: unknown,
    response: ServerResponse,
    holder: Holder,
  ): Promise<void> {
    const id = request.headers["mcp-session-id"];
    if (id === undefined && request.method === "POST") return this.#begin(request, body, response, holder);
    if (typeof id !== "string")
      return refuse(
        response,
        400,
        -32000,
        "Send initialize by POST first, then send the Mcp-Session-Id of its answer with each request.",
      );
    const known = this.#seats.get(id);
    const isAgain =
      known === undefined && request.method !== "DELETE" && SESSION_ID.test(id) && !this.#over.has(id);
    const noRoom = isAgain ? this.#seats.makeRoom(holder) : undefined;
    if (noRoom !== undefined) return refuse(response, 503, -32000, noRoom);
    const guest = isAgain ? this.#again(id, holder) : known;
    if (!(guest instanceof HttpSession) || guest.holder !== holder)
      return refuse(
        response,
        404,
        -32001,
        "This session does not exist or has ended. Begin a new one with initialize.",
      );
    this.#seats.track(id, guest, response);
    await guest.connected;
    await sendWeb(
      await guest.transport.handleRequest(webRequest(request, response), { parsedBody: body }),
      response,
    );
  }

  endForGood(id: string): void {
    this.#over.add(id);
    if (this.#over.size > MOST_OVER) this.#over.delete(this.#over.values().next().value!);
    void this.#seats.end(id);
  }

  async #begin(
    request: IncomingMessage,
    body: unknown,
    response: ServerResponse,
    holder: Holder,
  ): Promise<void> {
    const noRoom = this.#seats.makeRoom(holder);
    if (noRoom !== undefined) return refuse(response, 503, -32000, noRoom);
    const open = new Set<ServerResponse>();
    const session = this.#sessionOf(holder, open);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionIdFor(nameIn(body)),
      onsessioninitialized: (id) => {
        const guest = new HttpSession(holder, open, session, transport, Promise.resolve());
        this.#seats.add(id, guest);
        this.#seats.track(id, guest, response);
      },
      onsessionclosed: (id) => this.endForGood(id),
    });
    await session.server("legacy").connect(transport as Transport);
    await sendWeb(
      await transport.handleRequest(webRequest(request, response), { parsedBody: body }),
      response,
    );
    if (transport.sessionId === undefined) await session.close();
  }

  /**
   * Makes a session again that ended, or that an earlier process had: some clients never send `initialize` again. The
   * id has the client's name, so that its edits have the same author.
   */
  #again(id: string, holder: Holder): HttpSession {
    const open = new Set<ServerResponse>();
    const session = this.#sessionOf(holder, open, clientNameIn(id));
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: (closed) => this.endForGood(closed),
    });
    // The SDK has no call for a session that was initialized elsewhere.
    Object.assign(transport, { sessionId: id, _initialized: true });
    const connected = session.server("legacy").connect(transport as Transport);
    const guest = new HttpSession(holder, open, session, transport, connected);
    this.#seats.add(id, guest, { again: true });
    return guest;
  }

  #sessionOf(holder: Holder, open: ReadonlySet<ServerResponse>, agent?: string): McpSession {
    return new McpSession({
      version: this.#service.serverVersion,
      agent,
      open: (name) => inProcessCaller(this.#service, holder, name, { isLive: () => open.size > 0 }),
      ready: () => [...open].every(({ writableNeedDrain }) => !writableNeedDrain),
    });
  }
}

/** The form of this daemon's session ids: a random part, and the client's name. */
const SESSION_ID = /^[0-9a-f-]{36}\.[\w-]{0,200}$/;
/** The longest client name that an id has, in bytes. */
const MOST_NAME_BYTES = 100;

function sessionIdFor(client: string): string {
  const name = Buffer.from(client).subarray(0, MOST_NAME_BYTES).toString("base64url");
  return `${randomUUID()}.${name}`;
}

function clientNameIn(id: string): string {
  return Buffer.from(id.slice(id.indexOf(".") + 1), "base64url").toString("utf8");
}

/** Returns the client's name in an initialize request; "" if there is none. */
function nameIn(body: unknown): string {
  const [first] = Array.isArray(body) ? (body as unknown[]) : [body];
  const name = (first as { params?: { clientInfo?: { name?: unknown } } } | null)?.params?.clientInfo?.name;
  return typeof name === "string" ? name : "";
}
