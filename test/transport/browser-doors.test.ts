import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { McpEndpoint } from "../../src/mcp/http.ts";
import { Rooms } from "../../src/protocol/loro/rooms.ts";
import { SECRET_HEADER, subprotocolsOf } from "../../src/transport/page-secret.ts";
import { type Listening, listen } from "../../src/transport/server.ts";
import { DirectExamination } from "../helpers/direct-examination.ts";
import { signInsOf } from "../helpers/sign-ins.ts";
import { OWNER, serviceOf } from "../mcp/mcp-workspace.ts";
import { Bench } from "../workspace/harness.ts";

let server: Listening;
/** The headers that a browser sends to every port of the machine. */
let cookie: string;

beforeEach(async () => {
  const bench = new Bench({ "a.md": "hello\n" });
  const service = serviceOf(bench);
  const keys = { find: (token: string) => (token === "secret" ? OWNER : undefined), holds: () => true };
  const mcp = new McpEndpoint(service, keys, { sessions: 100, idleMs: 60_000 });
  server = await listen(service, {
    host: "127.0.0.1",
    port: 0,
    anyPort: true,
    allowedHosts: [],
    keys,
    signIns: signInsOf(OWNER),
    page: () => undefined,
    person: "somebody",
    workspace: "/somewhere",
    prove: () => "proof",
    health: (asking) => ({ status: "ok", told: asking === undefined ? "nobody" : "owner" }),
    rooms: new Rooms(bench.workspace, new DirectExamination()),
    mcp: (request, response, holder) => mcp.handle(request, response, holder),
  });
  cookie = `spliced-${new URL(server.url).port}=baked`;
  onTestFinished(async () => {
    await mcp.close();
    await server.close();
  });
});

/** Returns the status of an answer; 200 means that a WebSocket opened. */
async function knock(method: string, path: string, headers: Record<string, string>): Promise<number> {
  if (method !== "UPGRADE") return (await fetch(`${server.url}${path}`, { method, headers })).status;
  const { "sec-websocket-protocol": subprotocols = "", ...others } = headers;
  const asked = subprotocols === "" ? [] : subprotocols.split(", ");
  const ws = new WebSocket(`${server.url.replace("http", "ws")}${path}`, asked, { headers: others });
  onTestFinished(() => ws.terminate());
  return new Promise((resolve, reject) => {
    ws.once("open", () => resolve(ws.protocol === (asked[0] ?? "") ? 200 : 0));
    ws.once("unexpected-response", (request, { statusCode = 0 }) => {
      request.destroy();
      resolve(statusCode);
    });
    ws.once("error", reject);
  });
}

const DOORS = [
  ["UPGRADE", "/rpc"],
  ["UPGRADE", "/loro"],
  ["GET", "/mcp"],
  ["GET", "/metrics"],
  ["GET", "/session"],
  ["DELETE", "/session"],
  ["POST", "/session"],
  ["GET", "/session/invitation"],
  ["POST", "/session/invitation"],
] as const;

describe("a cookie that another server on the machine received", () => {
  test("[BR1] alone grants no access", async () => {
    for (const [method, path] of DOORS) {
      const door = `${method} ${path}`;
      expect(await knock(method, path, { cookie }), door).toBe(401);
      expect(await knock(method, path, { cookie, [SECRET_HEADER]: "guessed" }), door).toBe(401);
      const guessed = { cookie, "sec-websocket-protocol": subprotocolsOf("guessed").join(", ") };
      if (method === "UPGRADE") expect(await knock(method, path, guessed), door).toBe(401);
    }
  });

  test("[BR1] grants access together with the page's secret", async () => {
    const socket = { cookie, "sec-websocket-protocol": subprotocolsOf("kept").join(", ") };
    for (const path of ["/rpc", "/loro"]) expect(await knock("UPGRADE", path, socket)).toBe(200);
    const page = { cookie, [SECRET_HEADER]: "kept" };
    for (const path of ["/metrics", "/session"]) expect(await knock("GET", path, page)).toBe(200);
    expect(await knock("GET", "/mcp", page)).not.toBe(401);
    expect(await knock("POST", "/session/invitation", page)).toBe(200);
    expect(await knock("DELETE", "/session", page)).toBe(204);
  });

  test("[BR1] does not reveal more of the daemon's health", async () => {
    const told = async (headers: Record<string, string>) =>
      ((await (await fetch(`${server.url}/health`, { headers })).json()) as { told: string }).told;
    expect(await told({ cookie })).toBe("nobody");
    expect(await told({ cookie, [SECRET_HEADER]: "kept" })).toBe("owner");
  });

  test("[BR2, BR15] gets the answer that the browser must sign in again", async () => {
    const answer = await fetch(`${server.url}/session`, { headers: { cookie } });
    expect(await answer.json()).toMatchObject({
      error: expect.stringContaining("spliced open"),
      again: true,
    });
  });
});

describe("a request from another origin", () => {
  test("[BR5] learns the holder of a link with its key, under the daemon's own address only", async () => {
    const whose = (headers: Record<string, string>) =>
      fetch(`${server.url}/session/invitation`, { headers: { authorization: "Bearer come", ...headers } });
    expect(await (await whose({})).json()).toEqual({ token: "owner" });
    expect((await whose({ authorization: "Bearer guessed" })).status).toBe(401);
    expect((await whose({ origin: "http://127.0.0.1:1" })).status).toBe(403);
  });

  test("[BR6] gets the daemon's health under the daemon's own address only", async () => {
    const status = async (headers: Record<string, string>) => {
      const [answer] = (await once(get(`${server.url}/health`, { headers }), "response")) as [
        IncomingMessage,
      ];
      answer.resume();
      return answer.statusCode;
    };
    expect(await status({})).toBe(200);
    expect(await status({ host: "rebound.example" })).toBe(403);
    expect(await status({ origin: "http://127.0.0.1:1" })).toBe(403);
  });
});
