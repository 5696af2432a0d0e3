import { describe, expect, test } from "vitest";
import { CLIENTS, mcpFile } from "../../src/cli/agents/mcp-clients.ts";
import {
  httpConfig,
  mcpCommandFor,
  withMcpServer,
  withoutMcpServer,
} from "../../src/cli/agents/mcp-config.ts";
import { HOOK_CLIENTS } from "../../src/hooks/input.ts";
import { settingsFile } from "../../src/hooks/settings.ts";
import { Protection } from "../../src/workspace/access/protection.ts";

const made = (client: (typeof CLIENTS)[number], text?: string, env = {}) =>
  withMcpServer(client, text, mcpCommandFor(client, { env }));

describe("the configuration of an MCP client", () => {
  const server = { command: "npx", args: ["--no-install", "spliced", "mcp"] };

  test("[MC15] names the command in the client's own format", () => {
    const inFolder = { command: "npx", args: ["--no-install", "spliced", "mcp", `\${workspaceFolder}`] };
    expect(JSON.parse(made("claude"))).toEqual({ mcpServers: { spliced: server } });
    expect(JSON.parse(made("cursor"))).toEqual({ mcpServers: { spliced: inFolder } });
    expect(JSON.parse(made("vscode"))).toEqual({ servers: { spliced: { type: "stdio", ...inFolder } } });
    expect(JSON.parse(made("gemini"))).toEqual({ mcpServers: { spliced: server } });
    expect(JSON.parse(made("qwen"))).toEqual({ mcpServers: { spliced: server } });
    expect(JSON.parse(made("copilot"))).toEqual({ mcpServers: { spliced: server } });
    const local = { type: "local", command: ["npx", "--no-install", "spliced", "mcp"], enabled: true };
    for (const client of ["opencode", "kilo"] as const)
      expect(JSON.parse(made(client)), client).toEqual({ mcp: { spliced: local } });
    expect(made("codex")).toMatch(
      /^\[mcp_servers\.spliced\]\ncommand = "npx"\nargs = \["--no-install", "spliced", "mcp"\]\n$/m,
    );
  });

  test("[MC46] names no path of this machine, but the state folder where the user moved it", () => {
    for (const client of CLIENTS) expect(made(client), client).not.toMatch(/[" ]\/|~/);
    const env = { XDG_STATE_HOME: "/state" };
    expect(JSON.parse(made("claude", undefined, env)).mcpServers.spliced.env).toEqual(env);
    expect(made("codex", undefined, env)).toContain("/state");
    expect(mcpCommandFor("claude", { agent: "ada", env: {} }).args).toEqual([
      "--no-install",
      "spliced",
      "mcp",
      "--agent",
      "ada",
    ]);
  });

  test("[PF4] agents below admin cannot change what these files run", () => {
    const protection = new Protection();
    const others = ["kilo.jsonc", ".kilo/kilo.jsonc", ".kilocode/mcp.json", ".github/mcp.json"];
    const hooks = HOOK_CLIENTS.map(settingsFile);
    for (const file of [...CLIENTS.map(mcpFile), ...hooks, ...others])
      expect(protection.protectedBy(file), file).toBe("setting");
  });

  test("[MC44] keeps comments, other servers and other settings byte for byte", () => {
    const json = '// mine\n{\n  "mcpServers": {\n    "other": { "command": "x" }, // theirs\n  },\n}\n';
    const merged = made("claude", json);
    for (const line of json.split("\n").slice(0, 4)) expect(merged).toContain(line);
    expect(made("claude", merged)).toBe(merged);
    const toml = '# mine\nmodel = "o9"\n\n[mcp_servers.other]\ncommand = "x" # theirs\n';
    expect(made("codex", toml)).toContain('command = "x" # theirs\n');
    expect(made("codex", toml)).toMatch(/^# mine\nmodel = "o9"\n/);
    expect(made("codex", made("codex", toml))).toBe(made("codex", toml));
  });

  test("[MC74] --uninstall takes the server out and leaves everything else", () => {
    const json = '// mine\n{\n  "mcpServers": {\n    "other": { "command": "x" }, // theirs\n  },\n}\n';
    const toml = '# mine\nmodel = "o9"\n\n[mcp_servers.other]\ncommand = "x" # theirs\n';
    for (const [client, text] of [
      ["claude", json],
      ["vscode", '{\n  "inputs": []\n}\n'],
      ["opencode", '{\n  "$schema": "x"\n}\n'],
      ["codex", toml],
    ] as const) {
      expect(withoutMcpServer(client, made(client, text))?.trimEnd(), client).toBe(text.trimEnd());
      expect(withoutMcpServer(client, text), client).toBe(text);
    }
  });

  test("[MC74] --uninstall removes a file that has nothing else", () => {
    for (const client of CLIENTS) expect(withoutMcpServer(client, made(client)), client).toBeUndefined();
    expect(withoutMcpServer("claude", "{}\n")).toBe("{}\n");
    expect(withoutMcpServer("codex", "")).toBe("");
  });

  test("[MC44] is refused with a remedy where the file is invalid", () => {
    for (const [client, text] of [
      ["claude", "{"],
      ["claude", "[]"],
      ["vscode", '{"servers": []}'],
      ["codex", "="],
    ] as const)
      expect(() => made(client, text), text).toThrow(
        new RegExp(`${mcpFile(client)} was not changed: .*--print-config ${client}`),
      );
  });

  test("[MC15] over HTTP names the daemon's address, and a variable in place of a token", () => {
    expect(JSON.parse(httpConfig("http://127.0.0.1:7754")).mcpServers.spliced).toEqual({
      type: "http",
      url: "http://127.0.0.1:7754/mcp",
      headers: { Authorization: `Bearer \${SPLICED_TOKEN}` },
    });
  });
});
