import { z } from "zod";
import { globProblem } from "../paths/glob.ts";

const count = z.int().min(1);
const milliseconds = z.int().min(1).max(86_400_000);

/** The schema of the configuration. An error about a wrong value quotes the setting's `describe` text. */
export const configSchema = z.strictObject({
  host: z.string().min(1).describe('a name or address to listen on, such as "127.0.0.1"'),
  port: z.int().min(0).max(65_535).describe("a port from 1 to 65535, or 0 for any free one"),
  allowedHosts: z.array(z.string().min(1)).describe('a list of host names, such as ["dev.local"]'),
  ignore: z
    .array(z.string().min(1).refine(isGlob))
    .describe('a list of globs with *, **, ?, [abc] and {a,b}, such as ["**/build"]; none begins with !'),
  protect: z
    .array(z.string().min(1).refine(isGlob))
    .readonly()
    .describe('a list of globs, such as ["**/.vscode/**"], or [] to protect only the daemon\'s own files'),
  keepHistoryDays: z.int().min(0).max(36_500).describe("a number of days, or 0 to keep the whole history"),
  staleSaves: z
    .enum(["merge", "disk"])
    .describe('"merge" to keep the newer edits of others, or "disk" to let the save replace them'),
  legacyOps: z.boolean().describe("true to serve edit.legacy, or false to refuse it"),
  limits: z.strictObject({
    maxFileBytes: z.int().min(1024).max(268_435_456).describe("bytes, from 1 KiB to 256 MiB"),
    maxMessageBytes: z.int().min(65_536).max(536_870_912).describe("bytes, from 64 KiB to 512 MiB"),
    subscribeOpen: count.max(100_000).describe("a number of documents, from 1 to 100000"),
  }),
  proposals: z.strictObject({
    expireDays: z.int().min(1).max(3650).describe("a number of days, from 1 to 3650"),
  }),
  timing: z.strictObject({
    deleteGraceMs: milliseconds.describe("milliseconds, from 1"),
    verifyMs: milliseconds.describe("milliseconds, from 1"),
    idleMs: milliseconds.describe("milliseconds, from 1"),
  }),
  log: z.strictObject({
    level: z.enum(["trace", "debug", "info", "warn", "error"]).describe("trace, debug, info, warn or error"),
    maxFileBytes: z.int().min(10_000).describe("bytes, from 10000"),
    files: count.max(100).describe("a number of files, from 1 to 100"),
  }),
});

export type Config = z.infer<typeof configSchema>;

/** Returns whether a setting can have a glob. A leading ! is refused, because it would mean all other paths. */
function isGlob(glob: string): boolean {
  return globProblem(glob) === undefined && !glob.startsWith("!");
}

/** A configuration with only the settings that differ from the defaults. */
export type PartialConfig = {
  [K in keyof Config]?: Config[K] extends readonly unknown[]
    ? Config[K]
    : Config[K] extends object
      ? Partial<Config[K]>
      : Config[K];
};

/** Returns the configuration, typed. The daemon checks the values when it loads them. */
export function defineConfig<const C extends PartialConfig>(config: C): C {
  return config;
}
