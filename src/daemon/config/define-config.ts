import { z } from "zod";
import { globProblem } from "../../paths/glob.ts";
import { MOST_FILE_BYTES } from "../../store/content.ts";
import { type AccessRule, CONFLICT_POLICIES } from "../../workspace/access/rights.ts";
import { parseRule, unreachableRule } from "../tokens/token-rules.ts";

const count = z.int().min(1);
const milliseconds = z.int().min(1).max(86_400_000);

/** A rule of a token, in parts. */
const agentRule = z.strictObject({
  glob: z.string(),
  level: z.string(),
  conflict: z.enum(CONFLICT_POLICIES).optional(),
});

/** The schema of the configuration. An error about a wrong value quotes the setting's `describe` text. */
export const configSchema = z.strictObject({
  host: z.string().min(1).describe('a name or address to listen on, such as "127.0.0.1"'),
  port: z.int().min(0).max(65_535).describe("a port from 1 to 65535, or 0 for any free one"),
  allowedHosts: z.array(z.string().min(1)).describe('a list of host names, such as ["dev.local"]'),
  ignore: z
    .array(z.string().min(1).refine(isGlob))
    .describe('a list of globs with *, **, ?, [abc] and {a,b}, such as ["**/build"]; none begins with !'),
  private: z
    .array(z.string().min(1).refine(isGlobOrException))
    .readonly()
    .describe('a list of globs, such as ["**/.env", "!**/.env.example"], or [] to show agents every file'),
  agents: z.strictObject({
    rules: z
      .array(agentRule.transform(toRule))
      .superRefine((rules, context) => {
        if (unreachableRule(rules) !== undefined)
          context.addIssue({ code: "custom", message: "a rule after the one for ** has no effect" });
      })
      .describe(
        'a list of rules as tokens have them, the one for ** last, such as [{ glob: "src/**", level: "propose", conflict: "ask" }]',
      ),
  }),
  protect: z
    .array(z.string().min(1).refine(isGlob))
    .readonly()
    .describe('a list of globs, such as ["**/.vscode/**"], or [] to protect only the daemon\'s own files'),
  keepHistoryDays: z.int().min(0).max(36_500).describe("a number of days, or 0 to keep the whole history"),
  staleSaves: z
    .enum(["merge", "disk"])
    .describe('"merge" to keep the newer edits of others, or "disk" to let the save replace them'),
  restMinutes: z
    .number()
    .min(0)
    .max(100_000)
    .describe("minutes from 0 to 100000; 0 lets a daemon run that an MCP client started"),
  promptsInHistory: z
    .boolean()
    .describe("true to show the prompts of agents with their saves, or false to leave them out"),
  patchMode: z.boolean().describe("true to give agents the tool patch, or false to leave it out"),
  capture: z.strictObject({
    hours: z.number().min(0).max(720).describe("hours from 0 to 720; 0 captures nothing"),
  }),
  legacyOps: z.boolean().describe("true to serve edit.legacy, or false to refuse it"),
  limits: z.strictObject({
    maxFileBytes: z.int().min(1024).max(MOST_FILE_BYTES).describe("bytes, from 1 KiB to 256 MiB"),
    maxMessageBytes: z.int().min(65_536).max(536_870_912).describe("bytes, from 64 KiB to 512 MiB"),
  }),
  cover: z.strictObject({
    maxFiles: z.int().min(0).max(10_000_000).describe("a number of files, from 0 to 10000000"),
    maxBytes: z.int().min(0).max(1_000_000_000_000).describe("bytes, from 0 to 1000000000000"),
  }),
  lanes: z.strictObject({
    copy: z
      .array(z.string().min(1).refine(isGlob))
      .describe('a list of globs, such as ["dist"], of ignored files and folders that a lane gets as copies'),
    skip: z
      .array(z.string().min(1).refine(isGlob))
      .describe(
        'a list of globs, such as ["**/*.log"], of ignored files and folders that a lane does not get',
      ),
  }),
  proposals: z.strictObject({
    expireDays: z.int().min(1).max(3650).describe("a number of days, from 1 to 3650"),
  }),
  timing: z.strictObject({
    deleteGraceMs: milliseconds.describe("milliseconds, from 1"),
    mirrorEveryMs: z.int().min(0).max(1_000).describe("milliseconds, from 0 to 1000"),
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
type ConfigInput = z.input<typeof configSchema>;

/** Reads a rule in the form and with the names that `spliced token add --allow` takes. */
function toRule({ glob, level, conflict }: z.infer<typeof agentRule>, context: z.RefinementCtx): AccessRule {
  const rule = parseRule(`${glob}=${level}${conflict === undefined ? "" : `:${conflict}`}`);
  if (typeof rule !== "string") return rule;
  context.addIssue({ code: "custom", message: rule });
  return z.NEVER;
}

/** Returns whether a list of globs can have a glob, or an exception from the globs before it. */
function isGlobOrException(glob: string): boolean {
  return isGlob(glob.startsWith("!") ? glob.slice(1) : glob);
}

/** Returns whether a setting can have a glob. A leading ! is refused, because it would mean all other paths. */
function isGlob(glob: string): boolean {
  return globProblem(glob) === undefined && !glob.startsWith("!");
}

/** A configuration with only the settings that differ from the defaults. */
export type PartialConfig = {
  [K in keyof ConfigInput]?: ConfigInput[K] extends readonly unknown[]
    ? ConfigInput[K]
    : ConfigInput[K] extends object
      ? Partial<ConfigInput[K]>
      : ConfigInput[K];
};

/** Returns the configuration, typed. The daemon checks the values when it loads them. */
export function defineConfig<const C extends PartialConfig>(config: C): C {
  return config;
}
