import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import {
  findWorkspace,
  isWorktreeOf,
  type Located,
  locateDaemon,
  lookForDaemon,
} from "../../client/locate.ts";
import { processLives } from "../../client/process.ts";
import { challenge, doubted } from "../../client/prove.ts";
import type { Daemon } from "../../daemon/daemon.ts";
import { STATE_FOLDER } from "../../state/folder.ts";
import { StateError } from "../../state/trust.ts";
import {
  refuseSystemFolder,
  refuseWholeHome,
  startInBackground,
  workspaceFolder,
} from "../connection/background.ts";
import { type Common, provenHere, remedyFor, talkTo } from "../connection/session.ts";
import { agrees } from "../terminal/ask.ts";
import { CommandError, EXIT, paint, print, printJson, remark } from "../terminal/output.ts";
import { typed } from "../terminal/typed.ts";

interface RunOptions extends Common {
  readonly config?: string;
  readonly port?: number;
  /** Serve the folder although a daemon serves a folder around it. */
  readonly inside?: boolean;
  /** True for a daemon that a client starts. */
  readonly untilUnused?: boolean;
}

/** Adds the commands that start, stop and examine daemons. */
export function daemonCommands(program: Command): void {
  serving(program.command("run"))
    .description("serve a folder in the foreground until you press ctrl-c")
    .addOption(new Option("--until-unused", "end once no client uses it (setting restMinutes)").hideHelp())
    .action((folder: string, _options, command: Command) =>
      run(folder, command.optsWithGlobals<RunOptions>()),
    );

  serving(program.command("start"))
    .description("serve a folder in the background")
    .action((folder: string, _options, command: Command) =>
      start(folder, command.optsWithGlobals<RunOptions>()),
    );

  serving(program.command("restart"))
    .description("stop the daemon of a folder, if one runs, and start it again in the background")
    .action((folder: string, _options, command: Command) =>
      restart(folder, command.optsWithGlobals<RunOptions>()),
    );

  program
    .command("stop")
    .description("stop the daemon of a folder, which first writes all edits to the files")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .action((folder: string, _options, command: Command) => stop(folder, command.optsWithGlobals<Common>()));

  program
    .command("resume")
    .description("confirm that the files which went missing all at once are deleted")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .action((folder: string, _options, command: Command) =>
      resume(folder, command.optsWithGlobals<Common>()),
    );
}

function serving(command: Command): Command {
  return command
    .argument("[folder]", "the folder to serve", ".")
    .option("-c, --config <file>", "use this configuration instead of the folder's daemon.config.ts")
    .option("-p, --port <number>", "listen on this port only", parsePort)
    .option("--inside", "serve the folder although a daemon serves a folder around it");
}

function parsePort(given: string): number {
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return port;
  throw new InvalidArgumentError("Give a number from 1 to 65535, or 0 for any free port.");
}

async function run(folder: string, options: RunOptions): Promise<void> {
  const { config, port, json, untilUnused } = options;
  const root = workspaceFolder(folder);
  refuseWholeHome(folder, root, "run");
  if (!untilUnused) await checkAround(root, options);
  // From here on a signal stops the daemon in order, also while it starts.
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
  const signalled = once(stopping.signal, "abort");
  const { startDaemon } = await import("../../daemon/daemon.ts");
  const { outlasts } = await import("../../daemon/process/deleted-folder.ts");
  const terminal = json ? undefined : process.stderr;
  for (let beginsAnew = false; ; beginsAnew = true) {
    const daemon = await startDaemon({
      root,
      configFile: config,
      port,
      rests: untilUnused,
      terminal,
      beginsAnew,
    });
    announce(daemon, json);
    const end = await Promise.race([signalled, daemon.ended]);
    await daemon.close();
    const goesOn = end === "state deleted" && (await outlasts(root, stopping.signal));
    if (!goesOn) break;
  }
  // The watcher's own timers would keep the process for a second.
  process.exit(EXIT.done);
}

/** Prints where a daemon is. */
function announce({ root, info, invite }: Daemon, json: boolean | undefined): void {
  if (json) printJson({ root, url: info.url, rpc: info.rpc, pid: process.pid });
  else
    print(
      `Page: ${process.stdout.isTTY ? invite() : `${info.url}/ ${typed("(sign in with: spliced open)")}`}`,
    );
}

async function start(folder: string, options: RunOptions): Promise<void> {
  const root = workspaceFolder(folder);
  const running = existsSync(join(root, STATE_FOLDER)) ? locateDaemon(root) : undefined;
  if (running !== undefined && running.root === root)
    throw new CommandError(
      EXIT.refused,
      `a daemon already serves ${root} (process ${running.pid}) at ${running.url}`,
    );
  refuseWholeHome(folder, root, "start");
  await checkAround(root, options);
  await startAndReport(root, options);
}

/** Starts the daemon of a folder, which no process serves by now. */
async function startAndReport(root: string, options: RunOptions): Promise<void> {
  // A daemon of this command has asked already.
  const located = await startInBackground(root, { ...options, inside: true });
  const { token: _token, ...place } = located;
  if (options.json) return printJson(place);
  print(`${paint("green", "serving")} ${root} at ${located.url} (process ${located.pid})`);
}

/** Restarts the daemon of the workspace that a folder is in; without a workspace it serves the folder. */
async function restart(folder: string, options: RunOptions): Promise<void> {
  const given = workspaceFolder(folder);
  const root = findWorkspace(given) ?? given;
  if (locateDaemon(root) !== undefined) {
    refuseSystemFolder(root, "restart");
    const running = await stoppable(root);
    await checkSettings(root, options);
    await end(running);
  } else refuseWholeHome(folder, root, "restart");
  await startAndReport(root, options);
}

/** Makes sure that the next daemon of a folder can read its configuration. @throws CommandError */
async function checkSettings(root: string, { config }: RunOptions): Promise<void> {
  const { ConfigError, loadConfig } = await import("../../daemon/config/config.ts");
  try {
    await loadConfig(root, config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const hint = "the daemon goes on with the configuration that it had";
    throw new CommandError(EXIT.refused, error.message, hint);
  }
}

/**
 * Asks before a daemon serves a folder inside the folder of another: both would record and write the same files.
 * @throws CommandError
 */
async function checkAround(root: string, { inside }: RunOptions): Promise<void> {
  const around = inside || dirname(root) === root ? undefined : locateAround(root);
  if (around === undefined) return;
  const problem = `${root} is inside ${around.root}, which a daemon serves already (process ${around.pid})`;
  if (await agrees(`${problem}. Both daemons would write the same files. Serve it anyway?`)) return;
  throw new CommandError(EXIT.refused, problem, "use that daemon, or serve this folder, too, with: --inside");
}

/**
 * Returns the daemon that serves a folder around this one, and this one with it; undefined with a remark where others may
 * have made its state folder: anybody can make one in a shared folder such as `/tmp`.
 */
function locateAround(root: string): Located | undefined {
  try {
    const around = locateDaemon(dirname(root));
    return around !== undefined && isWorktreeOf(around.root, root) ? undefined : around;
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    remark(error.message);
    return undefined;
  }
}

async function stop(folder: string, { json }: Common): Promise<void> {
  const located = await stoppable(folder);
  await end(located);
  if (json) printJson({ stopped: located.pid });
  else print(`stopped ${located.root} (process ${located.pid})`);
}

/** Ends a daemon; resolves once it is gone. */
export async function end({ pid, root }: Located): Promise<void> {
  process.kill(pid, "SIGTERM");
  // The daemon removes its lock last. Its process may remain until the parent process collects it.
  const lock = join(root, ".spliced", "daemon.lock");
  while (existsSync(lock) && processLives(pid)) await wait(10);
}

/**
 * Finds the daemon of a folder and checks its process. It began when the daemon did, or it proves itself at its address
 * where the system does not tell that. @throws CommandError in doubt, so that `stop` never signals another process
 */
export async function stoppable(folder: string): Promise<Located> {
  const found = lookForDaemon(workspaceFolder(folder));
  if (found.kind === "doubtful") throw new CommandError(EXIT.noDaemon, doubted(found), EARLIER);
  if (found.kind === "none") throw noDaemon(folder);
  const { located } = found;
  if (found.kind === "located" && located.began !== "") return located;
  const proof = await challenge(located);
  if (proof.kind === "proven") {
    if (found.kind === "ended") throw outside(located);
    return located;
  }
  if (found.kind === "ended" && proof.kind === "silent") throw noDaemon(folder);
  throw new CommandError(
    EXIT.refused,
    `process ${located.pid} does not prove to be the daemon of ${located.root}: ${proof.reason}`,
    `${NO_SIGNAL}; if you are sure that it is the daemon, run: kill ${located.pid}`,
  );
}

const NO_SIGNAL = "no process was signalled";
const EARLIER = `${NO_SIGNAL}; to stop a daemon of an earlier version, kill the process that .spliced/daemon.lock names`;

async function resume(folder: string, { json }: Common): Promise<void> {
  const located = await provenHere(workspaceFolder(folder), resolve(folder));
  await talkTo(located, { agent: "resume" }, async ({ client }) => {
    const answer = await client.request("mirror.resume", {});
    if (json) printJson(answer);
    else print(answer.deleted === 0 ? "no files are missing" : `deleted: ${answer.deleted} documents`);
  });
}

function noDaemon(folder: string): CommandError {
  return new CommandError(EXIT.noDaemon, `no daemon serves ${resolve(folder)}`, remedyFor(folder));
}

/** The number of a process in another container or sandbox is that of another process here. */
function outside({ root, pid }: Located): CommandError {
  return new CommandError(
    EXIT.refused,
    `a daemon outside of this container or sandbox serves ${root} (process ${pid} there)`,
    `${NO_SIGNAL}; stop that daemon there with: spliced stop`,
  );
}
