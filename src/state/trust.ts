import type { Stats } from "node:fs";
import { delimiter, resolve } from "node:path";

/**
 * Reports that an entry in or around a workspace is not this user's alone; its message gives the entry and the next
 * step.
 */
export class StateError extends Error {
  override readonly name = "StateError";
}

type Owned = Pick<Stats, "uid" | "gid" | "mode">;

const BY_GROUP = 0o020;
const BY_ALL = 0o002;
/** In a sticky folder, a user cannot rename or remove other users' entries. */
const STICKY = 0o1000;

/** Returns the id of this user. */
export function thisUser(): number {
  return process.geteuid?.() ?? 0;
}

/** Returns why a file or folder belongs to another user; undefined when it belongs to this user or to root. */
export function ownerDoubt({ uid }: Owned): string | undefined {
  return uid === thisUser() || uid === 0
    ? undefined
    : `it belongs to user ${uid}, but you are user ${thisUser()}`;
}

/**
 * Returns why other users can write to a file or folder; undefined when they cannot. A group with the owner's number
 * is private to the owner, as most Linux systems create one for each user. Only root is in root's group.
 */
export function writerDoubt({ uid, gid, mode }: Owned): string | undefined {
  const byGroup = (mode & BY_GROUP) !== 0 && gid !== uid && gid !== 0;
  return byGroup || (mode & BY_ALL) !== 0
    ? `other users can write to it (mode ${(mode & 0o7777).toString(8)})`
    : undefined;
}

/** Returns why other users can replace this user's entries in a folder; undefined when they cannot. */
export function swapDoubt(stats: Owned): string | undefined {
  return (stats.mode & STICKY) !== 0 ? undefined : writerDoubt(stats);
}

/** Returns true when the user named this workspace in SPLICED_TRUST. Its owner and mode do not matter then. */
export function isTrustedByName(root: string): boolean {
  const named = (process.env["SPLICED_TRUST"] ?? "").split(delimiter);
  return named.some((folder) => folder !== "" && resolve(folder) === resolve(root));
}
