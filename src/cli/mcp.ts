import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parse } from "node:path";
import { type Command, Option } from "commander";
import { findWorkspace } from "../client/locate.ts";
import { packageVersion } from "../package.ts";
import { workspaceFolder } from "./background.ts";
import { CLIENTS, type McpClient, mcpConfig } from "./mcp-config.ts";
import { CommandError, EXIT, printText, remark } from "./output.ts";
import type { Common } from "./session.ts";

interface McpOptions extends Common {
  readonly printConfig?: McpClient;
}

/** Adds `mcp`, the command that an MCP client runs. */
export function mcpCommand(program: Command): void {
  program
    .command("mcp")
    .description("serve an MCP client such as Claude Code, Cursor or Codex, which starts this command itself")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .addOption(
      new Option("--print-config <client>", "print the configuration for a client, and exit").choices(
        CLIENTS,
      ),
    )
    .addHelpText("after", HELP)
    .action((folder: string, _options, command: Command) => {
      const options = command.optsWithGlobals<McpOptions>();
      return options.printConfig === undefined
        ? serve(folder, options)
        : printConfig(folder, options.printConfig, options);
    });
}

const HELP = `
Add spliced to your client's configuration:
  $ spliced mcp --print-config claude > .mcp.json       for Claude Code, in your project
  $ spliced mcp --print-config codex >> ~/.codex/config.toml

The command uses the workspace's daemon, and starts one in the background if none runs. The author of edits is the
client's name, or the name in --agent or $SPLICED_AGENT. Without $SPLICED_TOKEN, the agent may do everything. With a
token from spliced token add, it may do what that token allows.`;

async function serve(folder: string, { agent }: McpOptions): Promise<void> {
  const root = serving(folder);
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ended.abort());
  const { serveStdio } = await import("../mcp/stdio.ts");
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

/** Prints the configuration to standard output, and where it belongs to standard error. */
function printConfig(folder: string, client: McpClient, { agent }: McpOptions): void {
  const script = realpathSync(process.argv[1]!);
  const args = [script, "mcp", serving(folder), ...(agent === undefined ? [] : ["--agent", agent])];
  // Without this variable the daemon would use another key than the commands in the user's shell.
  const home = process.env["XDG_STATE_HOME"];
  const env = home === undefined ? {} : { XDG_STATE_HOME: home };
  const { file, text } = mcpConfig(client, process.execPath, args, env);
  remark(`put this into ${file}:`);
  printText(text);
}

/**
 * Returns the workspace that a folder is in, or else the folder. @throws CommandError for a home or root folder that
 * the caller did not name, because a client that runs outside a project starts there
 */
function serving(folder: string): string {
  const given = workspaceFolder(folder);
  const root = findWorkspace(given) ?? given;
  if (folder === "." && (root === homedir() || root === parse(root).root))
    throw new CommandError(
      EXIT.usage,
      `no folder was named, so spliced would serve all of ${root}`,
      "name the project's folder: spliced mcp <folder>",
    );
  return root;
}
