import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkOwn, writeOwn } from "../../state/own.ts";
import { readSealed, sealed } from "../../state/seal.ts";

/**
 * The provenance of a store. `here`: a daemon of this user sealed this very database in this folder. `private`: it has no
 * such seal, but the private mode of its folder, which no checkout or download has. So the user moved, copied or
 * restored it, or an earlier version of spliced made it. `unknown`: neither holds, so the daemon does not open it.
 */
export type Provenance = "here" | "private" | "unknown";

/** The name of the database in a store. */
export const DATABASE_FILE = "data.mdb";
const SEAL = "seal";

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
  if (!isSealed(store)) writeSeal(store, { database: inodeOf(databaseIn(store)) });
}

/** Seals the database at `copy`, too, which is about to take the place of a sealed one. */
export function sealBeside(store: string, copy: string): void {
  const replaced = inodeOf(databaseIn(store));
  if (isSealed(store)) writeSeal(store, { database: inodeOf(copy), replaced }, FLUSHED);
}

/** Seals only the present database of a sealed store. */
export function sealAlone(store: string): void {
  if (isSealed(store)) writeSeal(store, { database: inodeOf(databaseIn(store)) }, FLUSHED);
}

/** A seal that takes the place of another one must not be empty after a power cut. */
const FLUSHED = { flushed: true };

interface Sealed {
  readonly database: string;
  /** The database that a copy was about to replace. */
  readonly replaced?: string;
}

function writeSeal(store: string, inodes: Sealed, options?: typeof FLUSHED): void {
  writeOwn(join(store, SEAL), sealed(join(store, SEAL), { ...inodes }), options);
}

const ANY = 0o777;
const OTHERS = 0o077;
const PRIVATE = 0o700;

/** Returns true when the seal names this database: one that took its place later has another inode. */
function isSealed(store: string): boolean {
  if (!existsSync(databaseIn(store))) return false;
  try {
    const seal = readSealed(join(store, SEAL));
    const { database, replaced } = (seal?.content ?? {}) as Partial<Sealed>;
    const present = inodeOf(databaseIn(store));
    return seal?.genuine === true && (database === present || replaced === present);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function databaseIn(store: string): string {
  return join(store, DATABASE_FILE);
}

function inodeOf(file: string): string {
  return String(statSync(file, { bigint: true }).ino);
}
