const FILES = {
  claude: ".mcp.json",
  cursor: ".cursor/mcp.json",
  vscode: ".vscode/mcp.json",
  codex: ".codex/config.toml",
  gemini: ".gemini/settings.json",
  opencode: "opencode.json",
  qwen: ".qwen/settings.json",
  copilot: ".mcp.json",
  kilo: "kilo.json",
} as const;

/** The MCP clients whose configuration is known. */
export type McpClient = keyof typeof FILES;
export const CLIENTS = Object.keys(FILES) as McpClient[];

/** Returns the configuration file of a client, relative to the project. */
export function mcpFile(client: McpClient): string {
  return FILES[client];
}
