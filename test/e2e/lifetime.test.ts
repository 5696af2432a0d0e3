import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { locateDaemon } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { BIN } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { until } from "./until.ts";

/** Starts `spliced mcp` as a client does, in a process group of its own, and waits for its daemon. */
async function mcpClient(root: string) {
  const child = spawn(process.execPath, [BIN, "mcp", root], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  atEnd(() => cli(root, ["stop"]));
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const daemon = (await until("the daemon is there", () => locateDaemon(root)))!;
  return { child, daemon };
}

/** Returns the parent and the process group of a process. */
function familyOf(pid: number): { readonly parent: number; readonly group: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [, parent, group] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return { parent: parent!, group: group! };
}

test.runIf(process.platform === "linux")(
  "[LT3, MY2, MY5] a daemon that an MCP client started is nobody's child, and lives on when the client's group is killed",
  async () => {
    const { root } = makeFolder({ "a.md": "one\n" });
    const { child, daemon } = await mcpClient(root);
    const family = familyOf(daemon.pid);
    expect(family.parent).not.toBe(child.pid);
    expect(family.group).not.toBe(child.pid);
    const words = readFileSync(`/proc/${daemon.pid}/cmdline`, "utf8").split("\0");
    expect(words.slice(1, -1)).toEqual([
      "--max-semi-space-size=4",
      "--min-semi-space-size=4",
      BIN,
      "run",
      root,
      "--json",
      "--until-unused",
    ]);
    const variables = readFileSync(`/proc/${daemon.pid}/environ`, "utf8").split("\0");
    expect(variables).toContain("MALLOC_ARENA_MAX=2");
    process.kill(-child.pid!, "SIGKILL");
    await until("the client is gone", () => child.exitCode !== null || child.signalCode !== null);
    expect((await cli(root, ["cat", "a.md"])).out).toBe("one\n");
  },
);

further(
  "[LT1] it ends once nobody has used it for the rest time, and one that a person started does not",
  async () => {
    const settings =
      'import { defineConfig } from "spliced";\nexport default defineConfig({ restMinutes: 0.02 });\n';
    const { root } = makeFolder({ "a.md": "one\n", "daemon.config.ts": settings });
    const { child } = await mcpClient(root);
    child.stdin.end();
    await until("the daemon has ended", () => locateDaemon(root) === undefined);
    expect((await cli(root, ["start"])).code).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(locateDaemon(root)).toBeDefined();
  },
);

further(
  "[LT2] a daemon has the port and the token of the one before, and answers its HTTP clients",
  async () => {
    const { root } = makeFolder({ "a.md": "one\n" });
    atEnd(() => cli(root, ["stop"]));
    expect((await cli(root, ["start"])).code).toBe(0);
    const before = locateDaemon(root)!;
    const post = async (body: object, session?: string) => {
      const headers = {
        authorization: `Bearer ${before.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session !== undefined && { "mcp-session-id": session }),
      };
      return fetch(`${before.url}/mcp`, {
        method: "POST",
        headers,
        body: JSON.stringify({ jsonrpc: "2.0", ...body }),
      });
    };
    const clientInfo = { name: "gemini-cli-mcp-client", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const begun = await post({ id: 1, method: "initialize", params });
    const session = begun.headers.get("mcp-session-id")!;
    await begun.text();
    expect((await cli(root, ["stop"])).code).toBe(0);
    expect((await cli(root, ["start"])).code).toBe(0);
    const after = locateDaemon(root)!;
    expect({ url: after.url, token: after.token }).toEqual({ url: before.url, token: before.token });
    const edit = { name: "write", arguments: { path: "new.md", text: "x" } };
    const answer = await post({ id: 2, method: "tools/call", params: edit }, session);
    expect(answer.status).toBe(200);
    await answer.text();
    expect((await cli(root, ["history", "new.md"])).out).toContain("gemini-cli-mcp-client");
  },
);
