import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Scope } from "./scope.ts";

/** A Node process that says one line when it is ready. */
export interface Child {
  readonly pid: number;
  /** The first line on stdout. Rejects with the end of stderr when the process ends before it. */
  readonly ready: Promise<string>;
  stop(): Promise<void>;
}

const STOP_MS = 30_000;
const STDERR_KEPT = 4000;

/** Starts `node …args`; it is stopped with its scope. */
export function startNode(scope: Scope, args: readonly string[], cwd: string): Child {
  const child = spawn(process.execPath, [...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<void>((done) => child.once("close", () => done()));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-STDERR_KEPT);
  });
  const ready = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("error", reject);
    void exited.then(() => reject(new Error(`${args.join(" ")} ended (${child.exitCode}): ${said.trim()}`)));
  });
  ready.catch(() => undefined); // whoever waits for it is told
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
