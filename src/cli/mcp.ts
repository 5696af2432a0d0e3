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

/** `mcp`: what an MCP client runs. */
export function mcpCommand(program: Command): void {
  program
    .command("mcp")
    .description("serve an MCP client over standard input and output, as Claude Code, Cursor or Codex run it")
    .argument("[folder]", "a folder in the workspace", ".")
    .addOption(
      new Option("--print-config <client>", "print what to put into a client's configuration").choices(
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
An MCP client starts this by itself; you only tell it how:
  $ spliced mcp --print-config claude > .mcp.json       for Claude Code, in your project
  $ spliced mcp --print-config codex >> ~/.codex/config.toml

The daemon of the workspace is found, or started in the background when none runs. Edits are shown under the name
that the client gives itself, or under --agent <name> or $SPLICED_AGENT. With $SPLICED_TOKEN, as spliced token add
makes one, the agent may do what that token allows; else everything.`;

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

/** The snippet goes to standard output, and where to put it beside it, so that it may be redirected. */
function printConfig(folder: string, client: McpClient, { agent }: McpOptions): void {
  const script = realpathSync(process.argv[1]!);
  const args = [script, "mcp", serving(folder), ...(agent === undefined ? [] : ["--agent", agent])];
  // Without it the daemon and the commands of a shell that sets it would have two keys.
  const home = process.env["XDG_STATE_HOME"];
  const env = home === undefined ? {} : { XDG_STATE_HOME: home };
  const { file, text } = mcpConfig(client, process.execPath, args, env);
  remark(`put this into ${file}:`);
  printText(text);
}

/**
 * The workspace that a folder is in, else the folder itself, as what an MCP client begins in. Never a home or
 * root folder that nobody asked for: clients that are not run in a project begin there.
 */
function serving(folder: string): string {
  const given = workspaceFolder(folder);
  const root = findWorkspace(given) ?? given;
  if (folder === "." && (root === homedir() || root === parse(root).root))
    throw new CommandError(
      EXIT.usage,
      `${root} would be served as a whole`,
      "name the project's folder: spliced mcp <folder>",
    );
  return root;
}

/** How long a daemon that is there, or about to be, is tried for. */
const PATIENCE_MS = 15_000;
const LONGEST_PAUSE_MS = 1_000;

/** A client that finds the workspace's daemon whenever it needs one, or starts it. */
function clientOf(root: string, name: string): Client {
  const token = process.env["SPLICED_TOKEN"];
  const dial = dialing({ folder: root, token });
  return makeClient((hearer, signal) => patiently(root, token, () => dial(hearer, signal), signal), {
    name,
    reconnect: "on demand",
  });
}

/** Others may be starting the daemon at the same time. */
async function patiently(
  root: string,
  given: string | undefined,
  dial: () => Promise<Wire>,
  signal: AbortSignal,
): Promise<Wire> {
  const started = performance.now();
  for (let pause = 20; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      if (locateDaemon(root) === undefined) await startInBackground(root);
      return await dial();
    } catch (error) {
      if (given !== undefined && error instanceof RefusedError && error.code === "UNAUTHENTICATED")
        throw new CommandError(EXIT.refused, "the token in SPLICED_TOKEN is none of this workspace's");
      const another = error instanceof CommandError && error.message.startsWith(ANOTHER);
      if (!(another || error instanceof DisconnectedError)) throw error;
      if (signal.aborted || performance.now() - started > PATIENCE_MS) {
        const sight = lookForDaemon(root);
        throw another && sight.kind === "doubtful"
          ? new CommandError(EXIT.noDaemon, `${error.message}; ${doubted(sight)}`)
          : error;
      }
    }
    await wait(pause);
  }
}

/** How a daemon begins its last words that found another one on its workspace. */
const ANOTHER = "a daemon already serves";
