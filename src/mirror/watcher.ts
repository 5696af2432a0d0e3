import { basename, join } from "node:path";
import { FSWatcher } from "chokidar";

/** Called with the absolute path of something that may have changed. Only ever a hint (I9). */
export type OnHint = (path: string) => void;

/**
 * chokidar without its account of what is in a folder: at every event it would read the folder and look at
 * each file in it, which in a large folder costs more than the edit that caused the event.
 */
class FolderWatcher extends FSWatcher {
  override _readdirp(): undefined {
    return undefined;
  }
}

/** Watches folders, not trees: only those with loaded documents in them. */
export interface Watcher {
  watch(folder: string): void;
  unwatch(folder: string): void;
  close(): Promise<void>;
}

/**
 * Watches through chokidar. Its raw events are taken as they come: which file it was, and what was done to
 * it, is found out by looking.
 */
export function chokidarWatcher(onHint: OnHint, onProblem: (error: Error) => void): Watcher {
  const folders = new Set<string>();
  const watcher = new FolderWatcher({ ignoreInitial: true, depth: 0, followSymlinks: false });
  watcher.on("raw", (_event, path, details) => {
    const watched = (details as { watchedPath?: string } | undefined)?.watchedPath;
    if (watched === undefined || typeof path !== "string") return;
    onHint(basename(watched) === path && !folders.has(watched) ? watched : join(watched, path));
  });
  watcher.on("error", (error) => onProblem(error instanceof Error ? error : new Error(String(error))));
  return {
    watch(folder) {
      if (folders.has(folder)) return;
      folders.add(folder);
      watcher.add(folder);
    },
    unwatch(folder) {
      if (folders.delete(folder)) watcher.unwatch(folder);
    },
    close: () => watcher.close(),
  };
}
