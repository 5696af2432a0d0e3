import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Scope } from "./scope.ts";

/** A Node process that prints one line when it is ready. */
interface Child {
  readonly pid: number;
  /** The first line on stdout. It rejects with the end of stderr when the process ends before that line. */
  readonly ready: Promise<string>;
  stop(): Promise<void>;
}

const STOP_MS = 30_000;
/** The last characters of stderr that an error quotes. */
const STDERR_CHARS = 4000;

/** Starts `node …args`, which stops when its scope closes. It gets `input`, and its standard input stays open. */
export function startNode(scope: Scope, args: readonly string[], cwd: string, input = ""): Child {
  const child = spawn(process.execPath, [...args], { cwd, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined); // a process that ended early fails through `ready`
  child.stdin.write(input);
  const exited = new Promise<void>((done) => child.once("close", () => done()));
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-STDERR_CHARS);
  });
  const ready = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("error", reject);
    void exited.then(() =>
      reject(new Error(`${args.join(" ")} ended (${child.exitCode}): ${errors.trim()}`)),
    );
  });
  ready.catch(() => undefined); // a caller that waits for `ready` gets the error
  const stop = () => end(child, exited);
  scope.defer(stop, () => child.kill("SIGKILL"));
  return { pid: child.pid!, ready, stop };
}

async function end(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exited;
  clearTimeout(late);
}
