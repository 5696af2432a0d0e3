import { type ChildProcess, spawn } from "node:child_process";
import { atEnd } from "./cleanup.ts";
import { BIN } from "./daemon.ts";

/** The result of one run of a command. */
export interface Ran {
  /** The exit code; null when the command did not end by itself. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CliOptions {
  /** The text of standard input. */
  readonly input?: string;
  /** Variables in addition to the test's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The longest that the command may run, in milliseconds. */
  readonly hangsMs?: number;
}

/** The longest that a command may run, unless the test says otherwise. */
const HANGS_MS = 15_000;

/** Runs `spliced …args` in a folder to its end. */
export async function cli(
  cwd: string,
  args: readonly string[],
  { input = "", env, hangsMs = HANGS_MS }: CliOptions = {},
): Promise<Ran> {
  const command = startCli(cwd, args, env);
  command.child.stdin?.end(input);
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
  const all = { ...process.env, NO_COLOR: "1", ...env };
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env: all });
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
