import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { type HttpLimits, McpEndpoint } from "../../src/mcp/http.ts";
import { uriOf } from "../../src/mcp/resources.ts";
import { Rooms } from "../../src/protocol/loro/rooms.ts";
import type { Holder } from "../../src/protocol/service.ts";
import { listen } from "../../src/transport/server.ts";
import { EVERYTHING } from "../../src/workspace/access/rights.ts";
import { DirectExamination } from "../helpers/direct-examination.ts";
import { Host } from "../helpers/mcp-host.ts";
import { signInsOf } from "../helpers/sign-ins.ts";
import { Bench } from "../workspace/harness.ts";
import { OWNER, serviceOf } from "./mcp-workspace.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const HEADERS = {
  authorization: "Bearer secret",
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list", arguments: {} } };

const HOLDERS: ReadonlyMap<string, Holder> = new Map([
  ["secret", OWNER],
  ["other", { name: "somebody", rights: EVERYTHING }],
]);

interface Door {
  readonly url: string;
  readonly bench: Bench;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The id of a new session. */
  begin(): Promise<string>;
}

/** `/mcp` on a port, for two holders of tokens. */
async function open(limits: Partial<HttpLimits> = {}, holders = HOLDERS): Promise<Door> {
  const bench = new Bench({ "a.md": "hello\n" });
  const service = serviceOf(bench);
  const keys = {
    find: (token: string) => holders.get(token),
    holds: (holder: Holder) => [...holders.values()].includes(holder),
  };
  const door = new McpEndpoint(service, keys, { sessions: 100, idleMs: 60_000, ...limits });
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
    mcp: (request, response, holder) => door.handle(request, response, holder),
  });
  onTestFinished(async () => {
    await door.close();
    await listening.close();
  });
  const url = `${listening.url}/mcp`;
  const post: Door["post"] = (body, headers = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(url, { method: "POST", headers: { ...HEADERS, ...headers }, body: text });
  };
  const begin = async () => {
    const response = await post(INITIALIZE);
    await response.text();
    return response.headers.get("mcp-session-id")!;
  };
  return { url, bench, post, begin };
}

const session = (id: string) => ({ "mcp-session-id": id });

describe("MCP over HTTP", () => {
  test("[MC10] a request is turned away before anything of it is read: 403 by Host and Origin, 401 by token", async () => {
    const { url } = await open();
    for (const [headers, status] of [
      [{ authorization: "Bearer wrong" }, 401],
      [{ authorization: "" }, 401],
      [{ origin: "https://evil.example" }, 403],
      [{ host: "evil.example" }, 403],
    ] as const) {
      // The body never comes: the answer does not wait for it.
      const asked = request(url, {
        method: "POST",
        headers: { ...HEADERS, "content-length": "1000", ...headers },
      });
      asked.flushHeaders();
      expect(await statusOf(asked), JSON.stringify(headers)).toBe(status);
    }
    const inQuery = await fetch(`${url}?token=secret`, { method: "POST", body: "{}" });
    expect(inQuery.status).toBe(401);
  });

  const wrong: [what: string, body: unknown, headers: Record<string, string>, status: number][] = [
    ["junk", "not json", {}, 400],
    ["what is no JSON-RPC", { hello: 1 }, {}, 400],
    ["a call without a session", LIST, {}, 400],
    ["a session that never was", LIST, session("none"), 404],
    ["another media type", INITIALIZE, { "content-type": "text/plain" }, 415],
    ["an answer that the client would not take", INITIALIZE, { accept: "text/html" }, 406],
    ["more than a message may hold", JSON.stringify({ ...LIST, pad: "x".repeat(200_000) }), {}, 413],
    ["more messages than one may hold", Array.from({ length: 200 }, () => LIST), {}, 400],
    ["nesting without end", "[".repeat(50_000), {}, 400],
  ];
  for (const [what, body, headers, status] of wrong)
    test(`[MC10] ${what} is answered ${status}, and others go on`, async () => {
      const door = await open();
      const id = await door.begin();
      const answer = await door.post(body, headers);
      expect([answer.status, ((await answer.json()) as { error: object }).error]).toEqual([
        status,
        expect.objectContaining({ message: expect.any(String) }),
      ]);
      expect(await (await door.post(LIST, session(id))).text()).toContain("a.md  6");
    });

  test("[MC10] a body that has no end is cut off at the limit", async () => {
    const door = await open();
    const asked = request(door.url, { method: "POST", headers: HEADERS });
    const status = statusOf(asked);
    const chunk = "x".repeat(50_000);
    for (let sent = 0; sent < 10 && !asked.destroyed; sent++) asked.write(chunk);
    expect(await status).toBe(413);
    asked.destroy();
    expect(await door.begin()).toMatch(/./);
  });

  test("[MC10] other ways of asking are told what there is", async () => {
    const { url } = await open();
    for (const [method, status] of [
      ["GET", 400],
      ["DELETE", 400],
      ["PUT", 400],
    ] as const)
      expect((await fetch(url, { method, headers: HEADERS })).status, method).toBe(status);
  });

  test("[MC10] a session belongs to the token that began it", async () => {
    const door = await open();
    const id = await door.begin();
    const other = await door.post(LIST, { ...session(id), authorization: "Bearer other" });
    expect(other.status).toBe(404);
  });

  test("[MC11] a session ends when its token no longer counts, its stream too", async () => {
    const holders = new Map(HOLDERS);
    const door = await open({}, holders);
    const id = await door.begin();
    const stream = await fetch(door.url, { headers: { ...HEADERS, ...session(id) } });
    holders.delete("secret");
    expect(await stream.text()).toBe("");
    expect((await door.post(LIST, session(id))).status).toBe(401);
    holders.set("secret", { name: "owner", rights: EVERYTHING });
    expect((await door.post(LIST, session(id))).status).toBe(404);
  });

  test("[MC11] a session ends when its client says so", async () => {
    const door = await open();
    const id = await door.begin();
    const headers = { ...HEADERS, ...session(id) };
    expect((await fetch(door.url, { method: "DELETE", headers })).status).toBe(200);
    expect((await door.post(LIST, session(id))).status).toBe(404);
  });

  test("[MC11] a session that rested for too long is gone, and one with an open stream is not", async () => {
    const door = await open({ idleMs: 1_000 });
    const listening = await door.begin();
    const stream = await fetch(door.url, { headers: { ...HEADERS, ...session(listening) } });
    const resting = await door.begin();
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    // A look wakes it, so looks are farther apart than it may rest.
    await expect
      .poll(async () => (await door.post(LIST, session(resting))).status, {
        interval: 1_500,
        timeout: 10_000,
      })
      .toBe(404);
    expect((await door.post(LIST, session(listening))).status).toBe(200);
    await stream.body!.cancel();
  });

  test("[MC11] past the limit the session that rested longest makes room, unless all are at work", async () => {
    const door = await open({ sessions: 2 });
    const [a, b] = [await door.begin(), await door.begin()];
    await (await door.post(LIST, session(a))).text();
    const c = await door.begin();
    expect((await door.post(LIST, session(b))).status).toBe(404);
    const streams = await Promise.all(
      [a, c].map((id) => fetch(door.url, { headers: { ...HEADERS, ...session(id) } })),
    );
    expect((await door.post(INITIALIZE)).status).toBe(503);
    for (const stream of streams) await stream.body!.cancel();
  });

  test("[BD13] a token that begins many sessions ends its own, and nobody else's", async () => {
    const door = await open({ sessions: 2 });
    const [first, theirs] = [await door.begin(), await door.begin()];
    const other = { authorization: "Bearer other" };
    for (let i = 0; i < 5; i++) await (await door.post(INITIALIZE, other)).text();
    for (const id of [first, theirs]) {
      const answer = await door.post(LIST, session(id));
      expect(answer.status).toBe(200);
      await answer.text();
    }
  });

  test("[BD1] a body that is nested too deep is refused with the limit", async () => {
    const door = await open();
    const id = await door.begin();
    const params = "[".repeat(200) + "]".repeat(200);
    const answer = await door.post(
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`,
      session(id),
    );
    expect(answer.status).toBe(400);
    const message = expect.stringContaining("deeper than 100");
    expect(await answer.json()).toMatchObject({ error: { code: -32600, message } });
  });

  test("[MC9] news of subscribed documents come over the session's stream", async () => {
    const door = await open();
    const transport = new StreamableHTTPClientTransport(new URL(door.url), {
      requestInit: { headers: { authorization: HEADERS.authorization } },
    });
    const host = new Host(new Client({ name: "cursor", version: "1" }));
    await host.client.connect(transport as Transport);
    onTestFinished(() => host.client.close());
    const updated: string[] = [];
    host.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.push(params.uri);
    });
    await host.client.subscribeResource({ uri: uriOf("a.md") });
    await host.say("edit", { path: "a.md", old: "hello", new: "bye" });
    await expect.poll(() => updated).toEqual([uriOf("a.md")]);
    expect(door.bench.read("a.md")).toBe("bye\n");
  });
});

async function statusOf(asked: ClientRequest): Promise<number | undefined> {
  asked.on("error", () => undefined); // it is cut off once it is answered
  const [response] = await once(asked, "response");
  response.resume();
  asked.destroy();
  return response.statusCode;
}
