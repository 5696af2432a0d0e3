import { type ChildProcess, spawn } from "node:child_process";
import { atEnd } from "./cleanup.ts";
import { BIN } from "./daemon.ts";

/** How one run of a command ended. */
export interface Ran {
  /** Null when it had to be ended because it did not end by itself. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CliOptions {
  /** What standard input holds. */
  readonly input?: string;
  /** What its environment has beside the test's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A command that takes longer hangs. */
const HANGS_MS = 15_000;

/** Runs `spliced …args` in a folder to its end. */
export async function cli(
  cwd: string,
  args: readonly string[],
  { input = "", env }: CliOptions = {},
): Promise<Ran> {
  const command = startCli(cwd, args, env);
  command.child.stdin?.end(input);
  const hangs = setTimeout(() => command.child.kill("SIGKILL"), HANGS_MS);
  const code = await command.ended;
  clearTimeout(hangs);
  return { code, out: command.out(), err: command.err() };
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Everything said so far. */
  out(): string;
  err(): string;
}

/** Starts `spliced …args` and lets it run; it is ended with the test file at the latest. */
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
  child.stdin.on("error", () => undefined); // it ended without reading what it was given
  const ended = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  atEnd(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, out: () => out, err: () => err };
}
