import type { SurveyedFolder } from "./surveyor.ts";

/** The folders that one job of the surveyor lists. */
const FOLDERS_A_JOB = 32;

/**
 * Lists a folder ("" is the root) and all folders beneath it, and calls `visit` with each. While it visits folders,
 * `list` lists the next ones.
 */
export async function listFolders(
  first: string,
  list: (folders: readonly string[]) => Promise<readonly SurveyedFolder[]>,
  visit: (found: SurveyedFolder) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [first];
  const next = () => (waiting.length === 0 ? undefined : list(waiting.splice(0, FOLDERS_A_JOB)));
  let listing = next();
  while (listing !== undefined && !signal.aborted) {
    const listed = await listing;
    for (const found of listed) if ("folders" in found) waiting.push(...found.folders);
    listing = next();
    listing?.catch(() => undefined); // the next turn throws it
    for (const found of listed) await visit(found);
  }
}
