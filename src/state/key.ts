import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { makeOwnFolder, readOwn, writeOwn } from "./own.ts";
import { StateError } from "./trust.ts";

const KEY_BYTES = 32;

/** Where this user's key lies, outside every workspace. */
export function keyFile(): string {
  return join(userFolder(), "key");
}

/** The folder of what belongs to this user and to no workspace. */
export function userFolder(): string {
  return join(base(), "spliced");
}

/** This user's key, with which everything is sealed that is believed in a workspace; undefined before the first. */
export function readKey(): Buffer | undefined {
  const file = keyFile();
  const text = readOwn(file);
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), "hex");
  if (key.length !== KEY_BYTES)
    throw new StateError(`${file} is damaged: expected ${KEY_BYTES} bytes in hex digits; remove it`);
  return key;
}

/** This user's key, made when there is none; of several who make one at once, all get the same. @throws StateError */
export function makeKey(): Buffer {
  const file = keyFile();
  try {
    mkdirSync(dirname(dirname(file)), { recursive: true });
    makeOwnFolder(dirname(file));
    return readKey() ?? made(file);
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw new StateError(
      `your key cannot be kept in ${file} (${(error as NodeJS.ErrnoException).code}); ` +
        "set XDG_STATE_HOME to a folder that you can write and that stays",
      { cause: error },
    );
  }
}

function made(file: string): Buffer {
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

/** XDG_STATE_HOME, else where the system has it. */
function base(): string {
  const given = process.env["XDG_STATE_HOME"];
  if (given !== undefined && isAbsolute(given)) return given;
  return process.platform === "darwin"
    ? join(homedir(), "Library", "Application Support")
    : join(homedir(), ".local", "state");
}
