import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "./cleanup.ts";
import { type Ran, runInHost } from "./command-host.ts";
import { BIN } from "./daemon.ts";

export interface CliOptions {
  /** The text of standard input. */
  readonly input?: string;
  /** Variables in addition to the test's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The longest that the command may run, in milliseconds. */
  readonly hangsMs?: number;
}

/** The longest that a command may run, unless the test says otherwise. */
const HANGS_MS = 30_000;

function environment(own: CliOptions["env"]): NodeJS.ProcessEnv {
  return { ...process.env, NO_COLOR: "1", ...own };
}

/** The commands that end by themselves once they have asked the daemon or done their work. */
const ENDING = new Set(
  "agent append approve blame call cat checkpoint diff doctor history hook init join lane leave log ls machines metrics mv new patch preview proposals propose prune redo reject replace restore resume rm run search service set share start status stop threads token trust undo write".split(
    " ",
  ),
);

/** Those of them that read all of standard input. */
const READING = new Set(["hook"]);

/** Returns true when a command runs for the first time since vitest began, in any of its processes. */
function isFirst(name: string): boolean {
  try {
    mkdirSync(join(process.env["RUN_FOLDER"]!, `ran-${name}`));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** Returns the name of the command among the arguments, which options of every command may precede. */
function nameOf(args: readonly string[]): string | undefined {
  return args.find((word, i) => !word.startsWith("-") && args[i - 1] !== "--agent");
}

/**
 * Runs `spliced …args` in a folder to its end. The first run of a command since vitest began is a process of its own, and
 * so is each run of a command that reads an input or goes on until it is stopped. The other runs share a process.
 */
export async function cli(
  cwd: string,
  args: readonly string[],
  { input, env, hangsMs = HANGS_MS }: CliOptions = {},
): Promise<Ran> {
  const name = nameOf(args) ?? "";
  if (ENDING.has(name) && (input === undefined || READING.has(name)) && !isFirst(name))
    return runInHost({ cwd, args, env: environment(env), input: input ?? "" }, hangsMs);
  const command = startCli(cwd, args, env);
  command.child.stdin?.end(input ?? "");
  const hangs = setTimeout(() => command.child.kill("SIGKILL"), hangsMs);
  const code = await command.ended;
  clearTimeout(hangs);
  return { code, out: command.out(), err: command.err() };
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Returns the output so far. */
  out(): string;
  err(): string;
}

/** Starts `spliced …args`, which ends with the test file at the latest. */
export function startCli(cwd: string, args: readonly string[], env: CliOptions["env"] = {}): Running {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env: environment(env) });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  child.stdin.on("error", () => undefined); // the command ended without reading its input
  const ended = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  atEnd(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, out: () => out, err: () => err };
}
