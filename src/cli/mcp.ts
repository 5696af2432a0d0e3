import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parse } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Command, Option } from "commander";
import { type Client, makeClient } from "../client/client.ts";
import {
  DisconnectedError,
  doubted,
  findWorkspace,
  locateDaemon,
  lookForDaemon,
  RefusedError,
} from "../client/index.ts";
import { dialing } from "../client/node.ts";
import type { Wire } from "../client/wire.ts";
import { packageVersion } from "../package.ts";
import { startInBackground, workspaceFolder } from "./background.ts";
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

/** The longest time to try to reach a daemon that runs or starts. */
const PATIENCE_MS = 15_000;
const LONGEST_PAUSE_MS = 1_000;

/** Returns a client that finds or starts the workspace's daemon whenever it needs one. */
function clientOf(root: string, name: string): Client {
  const token = process.env["SPLICED_TOKEN"];
  const dial = dialing({ folder: root, token });
  return makeClient((hearer, signal) => dialOrStart(root, token, () => dial(hearer, signal), signal), {
    name,
    reconnect: "on demand",
    lasting: true,
  });
}

/** Dials the daemon, and starts it if none runs. Other clients may be starting it at the same time. */
async function dialOrStart(
  root: string,
  token: string | undefined,
  dial: () => Promise<Wire>,
  signal: AbortSignal,
): Promise<Wire> {
  const started = performance.now();
  for (let pause = 20; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      if (locateDaemon(root) === undefined) await startInBackground(root, { untilUnused: true });
      return await dial();
    } catch (error) {
      if (token !== undefined && error instanceof RefusedError && error.code === "UNAUTHENTICATED")
        throw new CommandError(EXIT.refused, "the token in SPLICED_TOKEN is not a token of this workspace");
      const another = error instanceof CommandError && error.message.startsWith(ANOTHER);
      if (!(another || error instanceof DisconnectedError)) throw error;
      if (signal.aborted || performance.now() - started > PATIENCE_MS) {
        const found = lookForDaemon(root);
        throw another && found.kind === "doubtful"
          ? new CommandError(EXIT.noDaemon, `${error.message}; ${doubted(found)}`)
          : error;
      }
    }
    await wait(pause);
  }
}

/** The beginning of the error of a daemon that finds another daemon on its workspace. */
const ANOTHER = "a daemon already serves";
