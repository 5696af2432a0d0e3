import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Holder, Service } from "../protocol/service.ts";
import type { AccessKeys } from "../transport/access.ts";
import { MCP_REST_MS, MOST_MCP_SESSIONS } from "../work/bounds.ts";
import { inProcessCaller } from "./in-process.ts";
import { readBody } from "./request-body.ts";
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

/** The session of one MCP client over HTTP. */
interface HttpSession {
  /** The holder of the token that began the session; requests with other tokens are refused. */
  readonly holder: Holder;
  readonly transport: StreamableHTTPServerTransport;
  readonly session: McpSession;
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

  constructor(service: Service, keys: AccessKeys, limits: HttpLimits = DEFAULT_LIMITS) {
    this.#service = service;
    this.#limits = limits;
    this.#recheck = setInterval(() => {
      for (const [id, { holder }] of this.#sessions) if (!keys.holds(holder)) void this.#end(id);
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
    const guest = this.#sessions.get(id);
    if (guest === undefined || guest.holder !== holder)
      return refuse(
        response,
        404,
        -32001,
        "This session does not exist or has ended. Begin a new one with initialize.",
      );
    this.#trackResponse(id, guest, response);
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
    if (!this.#makeRoom(holder))
      return refuse(
        response,
        503,
        -32000,
        `The token ${holder.name} already has ${this.#limits.sessions} active sessions. End one, or try again later.`,
      );
    const body = await this.#body(request, response, holder);
    if (body === undefined) return;
    const open = new Set<ServerResponse>();
    const session = createMcpSession({
      version: this.#service.serverVersion,
      open: (name) => inProcessCaller(this.#service, holder, name),
      ready: () => [...open].every(({ writableNeedDrain }) => !writableNeedDrain),
    });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        const guest: HttpSession = { holder, transport, session, open, idleTimer: undefined };
        this.#sessions.set(id, guest);
        this.#trackResponse(id, guest, response);
        this.#service.log("info", "mcp.opened", { session: id, token: holder.name });
      },
      onsessionclosed: (id) => this.#end(id),
    });
    // The transport's own types do not declare that its callbacks may be undefined.
    await session.server.connect(transport as Transport);
    await transport.handleRequest(request, response, body.value);
    if (transport.sessionId === undefined) await session.close();
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

  async #end(id: string): Promise<void> {
    const guest = this.#sessions.get(id);
    if (guest === undefined) return;
    this.#sessions.delete(id);
    clearTimeout(guest.idleTimer);
    this.#service.log("info", "mcp.closed", { session: id });
    await guest.session.close();
  }
}

/** Answers with an error in the form that MCP clients expect of a transport. */
function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}
