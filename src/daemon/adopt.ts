import { existsSync, lstatSync, realpathSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { checkState, openState } from "../state/folder.ts";
import { makeKey } from "../state/key.ts";
import { checkOwn } from "../state/own.ts";
import { provenanceOf, sealStore } from "../store/lmdb/provenance.ts";
import { moveAside, storeIn, storesAside } from "../store/lmdb/set-aside.ts";
import { lockWorkspace } from "./process/lock.ts";
import { adoptTokens } from "./tokens/token-file.ts";
import { formatRule } from "./tokens/token-rules.ts";

/** The history and tokens that a user adopted. */
interface AdoptedState {
  /** The adopted store, which has the history of the documents; undefined when there was none to adopt. */
  readonly store: string | undefined;
  /** The folder to which the daemon's previous store was moved. */
  readonly replaced: string | undefined;
  readonly tokens: readonly { readonly name: string; readonly allow: readonly string[] }[];
}

/**
 * Adopts the store and the tokens of a workspace that was copied, restored, or used with an earlier version. Browsers
 * have to sign in again. @throws LockedError while a daemon serves the workspace, StateError, TokensError
 */
export async function adoptState(folder: string): Promise<AdoptedState> {
  const root = realpathSync(folder);
  makeKey();
  const state = openState(root);
  checkState(state);
  const unlock = lockWorkspace(root, state);
  try {
    const tokens = await adoptTokens(join(state, "tokens.json"));
    return {
      ...adoptStore(state),
      tokens: tokens.map(({ name, rules }) => ({ name, allow: rules.map(formatRule) })),
    };
  } finally {
    unlock();
  }
}

/** Adopts the store in place if no daemon has checked it yet; otherwise the newest that was set aside as unknown. */
function adoptStore(state: string): Pick<AdoptedState, "store" | "replaced"> {
  const store = storeIn(state);
  const provenance = provenanceOf(store);
  if (provenance !== undefined && provenance !== "here") {
    sealStore(store);
    return { store, replaced: undefined };
  }
  const aside = storesAside(state).findLast(({ kind }) => kind === "unknown");
  if (aside === undefined) return { store: undefined, replaced: undefined };
  const names = ["store", "tmp"].filter((name) => existsSync(join(aside.at, name)));
  for (const name of names) checkOwn(join(aside.at, name), "folder");
  const replaced = provenance === undefined ? undefined : moveAside(state, "replaced", new Date());
  for (const name of names) moveBack(join(aside.at, name), join(state, name));
  rmdirSync(aside.at);
  checkState(state);
  sealStore(store);
  return { store, replaced };
}

/** Moves a folder to a path, at which there may be an empty folder. */
function moveBack(from: string, to: string): void {
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) rmdirSync(to);
  renameSync(from, to);
}
