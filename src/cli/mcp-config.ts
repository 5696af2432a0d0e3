/** The MCP clients whose configuration format is known. */
export const CLIENTS = ["claude", "cursor", "vscode", "codex"] as const;
export type McpClient = (typeof CLIENTS)[number];

interface ClientConfig {
  /** The configuration file, described for a person. */
  readonly file: string;
  readonly text: string;
}

/**
 * Returns the configuration with which an MCP client runs a command as the server `spliced`. `env` has the variables
 * that the command needs, because clients do not pass on the user's environment.
 */
export function mcpConfig(
  client: McpClient,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ClientConfig {
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
        // A string or an array of strings is the same in JSON and in TOML.
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
