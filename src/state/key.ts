import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { makeOwnFolder, readOwn, writeOwn } from "./own.ts";
import { StateError } from "./trust.ts";

const KEY_BYTES = 32;

/** Returns the path of this user's key, which is outside every workspace. */
export function keyFile(): string {
  return join(userFolder(), "key");
}

/** The folder for files that belong to this user and to no workspace. */
export function userFolder(): string {
  return join(base(), "spliced");
}

/** Reads this user's key, which seals all trusted files of a workspace; undefined before the first daemon made one. */
export function readKey(): Buffer | undefined {
  const file = keyFile();
  const text = readOwn(file);
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), "hex");
  if (key.length !== KEY_BYTES)
    throw new StateError(`${file} is damaged: it must contain ${KEY_BYTES} bytes in hex digits. Remove it`);
  return key;
}

/**
 * Returns this user's key and creates it if there is none. Processes that create it at once get the same key. @throws
 * StateError
 */
export function makeKey(): Buffer {
  const file = keyFile();
  try {
    mkdirSync(dirname(dirname(file)), { recursive: true });
    makeOwnFolder(dirname(file));
    return readKey() ?? createKey(file);
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw new StateError(
      `spliced cannot store your key in ${file} (${(error as NodeJS.ErrnoException).code}). ` +
        "Set XDG_STATE_HOME to a permanent folder that you can write to",
      { cause: error },
    );
  }
}

function createKey(file: string): Buffer {
  const mine = `${file}.${randomBytes(6).toString("hex")}`;
  writeOwn(mine, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
  try {
    linkSync(mine, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(mine, { force: true });
  }
  return readKey()!;
}

/** Returns XDG_STATE_HOME, or else the system's folder for state. */
function base(): string {
  const configured = process.env["XDG_STATE_HOME"];
  if (configured !== undefined && isAbsolute(configured)) return configured;
  return process.platform === "darwin"
    ? join(homedir(), "Library", "Application Support")
    : join(homedir(), ".local", "state");
}
