import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { readBody } from "../protocol/request-body.ts";
import type { Holder, Service } from "../protocol/service.ts";
import type { AccessKeys } from "../transport/access.ts";
import { MCP_REST_MS, MOST_MCP_SESSIONS } from "../work/bounds.ts";
import { inProcessCaller } from "./in-process.ts";
import { createMcpSession, type McpSession } from "./server.ts";

export interface HttpLimits {
  /** Most sessions of one token. A further session ends the one that was idle longest. */
  readonly sessions: number;
  /** Milliseconds after which an idle session ends. */
  readonly idleMs: number;
}

const DEFAULT_LIMITS: HttpLimits = { sessions: MOST_MCP_SESSIONS, idleMs: MCP_REST_MS };

/** Milliseconds between two checks that the sessions' tokens are still valid. */
const TOKEN_CHECK_MS = 1_000;

/** The most ended sessions that are remembered. */
const MOST_OVER = 1_000;

/** The session of one MCP client over HTTP. */
interface HttpSession {
  /** The holder of the token that began the session; requests with other tokens are refused. */
  readonly holder: Holder;
  readonly transport: StreamableHTTPServerTransport;
  readonly session: McpSession;
  /** Resolves once the session can serve requests. */
  readonly connected: Promise<void>;
  /** Unfinished responses, the stream of notifications included. */
  readonly open: Set<ServerResponse>;
  /** The timer that ends the session once it has been idle for too long. */
  idleTimer: NodeJS.Timeout | undefined;
}

/** Serves MCP over Streamable HTTP at `/mcp`, with one server a session. Callers check Host, Origin and token first. */
export class McpEndpoint {
  readonly #service: Service;
  readonly #limits: HttpLimits;
  readonly #recheck: NodeJS.Timeout;
  /** The sessions by id, the one that was idle longest first. */
  readonly #sessions = new Map<string, HttpSession>();
  /** Sessions that their clients ended, or whose token was revoked: nobody makes them again. */
  readonly #over = new Set<string>();

  constructor(service: Service, keys: AccessKeys, limits: HttpLimits = DEFAULT_LIMITS) {
    this.#service = service;
    this.#limits = limits;
    this.#recheck = setInterval(() => {
      for (const [id, { holder }] of this.#sessions) if (!keys.holds(holder)) this.#endForGood(id);
    }, TOKEN_CHECK_MS).unref();
  }

  async handle(request: IncomingMessage, response: ServerResponse, holder: Holder): Promise<void> {
    const id = request.headers["mcp-session-id"];
    if (id === undefined && request.method === "POST") return this.#begin(request, response, holder);
    if (typeof id !== "string")
      return refuse(
        response,
        400,
        -32000,
        "Send initialize by POST first, then send the Mcp-Session-Id of its answer with each request.",
      );
    const known = this.#sessions.get(id);
    const isAgain =
      known === undefined && request.method !== "DELETE" && SESSION_ID.test(id) && !this.#over.has(id);
    if (isAgain && !this.#makeRoom(holder)) return this.#noRoom(response, holder);
    const guest = isAgain ? this.#again(id, holder) : known;
    if (guest === undefined || guest.holder !== holder)
      return refuse(
        response,
        404,
        -32001,
        "This session does not exist or has ended. Begin a new one with initialize.",
      );
    this.#trackResponse(id, guest, response);
    await guest.connected;
    const body = await this.#body(request, response, holder);
    if (body !== undefined) await guest.transport.handleRequest(request, response, body.value);
  }

  /** Reads the body of a POST. Returns undefined if the body was refused; this method then has sent the answer. */
  async #body(
    request: IncomingMessage,
    response: ServerResponse,
    holder: Holder,
  ): Promise<{ readonly value: unknown } | undefined> {
    if (request.method !== "POST") return { value: undefined };
    const body = await readBody(this.#service, holder, request);
    if ("value" in body) return body;
    refuse(response, body.status, body.code, body.message);
    return undefined;
  }

  async close(): Promise<void> {
    clearInterval(this.#recheck);
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #begin(request: IncomingMessage, response: ServerResponse, holder: Holder): Promise<void> {
    if (!this.#makeRoom(holder)) return this.#noRoom(response, holder);
    const body = await this.#body(request, response, holder);
    if (body === undefined) return;
    const open = new Set<ServerResponse>();
    const session = this.#sessionOf(holder, open);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionIdFor(nameIn(body.value)),
      onsessioninitialized: (id) => {
        const connected = Promise.resolve();
        const guest: HttpSession = { holder, transport, session, open, connected, idleTimer: undefined };
        this.#sessions.set(id, guest);
        this.#trackResponse(id, guest, response);
        this.#service.log("info", "mcp.opened", { session: id, token: holder.name });
      },
      onsessionclosed: (id) => this.#endForGood(id),
    });
    // The transport's own types do not declare that its callbacks may be undefined.
    await session.server.connect(transport as Transport);
    await transport.handleRequest(request, response, body.value);
    if (transport.sessionId === undefined) await session.close();
  }

  /**
   * Makes a session again that ended, or that an earlier process had: some clients never send `initialize` again. The
   * id has the client's name, so that its edits keep their author.
   */
  #again(id: string, holder: Holder): HttpSession {
    const open = new Set<ServerResponse>();
    const session = this.#sessionOf(holder, open, clientNameIn(id));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: (closed) => this.#endForGood(closed),
    });
    // The SDK has no call for a session that was initialized elsewhere.
    Object.assign((transport as unknown as { _webStandardTransport: object })._webStandardTransport, {
      sessionId: id,
      _initialized: true,
    });
    const connected = session.server.connect(transport as Transport);
    const guest: HttpSession = { holder, transport, session, open, connected, idleTimer: undefined };
    this.#sessions.set(id, guest);
    this.#service.log("info", "mcp.opened", { session: id, token: holder.name, again: true });
    return guest;
  }

  #sessionOf(holder: Holder, open: ReadonlySet<ServerResponse>, agent?: string): McpSession {
    return createMcpSession({
      version: this.#service.serverVersion,
      agent,
      open: (name) => inProcessCaller(this.#service, holder, name, () => open.size > 0),
      ready: () => [...open].every(({ writableNeedDrain }) => !writableNeedDrain),
    });
  }

  #noRoom(response: ServerResponse, holder: Holder): void {
    refuse(
      response,
      503,
      -32000,
      `The token ${holder.name} already has ${this.#limits.sessions} active sessions. End one, or try again later.`,
    );
  }

  /** Keeps a session from being idle while this response is open. */
  #trackResponse(id: string, guest: HttpSession, response: ServerResponse): void {
    clearTimeout(guest.idleTimer);
    guest.open.add(response);
    response.once("close", () => {
      guest.open.delete(response);
      if (guest.open.size > 0 || this.#sessions.get(id) !== guest) return;
      this.#sessions.delete(id);
      this.#sessions.set(id, guest);
      guest.idleTimer = setTimeout(() => void this.#end(id), this.#limits.idleMs).unref();
    });
  }

  /** Ends an idle session of a token that has too many. Returns false if none of them is idle. */
  #makeRoom(holder: Holder): boolean {
    const own = [...this.#sessions].filter(([, guest]) => guest.holder === holder);
    if (own.length < this.#limits.sessions) return true;
    const idle = own.find(([, { open }]) => open.size === 0);
    if (idle === undefined) return false;
    void this.#end(idle[0]);
    return true;
  }

  #endForGood(id: string): void {
    this.#over.add(id);
    if (this.#over.size > MOST_OVER) this.#over.delete(this.#over.values().next().value!);
    void this.#end(id);
  }

  async #end(id: string): Promise<void> {
    const guest = this.#sessions.get(id);
    if (guest === undefined) return;
    this.#sessions.delete(id);
    clearTimeout(guest.idleTimer);
    this.#service.log("info", "mcp.closed", { session: id });
    await guest.session.close();
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

/** Answers with an error in the form that MCP clients expect of a transport. */
function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}
