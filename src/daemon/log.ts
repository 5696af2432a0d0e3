import { join } from "node:path";
import { multistream, pino } from "pino";
import { makeOwnFolder } from "../state/own.ts";
import { visible } from "../text/visible.ts";
import type { Config } from "./define-config.ts";
import { openLogFile } from "./log-file.ts";

export type Log = pino.Logger;

/** What pino adds to each line by itself. */
const OWN_KEYS = new Set(["level", "time", "pid", "event"]);

/** A log line as a person reads it: what happened, and what there is to know of it. */
function readable(line: Record<string, unknown>): string {
  const details = Object.entries(line).filter(([key]) => !OWN_KEYS.has(key));
  return [line["event"], ...details.map(([key, value]) => `${key}=${shown(value)}`)].join("  ");
}

function shown(value: unknown): string {
  return visible(typeof value === "string" && !/[\s=]/.test(value) ? value : JSON.stringify(value));
}

/**
 * The daemon's log: JSON lines in `.spliced/log`, put aside by size, and readable lines on the terminal
 * when there is one. Metadata only: never document text, never tokens.
 */
export async function openLog(
  stateFolder: string,
  config: Config["log"],
  terminal: NodeJS.WriteStream | undefined,
): Promise<{ log: Log; close: () => Promise<void> }> {
  const { level } = config;
  const folder = join(stateFolder, "log");
  makeOwnFolder(folder);
  const file = openLogFile(folder, config);
  file.on("error", () => undefined); // a full disk: the line waits, with others up to a limit, for the next one
  const streams: pino.StreamEntry[] = [{ level, stream: file }];
  if (terminal !== undefined) {
    const { default: pretty } = await import("pino-pretty");
    const stream = pretty({
      destination: terminal,
      colorize: terminal.isTTY,
      // Names are among the details that `readable` shows; pino-pretty would show them once more, as they are.
      ignore: "pid,hostname,name,caller,type,stack",
      messageFormat: readable,
      hideObject: true,
      sync: true,
    });
    streams.push({ level, stream });
  }
  const log = pino({ level, base: { pid: process.pid } }, multistream(streams));
  return {
    log,
    close: () =>
      new Promise((resolve) => {
        log.level = "silent"; // for what ends after it
        file.once("close", () => resolve());
        file.once("error", () => resolve());
        file.end();
      }),
  };
}
