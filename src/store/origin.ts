import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkOwn, writeOwn } from "../state/own.ts";
import { readSealed, sealed } from "../state/seal.ts";

/**
 * Where a store comes from. `here`: this user's daemon sealed this very database in this folder. `private`: it
 * bears no such seal, but the mode of its folder is one that no checkout and no download of one gives, so the user
 * moved, copied or restored it, or an earlier version left it. `unknown`: neither shows, so it is not opened.
 */
export type Origin = "here" | "private" | "unknown";

const SEAL = "seal";
const DATABASE = "data.mdb";

/** Judges the store in a folder without opening it; undefined when there is none. @throws StateError */
export function originOf(store: string): Origin | undefined {
  const stats = lstatSync(store, { throwIfNoEntry: false });
  if (stats === undefined || readdirSync(store).length === 0) return undefined;
  if (isSealed(store)) return "here";
  // Under such an umask all that is checked out is private, which then tells nothing.
  const everythingIs = (process.umask() & OTHERS) === OTHERS;
  return (stats.mode & ANY) === PRIVATE && !everythingIs ? "private" : "unknown";
}

/** Marks an open store as this user's daemon's, and its folder and files as its own. @throws StateError */
export function sealStore(store: string): void {
  checkOwn(store, "folder");
  for (const name of readdirSync(store)) checkOwn(join(store, name), "file");
  if (!isSealed(store)) writeOwn(join(store, SEAL), sealed(join(store, SEAL), { database: inodeOf(store) }));
}

const ANY = 0o777;
const OTHERS = 0o077;
const PRIVATE = 0o700;

/** A database that was put there since has another inode. */
function isSealed(store: string): boolean {
  if (!existsSync(join(store, DATABASE))) return false;
  try {
    const seal = readSealed(join(store, SEAL));
    const { database } = (seal?.content ?? {}) as { readonly database?: unknown };
    return seal?.genuine === true && database === inodeOf(store);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function inodeOf(store: string): string {
  return String(statSync(join(store, DATABASE), { bigint: true }).ino);
}
