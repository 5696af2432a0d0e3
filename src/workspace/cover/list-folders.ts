import type { SurveyedFolder } from "./surveyor.ts";

/** The folders that one job of the surveyor lists. */
const FOLDERS_A_JOB = 32;

/**
 * Lists a folder ("" is the root) and all folders beneath it, and calls `visit` with each. While it visits folders,
 * `list` lists the next ones. Visits begin once `ready` has resolved.
 */
export async function listFolders(
  first: string,
  list: (folders: readonly string[]) => Promise<readonly SurveyedFolder[]>,
  visit: (found: SurveyedFolder) => Promise<void>,
  signal: AbortSignal,
  ready: Promise<void> = Promise.resolve(),
): Promise<void> {
  const waiting = [first];
  const unvisited: SurveyedFolder[] = [];
  let isReady = false;
  const visiting = ready.then(() => {
    isReady = true;
  });
  visiting.catch(() => undefined); // the last lines throw it
  const next = () => (waiting.length === 0 ? undefined : list(waiting.splice(0, FOLDERS_A_JOB)));
  let listing = next();
  while (listing !== undefined && !signal.aborted) {
    const listed = await listing;
    for (const found of listed) if ("folders" in found) waiting.push(...found.folders);
    listing = next();
    listing?.catch(() => undefined); // the next turn throws it
    unvisited.push(...listed);
    if (isReady) for (const found of unvisited.splice(0)) await visit(found);
  }
  await visiting;
  for (const found of unvisited) if (!signal.aborted) await visit(found);
}
