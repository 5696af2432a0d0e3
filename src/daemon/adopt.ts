import { existsSync, lstatSync, realpathSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { checkState, openState } from "../state/folder.ts";
import { makeKey } from "../state/key.ts";
import { checkOwn } from "../state/own.ts";
import { originOf, sealStore } from "../store/origin.ts";
import { moveAside, setAside, storeIn } from "../store/sound.ts";
import { lockWorkspace } from "./lock.ts";
import { adoptTokens } from "./token-file.ts";
import { showRule } from "./token-rules.ts";

/** What the user took over as their own. */
export interface AdoptedState {
  /** The store that documents have their history from now on; undefined when there was none to take over. */
  readonly store: string | undefined;
  /** Where the store is kept that was in its place. */
  readonly replaced: string | undefined;
  readonly tokens: readonly { readonly name: string; readonly allow: readonly string[] }[];
}

/**
 * Takes over what a workspace brought from elsewhere (a copy, a backup, an earlier version): its store with all
 * history, and its tokens. Browsers sign in again. @throws LockedError while a daemon serves it, StateError, TokensError
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
      tokens: tokens.map(({ name, rules }) => ({ name, allow: rules.map(showRule) })),
    };
  } finally {
    unlock();
  }
}

/** The store in place, where no daemon has judged it yet; else the newest that was set aside as unknown. */
function adoptStore(state: string): Pick<AdoptedState, "store" | "replaced"> {
  const store = storeIn(state);
  const origin = originOf(store);
  if (origin !== undefined && origin !== "here") {
    sealStore(store);
    return { store, replaced: undefined };
  }
  const aside = setAside(state).findLast(({ kind }) => kind === "unknown");
  if (aside === undefined) return { store: undefined, replaced: undefined };
  const names = ["store", "tmp"].filter((name) => existsSync(join(aside.at, name)));
  for (const name of names) checkOwn(join(aside.at, name), "folder");
  const replaced = origin === undefined ? undefined : moveAside(state, "replaced", new Date());
  for (const name of names) bringBack(join(aside.at, name), join(state, name));
  rmdirSync(aside.at);
  checkState(state);
  sealStore(store);
  return { store, replaced };
}

function bringBack(from: string, to: string): void {
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) rmdirSync(to);
  renameSync(from, to);
}
