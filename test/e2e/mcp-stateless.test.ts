import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { atEnd } from "./cleanup.ts";
import { BIN, type ServedFolder } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";

const NOTES = "# Notes\n\nMonday at ten\nwith Ada\n";
const URI = "spliced://doc/notes.md";
const OLD_VERSIONS = ["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

async function connect(
  transport: "stdio" | "http",
  folder: Folder,
  { located }: ServedFolder,
): Promise<Client> {
  const client = new Client(
    { name: "newcomer", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  atEnd(() => client.close());
  const env = { ...getDefaultEnvironment(), XDG_STATE_HOME: process.env["XDG_STATE_HOME"]! };
  const stdio = {
    command: process.execPath,
    args: [BIN, "mcp"],
    cwd: folder.root,
    env,
    stderr: "ignore" as const,
  };
  const headers = { authorization: `Bearer ${located.token}` };
  await client.connect(
    transport === "stdio"
      ? new StdioClientTransport(stdio)
      : new StreamableHTTPClientTransport(new URL(`${located.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

async function say(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((part) => ("text" in part ? part.text : "")).join("\n");
  if (isError === true) throw new Error(`${name} was refused: ${text}`);
  return text;
}

describe("version 2026-07-28 of MCP", () => {
  for (const transport of ["stdio", "http"] as const)
    test(`[MC53, MC54, MC56] over ${transport}: reads, hears of changes, and edits from its read, also after a restart`, async () => {
      const folder = makeFolder({ "notes.md": NOTES });
      const daemon = await serveFolder(folder.root);
      const client = await connect(transport, folder, daemon);
      const heard: string[] = [];
      client.setNotificationHandler(
        "notifications/resources/updated",
        ({ params }) => void heard.push(params.uri),
      );
      await say(client, "read", { path: "notes.md" });
      await client.listen({ resourceSubscriptions: [URI] });
      const bob = await daemon.connect({ name: "bob" });
      await bob.request("edit.replace", { path: "notes.md", old: "with Ada", new: "with Bob" });
      await expect.poll(() => heard).toEqual([URI]);
      await daemon.stop();
      const again = await serveFolder(folder.root);
      const later = transport === "stdio" ? client : await connect(transport, folder, again);
      expect(await say(later, "edit", { path: "notes.md", old: "Monday", new: "Tuesday" })).toContain("bob");
      expect(folder.read("notes.md")).toBe("# Notes\n\nTuesday at ten\nwith Bob\n");
    });

  test("[MC53] beside it, the same port begins sessions of each older version", async () => {
    const { located } = await serveFolder(makeFolder({ "notes.md": NOTES }).root);
    for (const protocolVersion of OLD_VERSIONS) {
      const answer = await fetch(`${located.url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${located.token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion, capabilities: {}, clientInfo: { name: "old", version: "1" } },
        }),
      });
      expect(answer.headers.get("mcp-session-id"), protocolVersion).toMatch(/./);
      expect(await answer.text()).toContain(`"protocolVersion":"${protocolVersion}"`);
    }
  });
});
