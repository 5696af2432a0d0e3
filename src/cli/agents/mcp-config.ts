import {
  editSettings,
  type Settings,
  type SettingsFile,
  settingsProblem,
} from "../../hooks/edit-settings.ts";
import { type Data, fromJson, isMap, type Json } from "../../structured/data.ts";
import { type McpClient, mcpFile } from "./mcp-clients.ts";

/** A command that an MCP client runs as the server `spliced`. */
export interface McpCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The variables that the command needs, because clients do not pass on the user's environment. */
  readonly env: Readonly<Record<string, string>>;
}

interface ClientFormat {
  /** The setting that has all servers. */
  readonly servers: string;
  /** The name with which the client replaces the project's folder; undefined where it starts commands there. */
  readonly folder?: string;
  readonly server: (command: McpCommand) => Json;
}

const plain = ({ command, args, env }: McpCommand): { [key: string]: Json } => ({
  command,
  args: [...args],
  ...(Object.keys(env).length > 0 && { env: { ...env } }),
});

/** The format of opencode, on which Kilo Code is built. */
const OPENCODE: ClientFormat = {
  servers: "mcp",
  server: ({ command, args, env }) => ({
    type: "local",
    command: [command, ...args],
    enabled: true,
    ...(Object.keys(env).length > 0 && { environment: { ...env } }),
  }),
};

const FORMATS: Readonly<Record<McpClient, ClientFormat>> = {
  claude: { servers: "mcpServers", server: plain },
  cursor: {
    servers: "mcpServers",
    folder: `\${workspaceFolder}`,
    server: plain,
  },
  vscode: {
    servers: "servers",
    folder: `\${workspaceFolder}`,
    server: (command) => ({ type: "stdio", ...plain(command) }),
  },
  codex: { servers: "mcp_servers", server: plain },
  gemini: { servers: "mcpServers", server: plain },
  opencode: OPENCODE,
  qwen: { servers: "mcpServers", server: plain },
  copilot: { servers: "mcpServers", server: plain },
  kilo: OPENCODE,
};

/** Returns the command that any checkout of a project can run. It never installs a package that has the name. */
export function mcpCommandFor(
  client: McpClient,
  { agent, env }: { readonly agent?: string | undefined; readonly env: McpCommand["env"] },
): McpCommand {
  const { folder } = FORMATS[client];
  const args = ["--no-install", "spliced", "mcp", ...(folder === undefined ? [] : [folder])];
  return { command: "npx", args: [...args, ...(agent === undefined ? [] : ["--agent", agent])], env };
}

/**
 * Returns a client's configuration with the server `spliced`, and everything else as it was. `text` is undefined if
 * there is no file. @throws SettingsProblem
 */
export function withMcpServer(client: McpClient, text: string | undefined, command: McpCommand): string {
  const { servers: key, server } = FORMATS[client];
  return editSettings(fileOf(client), text, (settings) => {
    const servers = new Map(serversOf(client, settings));
    servers.set("spliced", fromJson(server(command)) as Data);
    return new Map(settings).set(key, servers);
  });
}

/**
 * Returns a client's configuration without the server `spliced`, and everything else as it was; undefined if nothing
 * else is in the file, so that the caller should remove it. @throws SettingsProblem
 */
export function withoutMcpServer(client: McpClient, text: string): string | undefined {
  const { servers: key } = FORMATS[client];
  const left = editSettings(fileOf(client), text, (settings) => {
    const servers = new Map(serversOf(client, settings));
    if (!servers.delete("spliced")) return settings;
    const all = new Map(settings);
    if (servers.size > 0) all.set(key, servers);
    else all.delete(key);
    return all;
  });
  if (text.trim() === "") return text;
  return isEmpty(left) && !isEmpty(text) ? undefined : left;
}

/** Returns true for a file without settings and comments. */
function isEmpty(text: string): boolean {
  return /^\s*(\{\s*\}\s*)?$/.test(text);
}

function serversOf(client: McpClient, settings: Settings): Settings {
  const { servers: key } = FORMATS[client];
  const servers = settings.get(key) ?? new Map<string, Data>();
  if (!isMap(servers)) throw settingsProblem(fileOf(client), `\`${key}\` is no object`);
  return servers;
}

function fileOf(client: McpClient): SettingsFile {
  return {
    file: mcpFile(client),
    remedy: `add the server by hand from: spliced mcp --print-config ${client}`,
  };
}

/** Returns the configuration with which a client connects to a running daemon by HTTP. */
export function httpConfig(url: string): string {
  const headers = { Authorization: `Bearer \${SPLICED_TOKEN}` };
  return JSON.stringify({ mcpServers: { spliced: { type: "http", url: `${url}/mcp`, headers } } }, null, 2);
}
