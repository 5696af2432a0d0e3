import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { inProcessCaller } from "../../src/mcp/in-process.ts";
import { uriOf } from "../../src/mcp/resources.ts";
import type { Holder } from "../../src/protocol/service/service.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { HOLDERS, type McpServer, openMcp } from "./mcp-endpoint.ts";
import { OWNER } from "./mcp-workspace.ts";

const NEW = "2026-07-28";

/** A client of the newest version. */
async function connect({ url }: McpServer, name = "new-client", token = "secret"): Promise<Client> {
  const client = new Client({ name, version: "1" }, { versionNegotiation: { mode: { pin: NEW } } });
  onTestFinished(() => client.close());
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((part) => ("text" in part ? part.text : "")).join("\n");
  return isError === true ? `refused: ${text}` : text;
}

/** Another agent's edit. */
async function edit({ service }: McpServer, path: string, old: string, updated: string): Promise<void> {
  const caller = inProcessCaller(service, OWNER, "bob");
  await caller.request("edit.replace", { path, old, new: updated });
  caller.close();
}

const versionIn = (text: string) => /version ([\w-]+)/.exec(text)![1]!;

test("[MC53] a client of 2026-07-28 lists and calls tools without a session", async () => {
  const server = await openMcp();
  const client = await connect(server);
  expect(client.getNegotiatedProtocolVersion()).toBe(NEW);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read_document");
  expect(await call(client, "read", { path: "a.md" })).toContain("hello\n");
  expect(await call(client, "edit", { path: "a.md", old: "hello", new: "bye" })).toContain("applied");
  expect(server.bench.read("a.md")).toBe("bye\n");
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([uriOf("a.md")]);
  expect(await call(client, "history", {})).toContain("new-client");
});

test("[MC53] a request that carries no envelope, but claims 2026-07-28 in its header, is refused", async () => {
  const server = await openMcp();
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const answer = await server.post(list, { "mcp-protocol-version": NEW, "mcp-method": "tools/list" });
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { error: { code: number } }).error.code).toBe(-32602);
});

test("[MC54] what it has seen belongs to its token and name: its edit from an old read is merged", async () => {
  const server = await openMcp();
  const client = await connect(server);
  await call(client, "read", { path: "a.md" });
  await edit(server, "a.md", "hello", "hello you");
  const answer = await call(client, "edit", { path: "a.md", old: "hello", new: "well, hello" });
  expect(answer).toContain("bob");
  expect(server.bench.read("a.md")).toBe("well, hello you\n");
  expect(await call(await connect(server, "stranger"), "changes_since", {})).toContain("No document");
});

test("[MC54] undo without an id takes back its own newest edit", async () => {
  const server = await openMcp();
  await call(await connect(server), "edit", { path: "a.md", old: "hello", new: "bye" });
  expect(await call(await connect(server, "stranger"), "undo")).toContain("refused");
  await call(await connect(server), "undo");
  expect(server.bench.read("a.md")).toBe("hello\n");
});

test("[MC55] a whole text has to name the version of its read, as another client may have its name", async () => {
  const server = await openMcp();
  const [first, second] = [await connect(server), await connect(server)];
  const version = versionIn(await call(first, "read", { path: "a.md" }));
  await edit(server, "a.md", "hello\n", "hello\nand more\n");
  await call(second, "read", { path: "a.md" });
  const write = { path: "a.md", text: "HELLO\n" };
  expect(await call(first, "write", write)).toMatch(/^refused: VERSION_REQUIRED/);
  const files = { files: [{ path: "a.md", text: "HELLO\n" }] };
  expect(await call(first, "batch", files)).toMatch(/^refused: VERSION_REQUIRED/);
  expect(server.bench.read("a.md")).toBe("hello\nand more\n");
  await call(first, "write", { ...write, version });
  expect(server.bench.read("a.md")).toBe("HELLO\nand more\n");
  expect(await call(first, "write", { path: "new.md", text: "new\n" })).toContain("created");
});

test("[MC56] subscriptions/listen tells of the resources that it names and of the list, as far as the token reads", async () => {
  const guest: Holder = { name: "guest", rights: new Rights([{ glob: "a.md", level: "read" }]) };
  const server = await openMcp({}, new Map([...HOLDERS, ["narrow", guest]]));
  const heard = async (token: string) => {
    const client = await connect(server, "listener", token);
    const uris: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void uris.push(params.uri),
    );
    client.setNotificationHandler("notifications/resources/list_changed", () => void uris.push("list"));
    const resourceSubscriptions = [uriOf("a.md"), uriOf("secret.md")];
    return { uris, stream: await client.listen({ resourcesListChanged: true, resourceSubscriptions }) };
  };
  await call(await connect(server), "write", { path: "secret.md", text: "secret\n" });
  const [all, narrow] = [await heard("secret"), await heard("narrow")];
  await edit(server, "secret.md", "secret", "changed");
  await edit(server, "a.md", "hello", "bye");
  await expect.poll(() => all.uris).toEqual([uriOf("secret.md"), uriOf("a.md")]);
  await expect.poll(() => narrow.uris).toEqual([uriOf("a.md")]);
  await all.stream.close();
  await call(await connect(server), "write", { path: "new.md", text: "new\n" });
  await edit(server, "a.md", "bye", "hello");
  await expect.poll(() => narrow.uris).toEqual([uriOf("a.md"), uriOf("a.md")]);
  expect(all.uris).toEqual([uriOf("secret.md"), uriOf("a.md")]);
});

test("[MC56] a token has a bounded number of streams, and they end when it is revoked", async () => {
  const holders = new Map(HOLDERS);
  const server = await openMcp({ sessions: 2 }, holders);
  const client = await connect(server);
  const first = await client.listen({ resourcesListChanged: true });
  const second = await client.listen({ resourcesListChanged: true });
  await expect(client.listen({ resourcesListChanged: true })).rejects.toThrow(/streams|503/);
  await first.close();
  await expect
    .poll(() =>
      client.listen({ resourcesListChanged: true }).then(
        () => "open",
        () => "refused",
      ),
    )
    .toBe("open");
  holders.delete("secret");
  expect(await second.closed).not.toBe("local");
});
