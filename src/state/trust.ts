import type { Stats } from "node:fs";
import { delimiter, resolve } from "node:path";

/** Something in or around a workspace is not this user's alone; the message says what is there and what to do. */
export class StateError extends Error {
  override readonly name = "StateError";
}

type Owned = Pick<Stats, "uid" | "gid" | "mode">;

const BY_GROUP = 0o020;
const BY_ALL = 0o002;
/** In a sticky folder nobody renames or removes what is another's. */
const STICKY = 0o1000;

/** This user; root may do everything anyway. */
export function thisUser(): number {
  return process.geteuid?.() ?? 0;
}

/** Why a file or folder is somebody else's; undefined when it belongs to this user or to root. */
export function ownerDoubt({ uid }: Owned): string | undefined {
  return uid === thisUser() || uid === 0
    ? undefined
    : `it belongs to user ${uid}, and you are user ${thisUser()}`;
}

/**
 * Why others than its owner can write a file or folder; undefined when they cannot. A group whose number is the
 * owner's is the owner's own, as most Linux systems make one for each user, and nobody but root is in root's.
 */
export function writerDoubt({ uid, gid, mode }: Owned): string | undefined {
  const byGroup = (mode & BY_GROUP) !== 0 && gid !== uid && gid !== 0;
  return byGroup || (mode & BY_ALL) !== 0
    ? `others can write it (mode ${(mode & 0o7777).toString(8)})`
    : undefined;
}

/** As `writerDoubt`, of a folder in which nobody may swap what this user made. */
export function swapDoubt(stats: Owned): string | undefined {
  return (stats.mode & STICKY) !== 0 ? undefined : writerDoubt(stats);
}

/** The user has named this workspace in SPLICED_TRUST, whoever owns it or can write it. */
export function isTrustedByName(root: string): boolean {
  const named = (process.env["SPLICED_TRUST"] ?? "").split(delimiter);
  return named.some((folder) => folder !== "" && resolve(folder) === resolve(root));
}
