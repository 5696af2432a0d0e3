import { onTestFinished } from "vitest";
import { McpEndpoint } from "../../src/mcp/http.ts";
import type { HttpLimits } from "../../src/mcp/seats.ts";
import { Rooms } from "../../src/protocol/loro/rooms.ts";
import type { Holder, Service } from "../../src/protocol/service/service.ts";
import { listen } from "../../src/transport/server.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { DirectExamination } from "../helpers/direct-examination.ts";
import { signInsOf } from "../helpers/sign-ins.ts";
import { Bench } from "../workspace/harness.ts";
import { OWNER, serviceOf } from "./mcp-workspace.ts";

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
export const HEADERS = {
  authorization: "Bearer secret",
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

export const HOLDERS: ReadonlyMap<string, Holder> = new Map([
  ["secret", OWNER],
  ["other", { name: "somebody", rights: FULL_RIGHTS }],
]);

export interface McpServer {
  readonly url: string;
  readonly bench: Bench;
  readonly service: Service;
  /** The names of logged events. */
  readonly logged: string[];
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The id of a new session. */
  begin(): Promise<string>;
}

/** `/mcp` on a port, for two holders of tokens. */
export async function openMcp(limits: Partial<HttpLimits> = {}, holders = HOLDERS): Promise<McpServer> {
  const bench = new Bench({ "a.md": "hello\n" });
  const logged: string[] = [];
  const service = { ...serviceOf(bench), log: (_level: string, event: string) => void logged.push(event) };
  const keys = {
    find: (token: string) => holders.get(token),
    holds: (holder: Holder) => [...holders.values()].includes(holder),
  };
  const endpoint = new McpEndpoint(service, keys, { sessions: 100, idleMs: 60_000, ...limits });
  const listening = await listen(service, {
    host: "127.0.0.1",
    port: 0,
    anyPort: true,
    allowedHosts: [],
    keys,
    signIns: signInsOf([...holders.values()][0]!),
    page: () => undefined,
    prove: () => "",
    person: "somebody",
    workspace: "/somewhere",
    health: () => ({}),
    rooms: new Rooms(bench.workspace, new DirectExamination()),
    mcp: (request, response, holder) => endpoint.handle(request, response, holder),
  });
  onTestFinished(async () => {
    await endpoint.close();
    await listening.close();
  });
  const url = `${listening.url}/mcp`;
  const post: McpServer["post"] = (body, headers = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(url, { method: "POST", headers: { ...HEADERS, ...headers }, body: text });
  };
  const begin = async () => {
    const response = await post(INITIALIZE);
    await response.text();
    return response.headers.get("mcp-session-id")!;
  };
  return { url, bench, service, logged, post, begin };
}
