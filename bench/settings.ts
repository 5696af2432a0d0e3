import { resolve } from "node:path";
import type { ParseArgsConfig } from "node:util";
import { BIN } from "./places.ts";

/** The options that all commands of this folder take. */
export const SETTINGS = {
  bin: { type: "string", default: BIN },
  full: { type: "boolean", default: false },
  traces: { type: "string" },
} as const satisfies ParseArgsConfig["options"];

interface Given {
  readonly bin: string;
  readonly full: boolean;
  readonly traces?: string | undefined;
}

/** Returns the settings that the options name. */
export function settingsOf({ bin, full, traces }: Given) {
  return { bin: fromHere(bin), full, traces: traces === undefined ? undefined : fromHere(traces) };
}

/** Resolves a path that a person typed in the folder where npm was started. */
export function fromHere(path: string): string {
  return resolve(process.env["INIT_CWD"] ?? ".", path);
}
