import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkKind, checkOwn, type EntryKind, makeOwnFolder } from "./own.ts";
import { isTrustedByName, ownerDoubt, StateError, swapDoubt } from "./trust.ts";

/** The name of the daemon's own folder in a workspace, which is never mirrored. */
export const STATE_FOLDER = ".spliced";

/** The beginning of the name of the folder in which `doctor` tries a file system for a moment. It is never mirrored. */
export const PROBES = ".spliced-doctor-";

/** All names that the daemon and the commands use in a state folder. They never open an entry of another name. */
const NAMES: Readonly<Record<string, EntryKind>> = {
  tmp: "folder",
  store: "folder",
  log: "folder",
  answers: "folder",
  ".gitignore": "file",
  "daemon.json": "file",
  "daemon.lock": "file",
  "tokens.json": "file",
  "tokens.json.new": "file",
  "sign-ins.json": "file",
  "start.log": "file",
};

/** Folders in which the daemon and the commands open every entry by name. */
const WHOLE = ["store", "log", "answers"];

/**
 * Checks that the daemon may serve a folder (I17). The folder, and a state folder in it, must belong to this user or
 * root. No other user may write to the folder, as git requires of a `safe.directory`. @throws StateError
 */
export function checkWorkspace(root: string): void {
  const stats = statSync(root);
  const trusted = isTrustedByName(root);
  const doubt = trusted ? undefined : (ownerDoubt(stats) ?? swapDoubt(stats));
  if (doubt !== undefined)
    throw new StateError(
      `spliced does not use ${root} as a workspace: ${doubt}. Make the folder yours alone (chown, chmod go-w). ` +
        `Or, if you trust everyone who can write to it, set SPLICED_TRUST=${root} in the environment`,
    );
  const state = join(root, STATE_FOLDER);
  const found = lstatSync(state, { throwIfNoEntry: false });
  if (found === undefined) return;
  checkKind(state, "folder", found);
  const owner = ownerDoubt(found);
  if (owner !== undefined)
    throw new StateError(
      `spliced does not use ${state}: ${owner}. Run spliced as that user, or remove the folder if it does not belong there`,
    );
}

/**
 * Creates the state folder of a workspace if it does not exist, makes it private to this user and returns it. @throws
 * StateError
 */
export function openState(root: string): string {
  checkWorkspace(root);
  const state = join(root, STATE_FOLDER);
  makeOwnFolder(state);
  return state;
}

/**
 * Checks every used name of a state folder before the daemon opens anything in it. Each must be free or this user's,
 * and no link or other kind of entry. `store/lmdb/provenance.ts` checks the mode of the store. @throws StateError that names
 * the first violation
 */
export function checkState(state: string): void {
  for (const [name, kind] of Object.entries(NAMES)) {
    const path = join(state, name);
    if (name === "store") checkIsFolder(path);
    else checkOwn(path, kind);
  }
  for (const folder of WHOLE)
    for (const name of namesIn(join(state, folder))) checkOwn(join(state, folder, name), "file");
}

/** Returns an id that differs for all folders on the machine, copies included, until the machine restarts. */
export function folderId(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

function checkIsFolder(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) checkKind(path, "folder", found);
}

function namesIn(folder: string): string[] {
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder);
}
