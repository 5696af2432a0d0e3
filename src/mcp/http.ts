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
  /** Sessions of one token at once; past them the one that rested longest goes. */
  readonly sessions: number;
  /** How long a session may rest. */
  readonly idleMs: number;
}

const DEFAULT_LIMITS: HttpLimits = { sessions: MOST_MCP_SESSIONS, idleMs: MCP_REST_MS };

/** How often it is looked whether the tokens of sessions still count. */
const TOKEN_CHECK_MS = 1_000;

/** One MCP client over HTTP. */
interface HttpSession {
  /** Whose token began it; nobody else's may go on with it. */
  readonly holder: Holder;
  readonly transport: StreamableHTTPServerTransport;
  readonly session: McpSession;
  /** Responses that are not through, the stream of notifications among them. */
  readonly open: Set<ServerResponse>;
  /** Ends it when it has rested for too long. */
  resting: NodeJS.Timeout | undefined;
}

/** `/mcp`: MCP over Streamable HTTP, a server for each client's session. Requests come here once admitted. */
export class McpEndpoint {
  readonly #service: Service;
  readonly #limits: HttpLimits;
  readonly #recheck: NodeJS.Timeout;
  /** By session id, the one that rested longest first. */
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
        "begin with initialize, by POST, and send the Mcp-Session-Id of its answer",
      );
    const guest = this.#sessions.get(id);
    if (guest === undefined || guest.holder !== holder)
      return refuse(
        response,
        404,
        -32001,
        "no such session: it ended, or rested for too long; begin again with initialize",
      );
    this.#trackResponse(id, guest, response);
    const body = await this.#body(request, response, holder);
    if (body !== undefined) await guest.transport.handleRequest(request, response, body.value);
  }

  /** What was sent; undefined when that was refused. Only a POST has a body. */
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
        `${this.#limits.sessions} sessions of the token ${holder.name} are at work; end one, or try again later`,
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
        const guest: HttpSession = { holder, transport, session, open, resting: undefined };
        this.#sessions.set(id, guest);
        this.#trackResponse(id, guest, response);
        this.#service.log("info", "mcp.opened", { session: id, token: holder.name });
      },
      onsessionclosed: (id) => this.#end(id),
    });
    // The transport's own types leave out that its callbacks may be undefined.
    await session.server.connect(transport as Transport);
    await transport.handleRequest(request, response, body.value);
    if (transport.sessionId === undefined) await session.close();
  }

  /** A session does not rest while a response of it is open. */
  #trackResponse(id: string, guest: HttpSession, response: ServerResponse): void {
    clearTimeout(guest.resting);
    guest.open.add(response);
    response.once("close", () => {
      guest.open.delete(response);
      if (guest.open.size > 0 || this.#sessions.get(id) !== guest) return;
      this.#sessions.delete(id);
      this.#sessions.set(id, guest);
      guest.resting = setTimeout(() => void this.#end(id), this.#limits.idleMs).unref();
    });
  }

  /** Makes room where a token has none, if any session of that token rests. */
  #makeRoom(holder: Holder): boolean {
    const own = [...this.#sessions].filter(([, guest]) => guest.holder === holder);
    if (own.length < this.#limits.sessions) return true;
    const resting = own.find(([, { open }]) => open.size === 0);
    if (resting === undefined) return false;
    void this.#end(resting[0]);
    return true;
  }

  async #end(id: string): Promise<void> {
    const guest = this.#sessions.get(id);
    if (guest === undefined) return;
    this.#sessions.delete(id);
    clearTimeout(guest.resting);
    this.#service.log("info", "mcp.closed", { session: id });
    await guest.session.close();
  }
}

/** An error in the form that MCP clients expect of a transport. */
function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}
