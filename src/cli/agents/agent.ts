import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Command } from "commander";
import type { Answerer, Log } from "../../agent/answerer.ts";
import { KNOWN_AGENTS, type KnownAgent } from "../../agent/known.ts";
import { givenToken } from "../../client/given-token.ts";
import { packageVersion } from "../../package.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { quoteUnknown } from "../../text/diff/nearest-name.ts";
import { type AgentConnections, answering, type Common, provenHere } from "../connection/session.ts";
import { countTo, parseCount } from "../terminal/arguments.ts";
import { CommandError, EXIT, paint, print, printJson, remark } from "../terminal/output.ts";
import { typed } from "../terminal/typed.ts";

interface AgentOptions extends Common {
  readonly openai?: string;
  readonly model?: string;
  readonly keyFrom: string;
  readonly budget: number;
  readonly context: number;
  readonly limit: number;
  readonly patience: number;
  readonly list?: boolean;
  readonly lane?: boolean;
}

/** A timer of Node that would last longer ends at once. */
const MOST_SECONDS = 2_000_000;

/** Adds `agent`, the process that answers the threads of the current folder. */
export function agentCommand(program: Command): void {
  program
    .command("agent")
    .description("answer the threads of this folder with a model, or with an agent such as claude or gemini")
    .argument("[command...]", "claude, codex, gemini, opencode, qwen, or a program that speaks ACP")
    .option("--openai <base-url>", "answer with a model behind an OpenAI-compatible endpoint")
    .option("--model <name>", "the model, with --openai")
    .option("--key-from <variable>", "the environment variable that has the endpoint's key", "OPENAI_API_KEY")
    .option(
      "--budget <tokens>",
      "with --openai: most tokens to read and write for one answer",
      parseCount,
      200_000,
    )
    .option(
      "--context <tokens>",
      "with --openai: most tokens of a thread and its documents",
      parseCount,
      32_000,
    )
    .option("--limit <seconds>", "the longest that one answer may take", countTo(MOST_SECONDS), 600)
    .option("--patience <seconds>", "the longest silence of the endpoint", countTo(MOST_SECONDS), 120)
    .option(
      "--lane",
      "run the agent in a lane of its name, a live folder of its own; make it if there is none",
    )
    .option("--list", "list the agents that are installed, and how to get the others")
    .addHelpText("after", HELP)
    .action((words: string[], _options, command: Command) => {
      const options = command.optsWithGlobals<AgentOptions>();
      if (options.list) return list(options);
      const problem = problemOf(words, options);
      if (problem !== undefined) command.error(`error: ${problem}`);
      return run(words, options);
    });
}

const HELP = `
The command runs until you end it with Ctrl-C, and answers each message that nobody else answers. A message that begins
with @name waits for the agent of that name; --agent gives the name. The agent may do what its token allows: without
$SPLICED_TOKEN, everything. A token that may only propose makes every edit a proposal:
  $ spliced token add bot --allow "**=propose"
  $ SPLICED_TOKEN=… spliced agent gemini

From nothing to an answer:
  $ spliced start
  $ spliced agent --openai http://127.0.0.1:11434/v1 --model qwen3 &
  $ spliced chat notes.md "Shorten the introduction."

The key of the endpoint is read from $OPENAI_API_KEY, or from the variable in --key-from, and from nowhere else.

With --lane the agent works in a folder of its own. Whatever it writes there, also by shell commands, is the agent's and
follows its token's rules. To have its writes wait for approval, make the lane with: spliced lane add <name> --propose

Examples:
  $ spliced agent claude --lane                         in a lane; see: spliced lane ls
  $ spliced agent --list                                what is installed
  $ spliced agent claude
  $ spliced agent --openai https://api.openai.com/v1 --model gpt-5
  $ spliced agent --agent editor -- node my-agent.js    a program of your own`;

function problemOf(words: readonly string[], { openai, model, lane }: AgentOptions): string | undefined {
  if (openai !== undefined && lane) return "--lane is for agents; a model behind --openai writes no files";
  if (openai === undefined && words.length === 0) return "name an agent, or an endpoint with --openai";
  if (openai !== undefined && words.length > 0) return "give an agent or --openai, not both";
  if ((openai === undefined) !== (model === undefined)) return "give --openai and --model together";
  if (openai === undefined) return undefined;
  if (!URL.canParse(openai)) return `--openai ${openai} is no URL, such as http://127.0.0.1:11434/v1`;
  const { protocol, username, password } = new URL(openai);
  if (protocol !== "http:" && protocol !== "https:") return "--openai takes an http or https URL";
  if (username !== "" || password !== "")
    return "--openai takes a URL without a password; give the key in an environment variable (--key-from)";
  return undefined;
}

async function run(words: readonly string[], options: AgentOptions): Promise<void> {
  const { openai, agent, limit } = options;
  const { safeName } = await import("../../protocol/base/names.ts");
  const name = safeName(agent ?? defaultName(words, options), "mcp");
  const command = openai === undefined ? commandOf(words) : undefined;
  const located = await provenHere(process.cwd(), "this folder");
  const log = logger(options);
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => ended.abort());
  const { attend } = await import("../../agent/attend.ts");
  await answering(located, name, async (connections) => {
    const answerer =
      command === undefined
        ? await modelAnswerer(openai!, name, options)
        : await agentAnswerer(command, name, located.root, options, connections, log);
    try {
      remark(`${name} answers the threads of ${located.root}; end it with Ctrl-C`);
      const { connect } = connections;
      await attend({ name, connect, answerer, limitMs: limit * 1000, log, ended: ended.signal });
    } finally {
      await answerer.close();
    }
  });
}

/** The names of this machine. */
const LOCAL = /^(localhost|127\.[\d.]+|\[::1\])$/;

async function modelAnswerer(baseUrl: string, name: string, options: AgentOptions): Promise<Answerer> {
  const { keyFrom, budget, context, patience } = options;
  const { ModelAnswerer } = await import("../../agent/openai/model-answerer.ts");
  const key = process.env[keyFrom] || undefined;
  const { protocol, hostname } = new URL(baseUrl);
  if (key !== undefined && protocol === "http:" && !LOCAL.test(hostname))
    remark(
      `the key in $${keyFrom} goes to ${hostname} without encryption; use an https URL, or unset $${keyFrom}`,
    );
  const patienceMs = patience * 1000;
  return new ModelAnswerer({ baseUrl, key, model: options.model!, name, budget, context, patienceMs });
}

async function agentAnswerer(
  command: readonly [string, ...string[]],
  name: string,
  root: string,
  { lane: inLane = false }: AgentOptions,
  connections: AgentConnections,
  log: Log,
): Promise<Answerer> {
  const { AcpAnswerer } = await import("../../agent/acp/acp-answerer.ts");
  const { connectOwner } = connections;
  const lane = inLane ? await laneOf(name, connections) : undefined;
  const restricted = givenToken() !== undefined && lane === undefined;
  const place = { root: lane?.folder ?? root, restricted, lane: lane?.agent };
  const mcpServers = [ownMcpServer(name, root)];
  return new AcpAnswerer({
    command,
    name,
    ...place,
    workspace: root,
    version: packageVersion(),
    connectOwner,
    mcpServers,
    log,
  });
}

/** Returns the command that starts an agent. @throws CommandError if its program is not there */
function commandOf(words: readonly string[]): readonly [string, ...string[]] {
  const known = words.length === 1 ? KNOWN_AGENTS.find((agent) => agent.name === words[0]) : undefined;
  const command = known?.command ?? (words as readonly [string, ...string[]]);
  if (isInstalled(command)) return command;
  if (known !== undefined)
    throw new CommandError(
      EXIT.refused,
      `${command[0]} is not installed`,
      `get it with: ${installing(known)}`,
    );
  const names = KNOWN_AGENTS.map(({ name }) => name);
  throw new CommandError(
    EXIT.refused,
    `there is no program ${quoteUnknown(command[0], names)}`,
    `give one of ${names.join(", ")}, or a program that speaks ACP`,
  );
}

/** Returns the agent's lane, made if there is none. The rules of the agent's token apply in it. @throws CommandError */
async function laneOf(
  name: string,
  { connect, connectOwner }: AgentConnections,
): Promise<Result<"lane.add">> {
  const own = await connect(false);
  const [token = ""] = own.hello.agent.id.split("/", 1); // an identity is the token's name, a slash and the agent's
  await own.close();
  const owner = await connectOwner();
  try {
    const { lanes } = await owner.request("lane.list", {});
    const there = lanes.find((lane) => lane.name === name);
    const lane = there ?? (await owner.request("lane.add", { name, token }));
    if (lane.token !== token)
      throw new CommandError(
        EXIT.refused,
        `the lane ${name} is for the token ${lane.token}, not for ${token}`,
      );
    if (there === undefined) remark(`made the lane ${lane.folder}`);
    return lane;
  } finally {
    await owner.close();
  }
}

/** Returns the command with which an agent starts our MCP server; its edits have the agent's name and token. */
function ownMcpServer(name: string, root: string) {
  const script = realpathSync(process.argv[1]!);
  const env = ["SPLICED_TOKEN", "XDG_STATE_HOME"].flatMap((variable) => {
    const value = process.env[variable];
    return value === undefined ? [] : [{ name: variable, value }];
  });
  return { name: "spliced", command: process.execPath, args: [script, "mcp", root, "--agent", name], env };
}

/** Returns the name under which people call the agent: the agent's, the program's or the model's. */
function defaultName(words: readonly string[], { model }: AgentOptions): string {
  const last = (model ?? words[0])!.split("/").at(-1)!;
  return last.replace(/[^\p{L}\p{N}._-]+/gu, "-");
}

/** Returns the function that writes the log to standard error: metadata only, and the id of the message in each line. */
function logger({ json }: AgentOptions): Log {
  return (event, details = {}) => {
    if (json) return printJson({ time: new Date().toISOString(), event, ...details }, LINE);
    const given = Object.entries(details).filter(([, value]) => value !== undefined);
    remark([event, ...given.map(([key, value]) => `${key}=${value}`)].join("  "));
  };
}

const LINE = { indent: 0, stream: process.stderr };

function list({ json }: AgentOptions): void {
  const found = KNOWN_AGENTS.map((agent) => ({ ...agent, installed: isInstalled(agent.command) }));
  if (json) printJson(found);
  else
    for (const { installed, ...agent } of found) {
      const { name, command } = agent;
      print(
        installed
          ? typed(`${paint("green", name.padEnd(10))} spliced agent ${name}`)
          : `${paint("dim", name.padEnd(10))} not installed; get ${command[0]} with: ${installing(agent)}`,
      );
    }
  if (!json) print(typed(`${"a model".padEnd(10)} spliced agent --openai <base-url> --model <name>`));
}

/** Returns the command that installs an agent's program. */
function installing({ package: from }: KnownAgent): string {
  return `npm install --global ${from}`;
}

/** Returns true if the shell would find the program of a command. */
function isInstalled([program]: readonly [string, ...string[]]): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const files = program.includes("/") ? [program] : folders.map((folder) => join(folder, program));
  return files.some((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
