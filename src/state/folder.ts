import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkKind, checkOwn, type EntryKind, makeOwnFolder } from "./own.ts";
import { isTrustedByName, ownerDoubt, StateError, swapDoubt } from "./trust.ts";

/** The daemon's own folder in a workspace; never mirrored. */
export const STATE_FOLDER = ".spliced";

/** All that the daemon and the commands use in a state folder. Another name is nobody's, and is never opened. */
const NAMES: Readonly<Record<string, EntryKind>> = {
  tmp: "folder",
  store: "folder",
  log: "folder",
  ".gitignore": "file",
  "daemon.json": "file",
  "daemon.lock": "file",
  "daemon.lock.taking": "file",
  "tokens.json": "file",
  "tokens.json.new": "file",
  "sign-ins.json": "file",
  "start.log": "file",
};

/** Folders of which every entry is opened by name. */
const WHOLE = ["store", "log"];

/**
 * Sees that a folder may be served (I17): it, and a state folder that is in it, belong to this user or root, and
 * nobody else can write it, as git wants it of a `safe.directory`. @throws StateError
 */
export function checkWorkspace(root: string): void {
  const stats = statSync(root);
  const trusted = isTrustedByName(root);
  const doubt = trusted ? undefined : (ownerDoubt(stats) ?? swapDoubt(stats));
  if (doubt !== undefined)
    throw new StateError(
      `${root} is not used as a workspace: ${doubt}. Make the folder yours alone (chown, chmod go-w), ` +
        `or, if you trust all who can write it, set SPLICED_TRUST=${root} in the environment`,
    );
  const state = join(root, STATE_FOLDER);
  const found = lstatSync(state, { throwIfNoEntry: false });
  if (found === undefined) return;
  checkKind(state, "folder", found);
  const owner = ownerDoubt(found);
  if (owner !== undefined)
    throw new StateError(
      `${state} is not used: ${owner}. Run spliced as that user, or remove the folder if it is not to be there`,
    );
}

/** The state folder of a workspace, made where there is none; it is this user's alone from then on. @throws StateError */
export function openState(root: string): string {
  checkWorkspace(root);
  const state = join(root, STATE_FOLDER);
  makeOwnFolder(state);
  return state;
}

/**
 * Sees that all that is used of a state folder is free or ours, and neither a link nor anything else that leads
 * elsewhere; nothing of it was opened before. The store's own mode stays for `store/origin.ts` to judge.
 * @throws StateError which names the first that is not
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

/** Tells a folder from all others on the machine, also from copies of it, until the machine is started anew. */
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
