import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { z } from "zod";
import defaults from "../../../daemon.config.ts";
import { isJsonObject } from "../../json-object.ts";
import { lazily } from "../../lazily.ts";
import { approve, isApproved } from "../../state/approval.ts";
import { isTrustedByName, ownerDoubt, writerDoubt } from "../../state/trust.ts";
import { quoteUnknown } from "../../text/diff/nearest-name.ts";
import { PRIVATE } from "../../workspace/access/private-files.ts";
import { PROTECTED } from "../../workspace/access/protection.ts";
import { Code, readConfigData } from "./config-data.ts";
import { type Config, configSchema, defineConfig, type PartialConfig } from "./define-config.ts";

const jiti = lazily<typeof import("jiti")>("jiti");

/** The values that a configuration imports from the package, as `src/index.ts` exports them. */
export const IMPORTABLE = { defineConfig, PRIVATE, PROTECTED };

/** The file names of a workspace's configuration; the first that exists is used. */
const FILES = ["daemon.config.ts", "daemon.config.mts", "daemon.config.js", "daemon.config.mjs"];

/** The settings of a workspace without a configuration. A test checks them, so that no start has to. */
const DEFAULTS: Config = defaults;

/** A configuration that the daemon cannot use. The message names the file, the key and the expected value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

interface LoadedConfig {
  readonly config: Config;
  /** The configuration file; undefined when there is none. */
  readonly file: string | undefined;
  /** The settings in the file, without the defaults. */
  readonly given: PartialConfig;
}

/** Loads a workspace's configuration; settings that it leaves out have their defaults. @throws ConfigError */
export async function loadConfig(root: string, file?: string): Promise<LoadedConfig> {
  const found = file === undefined ? configIn(root) : namedConfig(root, resolve(file));
  if (found === undefined) return { config: DEFAULTS, file: undefined, given: {} };
  const given = await settingsOf(root, found, file !== undefined);
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ConfigError(`${found}: it has to export default defineConfig({ … })`);
  return {
    config: check(merge(given as Record<string, unknown>), found),
    file: found,
    given: given as PartialConfig,
  };
}

/** Finds the workspace's own configuration. @throws ConfigError when the daemon may not run it */
function configIn(root: string): string | undefined {
  const file = FILES.map((name) => join(root, name)).find(exists);
  if (file !== undefined) checkOwner(root, file, false);
  return file;
}

function namedConfig(root: string, file: string): string {
  if (!exists(file)) throw new ConfigError(`${file}: no such configuration file`);
  checkOwner(root, file, true);
  return file;
}

/** Returns whether a path exists, also as a link to nothing. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Makes sure that a configuration runs only this user's code (I17). A link may lead to a file in the workspace. A link
 * out of the workspace is allowed only when the user named the file. @throws ConfigError
 */
function checkOwner(root: string, file: string, named: boolean): void {
  const refused = (why: string, advice: string) =>
    new ConfigError(`the daemon does not run ${file}: ${why}. ${advice}`);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw refused("it is not a file", "Remove it, or replace it with a file");
  const inside = realpathSync(file).startsWith(`${realpathSync(root)}${sep}`);
  if (!named && !inside)
    throw refused(
      "it is a link that leads out of the workspace",
      `If you trust its target, start with: --config ${realpathSync(file)}`,
    );
  const doubt = isTrustedByName(root) ? undefined : (ownerDoubt(stats) ?? writerDoubt(stats));
  if (doubt !== undefined)
    throw refused(doubt, `Read it, then make it yours alone with chown and: chmod go-w ${file}`);
}

/**
 * Reads the settings of a configuration. Plain settings are read without running the file. Code runs only when this
 * user named the file, approved its content, or trusts the workspace (I17).
 */
async function settingsOf(root: string, file: string, named: boolean): Promise<unknown> {
  const data = dataOf(root, file, named);
  return data instanceof Code ? evaluate(file) : data;
}

/** Checks a workspace's configuration without running it. @throws ConfigError when the daemon would not use it */
export function checkConfig(root: string): void {
  const file = configIn(root);
  if (file !== undefined) dataOf(root, file, false);
}

/**
 * Returns a workspace's configuration without running it, and the configuration file; undefined if it is code.
 * @throws ConfigError when the daemon would not use it
 */
export function plainConfig(
  root: string,
): { readonly config: Config; readonly file: string | undefined } | undefined {
  const file = configIn(root);
  if (file === undefined) return { config: DEFAULTS, file };
  const data = dataOf(root, file, false);
  return data instanceof Code || !isJsonObject(data) ? undefined : { config: check(merge(data), file), file };
}

/** Returns the settings of a configuration that is data, or `Code` for one that may run. @throws ConfigError */
function dataOf(root: string, file: string, named: boolean): unknown {
  const { source, data } = read(file);
  if (!(data instanceof Code) || named || isTrustedByName(root) || isApproved(file, source)) return data;
  throw new ConfigError(
    `the daemon does not run ${file}: it is code (${data.because}), and you have not approved it as it is now. ` +
      "Read it, then approve it with: spliced trust. Plain settings need no approval",
  );
}

/** Approves a workspace's configuration as it is now; undefined where there is none. @throws ConfigError, StateError */
export function approveConfig(root: string): { readonly file: string; readonly code: boolean } | undefined {
  const file = configIn(root);
  if (file === undefined) return undefined;
  const { source, data } = read(file);
  const code = data instanceof Code;
  if (code) approve(file, source);
  return { file, code };
}

function read(file: string): { readonly source: string; readonly data: unknown } {
  const source = readFileSync(file, "utf8");
  return { source, data: readConfigData(source, { PRIVATE, PROTECTED }) };
}

async function evaluate(file: string): Promise<unknown> {
  const loader = jiti().createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    virtualModules: { spliced: IMPORTABLE },
  });
  try {
    return await loader.import(file, { default: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${file}: ${reason}; it has to export default defineConfig({ … })`, {
      cause: error,
    });
  }
}

/** Merges settings over the defaults, one level deep, which is as deep as the configuration goes. */
function merge(given: Record<string, unknown>): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [key, value] of Object.entries(given)) {
    const own = merged[key];
    merged[key] = isJsonObject(own) && isJsonObject(value) ? { ...own, ...value } : value;
  }
  return merged;
}

function check(value: unknown, file: string): Config {
  const checked = configSchema.safeParse(value, { jitless: true }); // once, so that compiled code is not worth its time
  if (checked.success) return checked.data;
  const lines = checked.error.issues.flatMap((issue) => {
    const at = issue.path.map(String);
    if (issue.code === "unrecognized_keys")
      return issue.keys.map(
        (key) =>
          `${[...at, key].join(".")}: there is no setting ${quoteUnknown(key, keysAt(at))}; the settings are ${keysAt(at).join(", ") || "none"}`,
      );
    return `${at.join(".")}: expected ${adviceFor(at) ?? issue.message}`;
  });
  throw new ConfigError([`${file} cannot be used:`, ...lines.map((line) => `  ${line}`)].join("\n"));
}

function schemaAt(path: readonly string[]): z.ZodType | undefined {
  let schema: z.ZodType = configSchema;
  for (const key of path) {
    if (!(schema instanceof z.ZodObject) || !(key in schema.shape)) return schema;
    schema = schema.shape[key] as z.ZodType;
  }
  return schema;
}

function adviceFor(path: readonly string[]): string | undefined {
  return schemaAt(path)?.description;
}

function keysAt(path: readonly string[]): string[] {
  const schema = schemaAt(path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
