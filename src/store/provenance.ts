import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkOwn, writeOwn } from "../state/own.ts";
import { readSealed, sealed } from "../state/seal.ts";

/**
 * The provenance of a store. `here`: a daemon of this user sealed this very database in this folder. `private`: it has no
 * such seal, but the private mode of its folder, which no checkout or download has. So the user moved, copied or
 * restored it, or an earlier version of spliced made it. `unknown`: neither holds, so the daemon does not open it.
 */
export type Provenance = "here" | "private" | "unknown";

const SEAL = "seal";
const DATABASE = "data.mdb";

/** Returns the provenance of the store in a folder without opening it; undefined when there is none. @throws StateError */
export function provenanceOf(store: string): Provenance | undefined {
  const stats = lstatSync(store, { throwIfNoEntry: false });
  if (stats === undefined || readdirSync(store).length === 0) return undefined;
  if (isSealed(store)) return "here";
  // Under such an umask a checkout is private too, so the mode proves nothing.
  const privateByUmask = (process.umask() & OTHERS) === OTHERS;
  return (stats.mode & ANY) === PRIVATE && !privateByUmask ? "private" : "unknown";
}

/** Seals an open store as made by this user's daemon, and checks that its folder and files are. @throws StateError */
export function sealStore(store: string): void {
  checkOwn(store, "folder");
  for (const name of readdirSync(store)) checkOwn(join(store, name), "file");
  if (!isSealed(store)) writeOwn(join(store, SEAL), sealed(join(store, SEAL), { database: inodeOf(store) }));
}

const ANY = 0o777;
const OTHERS = 0o077;
const PRIVATE = 0o700;

/** Returns true when the seal names this database: one that took its place later has another inode. */
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
