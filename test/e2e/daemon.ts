import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Client,
  type ConnectOptions,
  connect,
  type Located,
  locateDaemon,
} from "../../src/client/index.ts";
import { atEnd } from "./cleanup.ts";
import { until, within } from "./until.ts";

/** The binary under test: the one that `npm run build` makes, unless `SPLICED_BIN` names another. */
export const BIN = process.env["SPLICED_BIN"] ?? resolve(import.meta.dirname, "../../dist/bin/spliced.js");

/** A daemon that tests use; `serveFolder` serves several in one process. */
export interface ServedFolder {
  readonly root: string;
  readonly pid: number;
  readonly located: Located;
  /** Returns a new client, which is closed at the end of the test file. */
  connect(options?: Partial<ConnectOptions>): Promise<Client>;
  /** Ends it in order, as SIGTERM and `spliced stop` do; returns the exit code. */
  stop(): Promise<number | null>;
}

/** A daemon with a process of its own. */
export interface Daemon extends ServedFolder {
  signal(signal: NodeJS.Signals): void;
  /** Ends all of its processes with SIGKILL. */
  kill(): Promise<void>;
  /** Resolves when it ends by itself. */
  readonly ended: Promise<unknown>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  /** A command, with its arguments, that becomes the daemon. */
  readonly through?: readonly string[];
  /** The path of its workspace for the test, when the daemon has another path for it. */
  readonly seenAt?: string;
  /** A script, with its arguments, that replaces `spliced run`. */
  readonly script?: readonly string[];
  /** Called with the process, which is not ready yet. */
  readonly spawned?: (pid: number) => void;
}

/** Permissions do not stop root, so its daemon runs without the capabilities that override them. */
export const HELD_BACK: StartOptions =
  process.getuid?.() === 0
    ? { through: ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"] }
    : {};

const running = new Set<ChildProcess>();
// Even an aborted test run leaves no daemon behind.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a real daemon for a folder on any free port; resolves once it is ready. */
export async function startDaemon(
  root: string,
  { args = [], through = [], script, seenAt = root, spawned }: StartOptions = {},
): Promise<Daemon> {
  if (!existsSync(BIN)) throw new Error(`${BIN} is not there: npm run build`);
  const serving = script ?? [BIN, "run", root, "--json", "--port", "0", ...args];
  const [command, ...rest] = [...through, process.execPath, ...serving];
  const child = spawn(command!, rest, { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  running.add(child);
  spawned?.(child.pid!);
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-4000);
  });
  const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  void ended.then(() => running.delete(child));
  atEnd(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const located = (await until("the daemon is ready", () => ready(seenAt, child, complaint)))!;
  return {
    root,
    pid: child.pid!,
    located,
    connect: connector(located),
    signal: (signal) => void child.kill(signal),
    stop() {
      child.kill("SIGTERM");
      return within("the daemon ends", ended);
    },
    ended,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Returns the function that connects clients to a daemon. */
export function connector(located: Located): ServedFolder["connect"] {
  return async (options = {}) => {
    const given = { ...located, name: "agent", reconnect: false, ...options };
    const client = await within("hello", connect(given));
    atEnd(() => void client.close());
    return client;
  };
}

function ready(root: string, child: ChildProcess, complaint: string): Located | undefined {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`the daemon ended (${child.exitCode ?? child.signalCode}): ${complaint.trim()}`);
  const located = locateDaemon(root);
  return located?.pid === child.pid ? located : undefined;
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

/** The processor time of a process's main thread so far, in milliseconds. */
export function mainThreadMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8");
  // The name, in parentheses, may have spaces; user and system time are fields 14 and 15, in ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** The daemon's own log lines. */
export function logOf(root: string): string {
  const folder = join(root, ".spliced", "log");
  return readFileSync(join(folder, "daemon.1.log"), "utf8");
}
