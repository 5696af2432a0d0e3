import { expect, test } from "vitest";
import { CLIENTS, mcpConfig } from "../../src/cli/mcp-config.ts";

const ARGS = ["/opt/spliced.js", "mcp", '/home/ada/my "notes"'];

test("[MC15] each client's configuration names the command in the client's own format", () => {
  const text = Object.fromEntries(
    CLIENTS.map((client) => [client, mcpConfig(client, "/bin/node", ARGS).text]),
  );
  const server = { command: "/bin/node", args: ARGS };
  expect(JSON.parse(text["claude"]!)).toEqual({ mcpServers: { spliced: server } });
  expect(JSON.parse(text["cursor"]!)).toEqual({ mcpServers: { spliced: server } });
  expect(JSON.parse(text["vscode"]!)).toEqual({ servers: { spliced: { type: "stdio", ...server } } });
  expect(text["codex"]).toBe(
    '[mcp_servers.spliced]\ncommand = "/bin/node"\nargs = ["/opt/spliced.js","mcp","/home/ada/my \\"notes\\""]',
  );
  const env = { XDG_STATE_HOME: "/state" };
  expect(JSON.parse(mcpConfig("claude", "/bin/node", ARGS, env).text).mcpServers.spliced.env).toEqual(env);
  expect(mcpConfig("codex", "/bin/node", ARGS, env).text).toMatch(/\nenv\.XDG_STATE_HOME = "\/state"$/);
});
