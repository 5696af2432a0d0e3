import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { ask } from "../client/ask.ts";
import { type Located, locateDaemon, lookForDaemon } from "../client/locate.ts";
import { processBegan, processLives } from "../client/process.ts";
import { challenge, doubted } from "../client/prove.ts";
import type { DoctorFinding } from "../daemon/doctor.ts";
import type { Health } from "../daemon/health.ts";
import type { Result } from "../protocol/schemas.ts";
import { startInBackground, workspaceFolder } from "./background.ts";
import { CommandError, EXIT, paint, print, printJson, printText } from "./output.ts";
import { type Common, provenHere, talkTo } from "./session.ts";
import { inCommands } from "./suggestions.ts";

interface RunOptions extends Common {
  readonly config?: string;
  readonly port?: number;
  /** True for a daemon that a client starts. */
  readonly untilUnused?: boolean;
}

/** Adds the commands that start, stop and examine daemons. */
export function daemonCommands(program: Command): void {
  serving(program.command("run"))
    .description("serve a folder in the foreground until you press ctrl-c")
    .addOption(new Option("--until-unused", "end once nobody uses it (setting restMinutes)").hideHelp())
    .action((folder: string, _options, command: Command) =>
      run(folder, command.optsWithGlobals<RunOptions>()),
    );

  serving(program.command("start"))
    .description("serve a folder in the background")
    .action((folder: string, _options, command: Command) =>
      start(folder, command.optsWithGlobals<RunOptions>()),
    );

  program
    .command("stop")
    .description("stop the daemon of a folder, which first writes all edits to the files")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .action((folder: string, _options, command: Command) => stop(folder, command.optsWithGlobals<Common>()));

  program
    .command("doctor")
    .description("check whether spliced can serve a folder, and what its file system lacks")
    .argument("[folder]", "the folder to check", ".")
    .action((folder: string, _options, command: Command) =>
      doctor(folder, command.optsWithGlobals<Common>()),
    );

  program
    .command("resume")
    .description("accept that files that went missing all at once were really deleted")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .action((folder: string, _options, command: Command) =>
      resume(folder, command.optsWithGlobals<Common>()),
    );

  program
    .command("status")
    .description("show whether a daemon serves a folder, its address, and any problems")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .action((folder: string, _options, command: Command) =>
      status(folder, command.optsWithGlobals<Common>()),
    );
}

function serving(command: Command): Command {
  return command
    .argument("[folder]", "the folder to serve", ".")
    .option("-c, --config <file>", "use this configuration instead of the folder's daemon.config.ts")
    .option("-p, --port <number>", "listen on this port only", parsePort);
}

function parsePort(given: string): number {
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return port;
  throw new InvalidArgumentError("Give a number from 1 to 65535, or 0 for any free port.");
}

async function run(folder: string, { config, port, json, untilUnused }: RunOptions): Promise<void> {
  const root = workspaceFolder(folder);
  // From here on a signal stops the daemon in order, also while it starts.
  const signalled = new Promise<void>((done) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => done());
  });
  const { startDaemon } = await import("../daemon/daemon.ts");
  const daemon = await startDaemon({
    root,
    configFile: config,
    port,
    rests: untilUnused,
    terminal: json ? undefined : process.stderr,
  });
  if (json)
    printJson({
      root: daemon.root,
      url: daemon.info.url,
      rpc: daemon.info.rpc,
      pid: process.pid,
    });
  else
    print(
      `Page: ${process.stdout.isTTY ? daemon.invite() : `${daemon.info.url}/ (sign in with: spliced open)`}`,
    );
  await Promise.race([signalled, daemon.rested]);
  await daemon.close();
  // The watcher's own timers would keep the process for a second.
  process.exit(EXIT.done);
}

async function start(folder: string, options: RunOptions): Promise<void> {
  const root = workspaceFolder(folder);
  const running = locateDaemon(root);
  if (running !== undefined && running.root === root)
    throw new CommandError(
      EXIT.refused,
      `a daemon already serves ${root} (process ${running.pid}) at ${running.url}`,
    );
  const located = await startInBackground(root, options);
  if (options.json) return printJson(located);
  print(`${paint("green", "serving")} ${root} at ${located.url} (process ${located.pid})`);
}

async function stop(folder: string, { json }: Common): Promise<void> {
  const located = await stoppable(folder);
  process.kill(located.pid, "SIGTERM");
  // The daemon removes its lock last. Its process may remain until the parent process collects it.
  const lock = join(located.root, ".spliced", "daemon.lock");
  while (existsSync(lock) && processLives(located.pid)) await wait(10);
  if (json) printJson({ stopped: located.pid });
  else print(`stopped ${located.root} (process ${located.pid})`);
}

/**
 * Finds the daemon of a folder and checks its process. The process proves itself at its address, or it is the one that
 * wrote `daemon.json`. @throws CommandError in doubt, so that `stop` never signals another process
 */
async function stoppable(folder: string): Promise<Located> {
  const found = lookForDaemon(workspaceFolder(folder));
  if (found.kind === "doubtful") throw new CommandError(EXIT.noDaemon, doubted(found), EARLIER);
  if (found.kind !== "located") throw noDaemon(folder);
  const { located } = found;
  const proof = await challenge(located);
  if (proof.kind === "proven") return located;
  if (located.began !== "" && processBegan(located.pid) === located.began) return located;
  throw new CommandError(
    EXIT.refused,
    `process ${located.pid} does not prove to be the daemon of ${located.root}: ${proof.reason}`,
    `${NO_SIGNAL}; if you are sure that it is the daemon, run: kill ${located.pid}`,
  );
}

const NO_SIGNAL = "no process was signalled";
const EARLIER = `${NO_SIGNAL}; to stop a daemon of an earlier version, kill the process that .spliced/daemon.lock names`;

async function doctor(folder: string, { json }: Common): Promise<void> {
  const root = workspaceFolder(folder);
  const { examine } = await import("../daemon/doctor.ts");
  const { examineIgnoring } = await import("../daemon/doctor-ignoring.ts");
  const findings = [...examine(root), ...(await examineIgnoring(root)), ...(await covering(root))];
  if (json) printJson({ root, findings });
  else
    for (const { what, state, found, means } of findings)
      printText(`${MARKS[state]()} ${what.padEnd(16)} ${found}\n  ${"".padEnd(16)} ${paint("dim", means)}`);
  if (findings.some(({ state }) => state === "bad"))
    throw new CommandError(
      EXIT.refused,
      `spliced cannot serve ${root}`,
      "fix the lines marked ✗, then run: spliced doctor",
    );
}

/** Returns what the folder's daemon covers, if one runs. */
async function covering(root: string): Promise<readonly DoctorFinding[]> {
  const located = locateDaemon(root);
  if (located === undefined || (await challenge(located)).kind !== "proven") return [];
  const { cover } = await healthOf(located);
  const [found, ...left] = cover.lines;
  const means = left.length === 0 ? "a change of any text file can be undone" : left.join(" ");
  return [{ what: "cover", state: left.length === 0 ? "ok" : "limited", found: found!, means }];
}

async function healthOf({ url, token }: Located): Promise<Health> {
  const headers = { authorization: `Bearer ${token}` };
  const { text } = await ask(`${url}/health?role=person`, MOST_HEALTH, { headers });
  return JSON.parse(text) as Health;
}

/** The longest answer about health that a command reads, in characters. */
const MOST_HEALTH = 32 << 20;

const MARKS = {
  ok: () => paint("green", "✓"),
  limited: () => paint("yellow", "!"),
  bad: () => paint("red", "✗"),
};

async function resume(folder: string, { json }: Common): Promise<void> {
  const located = await provenHere(workspaceFolder(folder), resolve(folder));
  await talkTo(located, { agent: "resume" }, async ({ client }) => {
    const answer = await client.request("mirror.resume", {});
    if (json) printJson(answer);
    else print(answer.deleted === 0 ? "no files are missing" : `deleted: ${answer.deleted} documents`);
  });
}

async function status(folder: string, { json }: Common): Promise<void> {
  const located = await provenHere(workspaceFolder(folder), resolve(folder));
  const health = await healthOf(located);
  await talkTo(located, { agent: "status" }, async ({ client }) => {
    const { docs } = await client.request("doc.status", {});
    const { token: _token, ...withoutToken } = located;
    if (json) printJson({ ...withoutToken, health, docs });
    else printStatus(located, health, docs);
  });
}

function printStatus(located: Located, health: Health, docs: Result<"doc.status">["docs"]): void {
  print(`${paint(health.status === "ok" ? "green" : "red", health.status)}  ${located.root}`);
  print(`    ${located.url}  process ${located.pid}  version ${located.version}  since ${located.startedAt}`);
  for (const line of health.cover.lines) print(`    ${line}`);
  for (const { what, path, message, since, advice } of health.problems) {
    print(`    ${paint("red", `${path ?? what}: ${message}`)}  since ${since}`);
    print(`      ${inCommands(advice)}`);
  }
  for (const doc of docs) {
    const note = doc.problem === undefined ? "" : `  ${paint("yellow", doc.problem)}`;
    print(`    ${doc.syncStatus.padEnd(12)} ${doc.path}${note}`);
  }
}

function noDaemon(folder: string): CommandError {
  return new CommandError(
    EXIT.noDaemon,
    `no daemon serves ${resolve(folder)}`,
    "start one with: spliced start",
  );
}
