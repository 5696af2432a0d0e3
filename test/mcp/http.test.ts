import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { uriOf } from "../../src/mcp/resources.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { connectOverHttp, Host } from "../helpers/mcp-host.ts";
import { HEADERS, HOLDERS, INITIALIZE, openMcp } from "./mcp-endpoint.ts";

const LIST = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list", arguments: {} } };

const session = (id: string) => ({ "mcp-session-id": id });

describe("MCP over HTTP", () => {
  test("[SV20, SV21] a client that went away without ending its session goes on in the next; one beside a live one does not", async () => {
    const server = await openMcp();
    const connect = async () => {
      const client = await connectOverHttp(server.url, "secret", "claude-code");
      onTestFinished(() => client.close());
      return new Host(client);
    };
    const first = await connect();
    await first.say("read", { path: "a.md" });
    const text = { path: "a.md", text: "mine\n" };
    expect(await (await connect()).refused("write", text)).toMatch(/^VERSION_REQUIRED/);
    await first.client.close();
    await expect.poll(async () => (await (await connect()).call("write", text)).isError).toBe(false);
    expect(server.bench.read("a.md")).toBe("mine\n");
  });

  test("[MC10] a request is refused before its body is read: 403 for Host or Origin, 401 for the token", async () => {
    const { url } = await openMcp();
    for (const [headers, status] of [
      [{ authorization: "Bearer wrong" }, 401],
      [{ authorization: "" }, 401],
      [{ origin: "https://evil.example" }, 403],
      [{ host: "evil.example" }, 403],
    ] as const) {
      // The test never sends the body: the answer may not wait for it.
      const sending = request(url, {
        method: "POST",
        headers: { ...HEADERS, "content-length": "1000", ...headers },
      });
      sending.flushHeaders();
      expect(await statusOf(sending), JSON.stringify(headers)).toBe(status);
    }
    const denied = await fetch(url, { method: "POST", body: "{}" });
    expect(denied.headers.get("www-authenticate")).toBe('Bearer realm="spliced"');
    const inQuery = await fetch(`${url}?token=secret`, { method: "POST", body: "{}" });
    expect(inQuery.status).toBe(401);
  });

  const wrong: [what: string, body: unknown, headers: Record<string, string>, status: number][] = [
    ["junk", "not json", {}, 400],
    ["a body that is no JSON-RPC", { hello: 1 }, {}, 400],
    ["a call without a session", LIST, {}, 400],
    ["an unknown session", LIST, session("none"), 404],
    ["another media type", INITIALIZE, { "content-type": "text/plain" }, 415],
    ["a client that does not accept the answer's media type", INITIALIZE, { accept: "text/html" }, 406],
    ["a message over the size limit", JSON.stringify({ ...LIST, pad: "x".repeat(200_000) }), {}, 413],
    ["a batch with too many messages", Array.from({ length: 200 }, () => LIST), {}, 400],
    ["nesting without end", "[".repeat(50_000), {}, 400],
  ];
  for (const [what, body, headers, status] of wrong)
    test(`[MC40] ${what} gets status ${status}, and other sessions still work`, async () => {
      const server = await openMcp();
      const id = await server.begin();
      const answer = await server.post(body, headers);
      expect([answer.status, ((await answer.json()) as { error: object }).error]).toEqual([
        status,
        expect.objectContaining({ message: expect.any(String) }),
      ]);
      expect(await (await server.post(LIST, session(id))).text()).toContain("a.md  6");
    });

  test("[MC40] a body without an end is refused at the limit", async () => {
    const server = await openMcp();
    const sending = request(server.url, { method: "POST", headers: HEADERS });
    const status = statusOf(sending);
    const chunk = "x".repeat(50_000);
    for (let sent = 0; sent < 10 && !sending.destroyed; sent++) sending.write(chunk);
    expect(await status).toBe(413);
    sending.destroy();
    expect(await server.begin()).toMatch(/./);
  });

  test("[MC10] other HTTP methods get status 405 with those that there are", async () => {
    const { url } = await openMcp();
    for (const method of ["GET", "DELETE"])
      expect((await fetch(url, { method, headers: HEADERS })).status, method).toBe(400);
    const put = await fetch(url, { method: "PUT", headers: HEADERS });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST, DELETE"]);
  });

  test("[MC28] a session belongs to the token that began it", async () => {
    const server = await openMcp();
    const id = await server.begin();
    const other = await server.post(LIST, { ...session(id), authorization: "Bearer other" });
    expect(other.status).toBe(404);
  });

  test("[MC11] a session and its stream end when its token is revoked", async () => {
    const holders = new Map(HOLDERS);
    const server = await openMcp({}, holders);
    const id = await server.begin();
    const stream = await fetch(server.url, { headers: { ...HEADERS, ...session(id) } });
    holders.delete("secret");
    expect(await stream.text()).toBe("");
    expect((await server.post(LIST, session(id))).status).toBe(401);
    holders.set("secret", { name: "owner", rights: FULL_RIGHTS });
    expect((await server.post(LIST, session(id))).status).toBe(404);
  });

  test("[MC41] a session of an earlier process is made again, with its client's name", async () => {
    const id = await (await openMcp()).begin();
    const server = await openMcp();
    const edit = { name: "write", arguments: { path: "new.md", text: "x" } };
    const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: edit };
    const answers = await Promise.all([server.post(call, session(id)), server.post(LIST, session(id))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    for (const answer of answers) await answer.text();
    expect((await server.bench.document("new.md")).head.agent).toBe("owner/raw");
    expect((await server.post(LIST, { "mcp-session-id": "unknown" })).status).toBe(404);
  });

  test("[MC11] a session ends when its client deletes it", async () => {
    const server = await openMcp();
    const id = await server.begin();
    const headers = { ...HEADERS, ...session(id) };
    expect((await fetch(server.url, { method: "DELETE", headers })).status).toBe(200);
    expect((await server.post(LIST, session(id))).status).toBe(404);
  });

  test("[MC11] a session ends after being idle for too long, unless it has an open stream", async () => {
    const server = await openMcp({ idleMs: 1_000 });
    const listening = await server.begin();
    const stream = await fetch(server.url, { headers: { ...HEADERS, ...session(listening) } });
    const idle = await server.begin();
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    const opened = () => server.logged.filter((event) => event === "mcp.closed").length;
    await expect.poll(opened, { timeout: 10_000 }).toBe(1);
    expect((await server.post(LIST, session(idle))).status).toBe(200);
    expect((await server.post(LIST, session(listening))).status).toBe(200);
    await stream.body!.cancel();
  });

  test("[MC29] a session over the limit ends the one that was idle longest, or is refused if none is idle", async () => {
    const server = await openMcp({ sessions: 2 });
    const [a, b] = [await server.begin(), await server.begin()];
    await (await server.post(LIST, session(a))).text();
    const c = await server.begin();
    await expect.poll(() => server.logged.includes("mcp.closed")).toBe(true);
    await (await server.post(LIST, session(b))).text();
    const streams = await Promise.all(
      [b, c].map((id) => fetch(server.url, { headers: { ...HEADERS, ...session(id) } })),
    );
    expect((await server.post(INITIALIZE)).status).toBe(503);
    expect((await server.post(LIST, session(a))).status).toBe(503);
    for (const stream of streams) await stream.body!.cancel();
  });

  test("[BD13] a token that begins many sessions ends only its own", async () => {
    const server = await openMcp({ sessions: 2 });
    const [first, theirs] = [await server.begin(), await server.begin()];
    const other = { authorization: "Bearer other" };
    for (let i = 0; i < 5; i++) await (await server.post(INITIALIZE, other)).text();
    for (const id of [first, theirs]) {
      const answer = await server.post(LIST, session(id));
      expect(answer.status).toBe(200);
      await answer.text();
    }
  });

  test("[BD1] a body with too deep nesting is refused with the limit", async () => {
    const server = await openMcp();
    const id = await server.begin();
    const params = "[".repeat(200) + "]".repeat(200);
    const answer = await server.post(
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`,
      session(id),
    );
    expect(answer.status).toBe(400);
    const message = expect.stringContaining("deeper than 100");
    expect(await answer.json()).toMatchObject({ error: { code: -32600, message } });
  });

  test("[MC25] updates of subscribed documents arrive over the session's stream", async () => {
    const server = await openMcp();
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
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
    expect(server.bench.read("a.md")).toBe("bye\n");
  });
});

async function statusOf(sending: ClientRequest): Promise<number | undefined> {
  sending.on("error", () => undefined); // the server closes the connection after its answer
  const [response] = await once(sending, "response");
  response.resume();
  sending.destroy();
  return response.statusCode;
}
