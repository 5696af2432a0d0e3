import { setImmediate } from "node:timers/promises";
import { seqOf, type Version, versionOf } from "../versions/version.ts";
import type { Workspace } from "./workspace.ts";

/** A document, by its id and present or last path. */
export interface VersionOwner {
  readonly id: string;
  readonly path: string;
}

/** Documents that are looked at before other requests continue (I14). */
const YIELD_EVERY = 500;

/** Returns the documents whose history has all of the versions, and whose paths are wanted. */
export async function ownersOf(
  workspace: Workspace,
  versions: readonly Version[],
  wanted: (path: string) => boolean,
): Promise<readonly VersionOwner[]> {
  const owners = new Map<string, VersionOwner>();
  for (const { id, path, versions: known } of workspace.loaded)
    if (wanted(path) && versions.every((version) => known.find(version) !== undefined))
      owners.set(id, { id, path });
  for (const [i, { id, path }] of workspace.ports.store.documents().entries()) {
    if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
    const isOwner = () => versions.every((version) => stores(workspace, id, version));
    if (!owners.has(id) && wanted(path) && isOwner()) owners.set(id, { id, path });
  }
  return [...owners.values()];
}

function stores(workspace: Workspace, docId: string, version: Version): boolean {
  const seq = seqOf(version);
  const change = seq === undefined ? undefined : workspace.storedChange(docId, seq);
  return change !== undefined && versionOf(change) === version;
}
