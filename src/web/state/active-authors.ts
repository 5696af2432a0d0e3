import type { HistoryChange } from "./changes.ts";

export const HOUR_MS = 3_600_000;

/** Who made changes, how many, in which documents; the newest first. */
export interface ActiveAuthor {
  readonly author: string;
  readonly edits: number;
  readonly last: string;
  readonly paths: readonly string[];
}

/** Those of the last hour; `changes` are newest first. */
export function activeAuthors(changes: readonly HistoryChange[], at: number): ActiveAuthor[] {
  const workers = new Map<string, { author: string; edits: number; last: string; paths: Set<string> }>();
  for (const { author, time, path } of changes) {
    if (author === "spliced" || at - Date.parse(time) > HOUR_MS) continue;
    const worker = workers.get(author) ?? { author, edits: 0, last: time, paths: new Set<string>() };
    worker.edits++;
    worker.paths.add(path);
    workers.set(author, worker);
  }
  return [...workers.values()].map(({ paths, ...worker }) => ({ ...worker, paths: [...paths] }));
}
