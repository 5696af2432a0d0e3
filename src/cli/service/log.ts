import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { findWorkspace } from "../../client/locate.ts";
import { workspaceFolder } from "../connection/background.ts";
import type { Common } from "../connection/session.ts";
import { parseCount } from "../terminal/arguments.ts";
import { CommandError, EXIT, paint, print, printJson } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";

interface LogOptions extends Common {
  readonly lines: number;
  readonly follow?: boolean;
}

/** A line of the log: the common fields, and the details of its event. */
type Entry = Readonly<Record<string, unknown>>;

const POLL_MS = 200;
const LEVELS: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
};
const COMMON_KEYS = new Set(["level", "time", "pid", "event"]);

/** Adds `log`, which prints the daemon's log, also while no daemon runs. */
export function logCommand(program: Command): void {
  program
    .command("log")
    .description("print the newest lines of the daemon's log, which never contains text of documents")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .option("-n, --lines <n>", "print this many lines", parseCount, 30)
    .option("-f, --follow", "print new lines as they come, until you press ctrl-c")
    .action((folder: string, _options, command: Command) =>
      showLog(folder, command.optsWithGlobals<LogOptions>()),
    );
}

async function showLog(folder: string, { lines, follow, json = false }: LogOptions): Promise<void> {
  const given = workspaceFolder(folder);
  const root = findWorkspace(given);
  if (root === undefined)
    throw new CommandError(EXIT.noDaemon, `${given} is not in a workspace`, "make one with: spliced start");
  const logs = join(root, ".spliced", "log");
  const names = filesIn(logs);
  const readers = names.map((name) => new NewLines(join(logs, name)));
  for (const line of readers.flatMap((reader) => reader.read()).slice(-lines)) printEntry(line, json);
  let reader = readers.pop();
  for (const older of readers) older.close();
  if (!follow) return reader?.close();
  process.once("SIGINT", () => process.exit(EXIT.done));
  for (let current = names.at(-1); ; ) {
    // The daemon begins a new file only after the last line of the one before.
    const newest = filesIn(logs).at(-1);
    for (const line of reader?.read() ?? []) printEntry(line, json);
    if (newest === current) await wait(POLL_MS);
    else {
      reader?.close();
      current = newest;
      reader = newest === undefined ? undefined : new NewLines(join(logs, newest));
    }
  }
}

/** Returns the names of the log files, oldest first. */
function filesIn(logs: string): string[] {
  const number = (name: string) => Number(/^daemon\.(\d+)\.log$/.exec(name)?.[1]);
  return readdirSync(logs)
    .filter((name) => number(name) > 0)
    .sort((a, b) => number(a) - number(b));
}

/** Reads the whole lines that were added to a file since the last look. */
class NewLines {
  readonly #fd: number;
  #at = 0;

  constructor(file: string) {
    this.#fd = openSync(file, "r");
  }

  read(): string[] {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(this.#fd).size - this.#at));
    const read = readSync(this.#fd, bytes, 0, bytes.length, this.#at);
    const end = bytes.subarray(0, read).lastIndexOf("\n") + 1;
    this.#at += end;
    return bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function printEntry(line: string, isJson: boolean): void {
  const entry = entryOf(line);
  if (entry === undefined) print(line);
  else if (isJson) printJson(entry, { indent: 0 });
  else print(readable(entry));
}

function readable(entry: Entry): string {
  const time = localTime(new Date(Number(entry["time"])).toISOString());
  const level = LEVELS[Number(entry["level"])] ?? String(entry["level"]);
  const details = Object.entries(entry)
    .filter(([key]) => !COMMON_KEYS.has(key))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const shown = level === "warn" || level === "error" ? paint("yellow", level.padEnd(5)) : level.padEnd(5);
  return `${paint("dim", time)}  ${shown}  ${[entry["event"], ...details].join("  ")}`;
}

/** Returns the fields of a line; undefined for a line that is torn, as after a power cut. */
function entryOf(line: string): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "object" && entry !== null ? (entry as Entry) : undefined;
  } catch {
    return undefined;
  }
}
