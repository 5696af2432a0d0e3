import type { HistoryChange } from "./changes.ts";

export const HOUR_MS = 3_600_000;

/** An author with recent changes. */
interface ActiveAuthor {
  readonly author: string;
  readonly edits: number;
  /** The time of the newest change, ISO 8601. */
  readonly last: string;
  readonly paths: readonly string[];
}

/** Returns the authors of the last hour, the most recent first. `changes` are newest first. */
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
