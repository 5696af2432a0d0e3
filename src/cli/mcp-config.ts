/** How MCP clients are told of a server, each in its own format. */

export const CLIENTS = ["claude", "cursor", "vscode", "codex"] as const;
export type McpClient = (typeof CLIENTS)[number];

export interface Snippet {
  /** What to put it into; the first is the project's, where there is one. */
  readonly file: string;
  readonly text: string;
}

/** What the command needs of the user's environment, which clients do not hand on. */
export type ServerEnv = Readonly<Record<string, string>>;

/** What to put where, so that an MCP client runs a command as the server `spliced`. */
export function mcpConfig(
  client: McpClient,
  command: string,
  args: readonly string[],
  env: ServerEnv = {},
): Snippet {
  const needed = Object.entries(env);
  const server = { command, args, ...(needed.length > 0 && { env }) };
  switch (client) {
    case "claude":
      return {
        file: ".mcp.json in the project, for Claude Code",
        text: json({ mcpServers: { spliced: server } }),
      };
    case "cursor":
      return { file: ".cursor/mcp.json in the project", text: json({ mcpServers: { spliced: server } }) };
    case "vscode":
      return {
        file: ".vscode/mcp.json in the project",
        text: json({ servers: { spliced: { type: "stdio", ...server } } }),
      };
    case "codex":
      return {
        file: "~/.codex/config.toml",
        // JSON's strings and arrays of them are TOML's, too.
        text: [
          "[mcp_servers.spliced]",
          `command = ${JSON.stringify(command)}`,
          `args = ${JSON.stringify(args)}`,
          ...needed.map(([name, value]) => `env.${name} = ${JSON.stringify(value)}`),
        ].join("\n"),
      };
  }
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
