import type { IncomingMessage, ServerResponse } from "node:http";
import { isLegacyRequest } from "@modelcontextprotocol/server";
import { readBody } from "../protocol/frames/request-body.ts";
import type { Holder, Service } from "../protocol/service/service.ts";
import type { AccessKeys } from "../transport/access.ts";
import { refuse } from "./refuse.ts";
import { DEFAULT_LIMITS, type HttpLimits, Seats } from "./seats.ts";
import { HttpSessions } from "./sessions.ts";
import { StatelessRequests } from "./stateless.ts";
import { webRequest } from "./web-http.ts";

/** Milliseconds between two checks that the clients' tokens are still valid. */
const TOKEN_CHECK_MS = 1_000;

const METHODS = ["GET", "POST", "DELETE"];

/**
 * Serves MCP over Streamable HTTP at `/mcp`: requests of version 2026-07-28 each by itself, and those of older versions
 * in sessions. Callers check Host, Origin and token first.
 */
export class McpEndpoint {
  readonly #service: Service;
  readonly #seats: Seats;
  readonly #sessions: HttpSessions;
  readonly #stateless: StatelessRequests;
  readonly #recheck: NodeJS.Timeout;

  constructor(service: Service, keys: AccessKeys, limits: HttpLimits = DEFAULT_LIMITS) {
    this.#service = service;
    this.#seats = new Seats(service, limits);
    this.#sessions = new HttpSessions(service, this.#seats);
    this.#stateless = new StatelessRequests(service, this.#seats, limits);
    this.#recheck = setInterval(() => {
      for (const id of this.#seats.idsOf((holder) => !keys.holds(holder))) this.#sessions.endForGood(id);
    }, TOKEN_CHECK_MS).unref();
  }

  async handle(request: IncomingMessage, response: ServerResponse, holder: Holder): Promise<void> {
    if (!METHODS.includes(request.method ?? ""))
      return refuse(response, 405, -32000, `Use ${METHODS.join(", ")}.`, { allow: METHODS.join(", ") });
    if (request.method !== "POST") return this.#sessions.answer(request, undefined, response, holder);
    const body = await readBody(this.#service, holder, request);
    if (!("value" in body)) return refuse(response, body.status, body.code, body.message);
    const asked = webRequest(request, response);
    if (await isLegacyRequest(asked, body.value))
      await this.#sessions.answer(request, body.value, response, holder);
    else await this.#stateless.answer(asked, body.value, response, holder);
  }

  async close(): Promise<void> {
    clearInterval(this.#recheck);
    await this.#seats.close();
  }
}
