import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { FSWatcher } from "chokidar";
import type { Clock } from "./clock.ts";

/** Called with the absolute path of something that may have changed. Only ever a hint (I9). */
export type OnHint = (path: string) => void;

/** How many folders are looked at again and again because the system does not watch them, why, and since when. */
export interface WatchTrouble {
  readonly folders: number;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Watches folders, not trees: only those with loaded documents in them. */
export interface Watcher {
  /** The folder need not be there, and may come and go: whatever is at the path is watched. */
  watch(folder: string): void;
  /** Undefined while all folders are watched by the system. */
  readonly trouble: WatchTrouble | undefined;
  close(): Promise<void>;
}

/** How often watched folders are checked to be the same, and files polled that cannot be watched; milliseconds. */
const LOOK_MS = 500;
/** What the system answers when it grants no more watches, to this user or to this process. */
const NO_MORE = new Set(["ENOSPC", "EMFILE"]);
const ONE_LEVEL = { ignoreInitial: true, depth: 0, followSymlinks: false };

/**
 * chokidar without its account of what is in a folder: at every event it would read the folder and look at
 * each file in it, which in a large folder costs more than the edit that caused the event.
 */
class EventWatcher extends FSWatcher {
  override _readdirp(): undefined {
    return undefined;
  }
}

/**
 * Watches through chokidar. Its raw events are taken as they come: which file it was, and what was done to
 * it, is found out by looking. Folders that the system grants no watch are polled until it does. Events that the
 * system dropped, because its queue was full, nobody hears of.
 */
export function chokidarWatcher(
  clock: Clock,
  onHint: OnHint,
  onTrouble: (trouble: WatchTrouble | undefined) => void,
): Watcher {
  return new ChokidarWatcher(clock, onHint, onTrouble);
}

class ChokidarWatcher implements Watcher {
  readonly #clock: Clock;
  readonly #onHint: OnHint;
  readonly #onTrouble: (trouble: WatchTrouble | undefined) => void;
  readonly #events = new EventWatcher(ONE_LEVEL);
  readonly #polls = new FSWatcher({ ...ONE_LEVEL, usePolling: true, interval: LOOK_MS });
  /** What is at each path that is followed; undefined where there is no folder now. */
  readonly #folders = new Map<string, string | undefined>();
  /** Folders that are polled, and why. */
  readonly #refused = new Map<string, string>();
  /** One of them, for which a watch was asked again and not refused yet. */
  #trying: string | undefined;
  readonly #abort = new AbortController();
  readonly #looking: Promise<void>;
  #troubled = false;
  #since = 0;

  constructor(clock: Clock, onHint: OnHint, onTrouble: (trouble: WatchTrouble | undefined) => void) {
    this.#clock = clock;
    this.#onHint = onHint;
    this.#onTrouble = onTrouble;
    this.#events.on("raw", (event, name, details) => {
      const { watchedPath } = details as { readonly watchedPath?: string };
      if (watchedPath !== undefined && typeof name === "string") this.#heard(event, watchedPath, name);
    });
    this.#events.on("error", (error) => this.#failed(error));
    this.#polls.on("all", (_event, path) => this.#onHint(path));
    this.#polls.on("error", (error) => this.#failed(error));
    this.#looking = this.#lookOn();
  }

  get trouble(): WatchTrouble | undefined {
    const [reason] = this.#refused.values();
    return reason === undefined ? undefined : { folders: this.#refused.size, reason, since: this.#since };
  }

  watch(path: string): void {
    if (this.#abort.signal.aborted || this.#folders.has(path)) return;
    this.#follow(path);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await Promise.all([this.#events.close(), this.#polls.close(), this.#looking]);
  }

  #follow(path: string): void {
    const folder = folderAt(path);
    this.#folders.set(path, folder);
    if (folder !== undefined) this.#events.add(path);
  }

  #heard(event: string, folder: string, name: string): void {
    if (this.#abort.signal.aborted) return;
    this.#onHint(join(folder, name));
    // So the folder's own removal is told, or what became of a file of that name. By its number one cannot see
    // that it is another one by now, for the system gives that out again at once.
    if (event === "rename" && name === basename(folder)) this.#again(folder);
  }

  /** What is at the path may be another folder than the one that is watched: all in it may be new. */
  #again(path: string): void {
    if (!this.#folders.has(path)) return;
    this.#events.unwatch(path);
    this.#follow(path);
    for (const name of namesIn(path)) this.#onHint(join(path, name));
  }

  #failed(error: unknown): void {
    const { code, path, message } = error as NodeJS.ErrnoException;
    // Any other folder that cannot be watched is gone, or out of reach, and looked for again by and by.
    if (code === undefined || !NO_MORE.has(code) || path === undefined || !this.#folders.has(path)) return;
    if (this.#trying === path) this.#trying = undefined;
    if (this.#refused.size === 0) this.#since = this.#clock.now();
    if (!this.#refused.has(path)) this.#polls.add(path);
    // Which folder it is stays out of what health says.
    this.#refused.set(path, message.replace(/, watch '.*$/, ""));
    this.#tell();
  }

  #granted(path: string): void {
    if (!this.#refused.delete(path)) return;
    this.#polls.unwatch(path);
    this.#tell();
  }

  async #lookOn(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      await this.#clock.sleep(LOOK_MS, this.#abort.signal);
      for (const [path, folder] of [...this.#folders]) if (folderAt(path) !== folder) this.#again(path);
      this.#askAgain();
    }
  }

  /** Asks for a watch for a folder that had none; one that is not refused until the next time is granted. */
  #askAgain(): void {
    if (this.#trying !== undefined) this.#granted(this.#trying);
    [this.#trying] = this.#refused.keys();
    if (this.#trying === undefined) return;
    this.#events.unwatch(this.#trying);
    this.#events.add(this.#trying);
  }

  #tell(): void {
    const { trouble } = this;
    if ((trouble !== undefined) === this.#troubled) return;
    this.#troubled = trouble !== undefined;
    this.#onTrouble(trouble);
  }
}

/**
 * Tells one folder from another that is at the same path later, also where that was given the first one's number;
 * undefined where there is none.
 */
function folderAt(path: string): string | undefined {
  try {
    const stats = lstatSync(path, { bigint: true });
    return stats.isDirectory() ? `${stats.dev} ${stats.ino} ${stats.birthtimeNs}` : undefined;
  } catch {
    return undefined; // gone, or out of reach, which comes to the same
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // likewise
  }
}
