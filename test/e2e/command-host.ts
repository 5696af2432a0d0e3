import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { BIN } from "./daemon.ts";

/** What a command is run with. */
export interface Command {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The text of standard input. */
  readonly input: string;
}

/** The result of one run of a command. */
export interface Ran {
  /** The exit code; null when the command did not end by itself. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The process that runs commands one after the other, and the last of them. */
let host: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Runs a command in a process that has run others. It takes a tenth of what a process of its own takes. */
export function runInHost(command: Command, hangsMs: number): Promise<Ran> {
  const ran = last.then(() => runNext(command, hangsMs));
  last = ran;
  return ran;
}

function runNext(command: Command, hangsMs: number): Promise<Ran> {
  const child = host ?? startHost();
  return new Promise((done) => {
    const hangs = setTimeout(() => child.kill("SIGKILL"), hangsMs);
    const end = (ran: Ran) => {
      clearTimeout(hangs);
      child.removeAllListeners("message").removeAllListeners("exit");
      done(ran);
    };
    child.once("message", (ran) => end(ran as Ran));
    child.once("exit", (code) => {
      host = undefined;
      end({ code, out: "", err: "the command ended its process" });
    });
    child.send(command);
  });
}

function startHost(): ChildProcess {
  const started = fork(join(import.meta.dirname, "command-host.js"), [BIN], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  started.unref();
  started.channel?.unref();
  host = started;
  return started;
}
