import { whoOf } from "./authors.ts";
import type { HistoryChange } from "./changes.ts";

export const HOUR_MS = 3_600_000;

/** An author with recent changes. */
interface ActiveAuthor {
  readonly author: string;
  /** The other machine where the author is. */
  readonly machine: string | undefined;
  readonly edits: number;
  /** The time of the newest change, ISO 8601. */
  readonly last: string;
  readonly paths: readonly string[];
}

/** Returns the authors of the last hour, the most recent first. `changes` are newest first. */
export function activeAuthors(changes: readonly HistoryChange[], at: number): ActiveAuthor[] {
  const workers = new Map<
    string,
    Omit<ActiveAuthor, "edits" | "paths"> & { edits: number; paths: Set<string> }
  >();
  for (const { author, machine, time, path } of changes) {
    if (author === "spliced" || at - Date.parse(time) > HOUR_MS) continue;
    const who = whoOf({ author, machine });
    const worker = workers.get(who) ?? { author, machine, edits: 0, last: time, paths: new Set<string>() };
    worker.edits++;
    worker.paths.add(path);
    workers.set(who, worker);
  }
  return [...workers.values()].map(({ paths, ...worker }) => ({ ...worker, paths: [...paths] }));
}
