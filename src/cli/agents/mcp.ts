import { join } from "node:path";
import { type Command, Option } from "commander";
import { findWorkspace, locateDaemon } from "../../client/locate.ts";
import { packageVersion } from "../../package.ts";
import { refuseWholeHome, workspaceFolder } from "../connection/background.ts";
import type { Common } from "../connection/session.ts";
import { CommandError, EXIT, printText, remark } from "../terminal/output.ts";
import { changeSettings, settingsText } from "../terminal/settings-file.ts";
import { CLIENTS, type McpClient, mcpFile } from "./mcp-clients.ts";

interface McpOptions extends Common {
  readonly install?: McpClient;
  readonly uninstall?: McpClient;
  readonly printConfig?: McpClient | "http";
  readonly yes?: boolean;
}

/** Adds `mcp`, the command that an MCP client runs, and which adds itself to the client's configuration. */
export function mcpCommand(program: Command): void {
  program
    .command("mcp")
    .description("connect an MCP client such as Claude Code, Cursor or Codex, which runs this command itself")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .addOption(
      new Option("--install <client>", "add spliced to a client's configuration in the project")
        .choices(CLIENTS)
        .conflicts(["printConfig", "uninstall"]),
    )
    .addOption(
      new Option("--uninstall <client>", "take spliced out of a client's configuration again")
        .choices(CLIENTS)
        .conflicts("printConfig"),
    )
    .addOption(
      new Option("--print-config <client>", "print the configuration for a client, or for HTTP").choices([
        ...CLIENTS,
        "http",
      ]),
    )
    .option("-y, --yes", "with --install and --uninstall: do not ask")
    .addHelpText("after", HELP)
    .action((folder: string, _options, command: Command) => {
      const options = command.optsWithGlobals<McpOptions>();
      if (options.install !== undefined) return install(folder, options.install, options);
      if (options.uninstall !== undefined) return uninstall(folder, options.uninstall, options);
      return options.printConfig === undefined
        ? serve(folder, options)
        : printConfig(folder, options.printConfig, options);
    });
}

const HELP = `
Add spliced to your client's configuration, in your project:
  $ spliced mcp --install claude
The file names no path of this machine, so that you can commit it. --uninstall takes the server out again. Without
arguments the command serves the client that runs it. It uses the workspace's daemon, and starts one in the background
if none runs. The author of edits is the client's name, or the name in --agent or $SPLICED_AGENT. Without
$SPLICED_TOKEN, the agent may do everything. With a token from spliced token add, it may
do what that token allows.`;

async function serve(folder: string, { agent }: McpOptions): Promise<void> {
  const root = serving(folder);
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ended.abort());
  const { serveStdio } = await import("../../mcp/stdio.ts");
  const { clientOf } = await import("./mcp-client.ts");
  await serveStdio(
    {
      version: packageVersion(),
      agent: agent ?? process.env["SPLICED_AGENT"],
      connect: (name) => clientOf(root, name),
      input: process.stdin,
      output: process.stdout,
      log: (line) => remark(`spliced mcp: ${line}`),
    },
    ended.signal,
  );
  process.stdin.destroy();
}

/** Adds the server to a client's configuration in the project, after showing the change. */
async function install(folder: string, client: McpClient, options: McpOptions): Promise<void> {
  const file = join(serving(folder), mcpFile(client));
  const instead = insteadOf(client);
  const before = settingsText(file, instead);
  const { mcpCommandFor, withMcpServer } = await import("./mcp-config.ts");
  const after = withMcpServer(
    client,
    before,
    mcpCommandFor(client, { agent: options.agent, env: stateHome() }),
  );
  await changeSettings(file, before, after, { ...options, instead });
}

/** Takes the server out of a client's configuration in the project, after showing the change. */
async function uninstall(folder: string, client: McpClient, options: McpOptions): Promise<void> {
  const file = join(serving(folder), mcpFile(client));
  const instead = insteadOf(client);
  const before = settingsText(file, instead);
  if (before === undefined) throw new CommandError(EXIT.refused, `there is no ${file}`);
  const { withoutMcpServer } = await import("./mcp-config.ts");
  await changeSettings(file, before, withoutMcpServer(client, before), { ...options, instead });
}

function insteadOf(client: McpClient): string {
  return `print the configuration with: spliced mcp --print-config ${client}`;
}

/** Prints the configuration to standard output, and where it belongs to standard error. */
async function printConfig(folder: string, client: McpClient | "http", { agent }: McpOptions): Promise<void> {
  const { httpConfig, mcpCommandFor, withMcpServer } = await import("./mcp-config.ts");
  if (client === "http") {
    const url = locateDaemon(serving(folder))?.url ?? "http://127.0.0.1:7754";
    remark("for a client that speaks MCP over HTTP; put a token from spliced token add into SPLICED_TOKEN:");
    return printText(httpConfig(url));
  }
  remark(`put this into ${mcpFile(client)} in the project, or run: spliced mcp --install ${client}`);
  printText(withMcpServer(client, undefined, mcpCommandFor(client, { agent, env: stateHome() })));
}

/** Returns the variable without which the daemon would use another key than the commands in the user's shell. */
function stateHome(): Readonly<Record<string, string>> {
  const home = process.env["XDG_STATE_HOME"];
  return home === undefined ? {} : { XDG_STATE_HOME: home };
}

/**
 * Returns the workspace that a folder is in, or else the folder. @throws CommandError for a home or root folder that
 * the caller did not name
 */
function serving(folder: string): string {
  const given = workspaceFolder(folder);
  const root = findWorkspace(given) ?? given;
  refuseWholeHome(folder, root, "mcp");
  return root;
}
