import { join } from "node:path";
import { multistream, pino } from "pino";
import { makeOwnFolder } from "../../state/own.ts";
import { visible } from "../../text/visible.ts";
import type { Config } from "../config/define-config.ts";
import { openLogFile } from "./log-file.ts";

type Log = pino.Logger;

export interface DaemonLog {
  readonly log: Log;
  /** Writes to the terminal alone; undefined for a daemon without one. */
  readonly onTerminal: Log | undefined;
  close(): Promise<void>;
}

/** The keys of every log line, which are no details of its event. */
const COMMON_KEYS = new Set(["level", "time", "pid", "event"]);

/** Returns a log line for a person: the event and its details. */
function readable(line: Record<string, unknown>): string {
  const details = Object.entries(line).filter(([key]) => !COMMON_KEYS.has(key));
  return [line["event"], ...details.map(([key, value]) => `${key}=${readableValue(value)}`)].join("  ");
}

function readableValue(value: unknown): string {
  return visible(typeof value === "string" && !/[\s=]/.test(value) ? value : JSON.stringify(value));
}

/** Returns true for a line about a request or a connection; a person reads lines about changes instead. */
function isChatter(line: string): boolean {
  const { event, level } = JSON.parse(line) as { readonly event?: string; readonly level: number };
  return level <= INFO && /^(request$|session\.|mcp\.|batch\.|preview\.)/.test(event ?? "");
}

/** The number of the level `info` in a line. */
const INFO = 30;

/**
 * Opens the daemon's log: JSON lines in `.spliced/log`, and readable lines on the terminal if there is one, without
 * those about requests. `onTerminal` writes there alone. Callers log metadata only, never text of documents and never tokens.
 */
export async function openLog(
  stateFolder: string,
  config: Config["log"],
  terminal: NodeJS.WriteStream | undefined,
): Promise<DaemonLog> {
  const { level } = config;
  const folder = join(stateFolder, "log");
  makeOwnFolder(folder);
  const file = openLogFile(folder, config);
  file.on("error", () => undefined); // on a full disk the lines wait in memory for the next write
  const streams: pino.StreamEntry[] = [{ level, stream: file }];
  let onTerminal: Log | undefined;
  if (terminal !== undefined) {
    const { default: pretty } = await import("pino-pretty");
    const stream = pretty({
      destination: terminal,
      colorize: terminal.isTTY,
      // `readable` shows these details already; pino-pretty would repeat them, with control characters.
      ignore: "pid,hostname,name,caller,type,stack",
      messageFormat: readable,
      hideObject: true,
      sync: true,
    });
    const withoutChatter = { write: (line: string) => void (isChatter(line) || stream.write(line)) };
    streams.push({ level, stream: withoutChatter });
    onTerminal = pino({ level, base: { pid: process.pid } }, stream);
  }
  const base = { pid: process.pid };
  const log = pino({ level, base }, onTerminal === undefined ? file : multistream(streams));
  return {
    log,
    onTerminal,
    close: () =>
      new Promise((resolve) => {
        log.level = "silent"; // parts that end after the log may still write to it
        file.once("close", () => resolve());
        file.once("error", () => resolve());
        file.end();
      }),
  };
}
