import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { FSWatcher } from "chokidar";
import type { Clock } from "./clock.ts";

/** Called with the absolute path of a file or folder that may have changed. It is only a hint (I9). */
export type OnHint = (path: string) => void;

/** The folders that the watcher polls, because the system refuses to watch them. */
export interface WatchTrouble {
  /** The number of folders. */
  readonly folders: number;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Watches folders without their subfolders: those of loaded documents. */
export interface Watcher {
  /** Watches whichever folder is at the path; it may be missing, and may come and go. */
  watch(folder: string): void;
  /** Undefined while the system watches all folders. */
  readonly trouble: WatchTrouble | undefined;
  close(): Promise<void>;
}

/** The time between two checks of the watched folders, and between two polls of the others; milliseconds. */
const LOOK_MS = 500;
/** The system's error codes when it grants no more watches, to this user or to this process. */
const NO_MORE = new Set(["ENOSPC", "EMFILE"]);
const ONE_LEVEL = { ignoreInitial: true, depth: 0, followSymlinks: false };

/**
 * chokidar without its list of each folder's files. At every event chokidar reads the folder and looks at each file,
 * which in a large folder costs more than the edit that caused the event.
 */
class EventWatcher extends FSWatcher {
  override _readdirp(): undefined {
    return undefined;
  }
}

/**
 * Returns a watcher that uses chokidar's raw events; the daemon finds out by a look what changed. The watcher polls
 * folders that the system grants no watch, until it does. It does not notice events that the system dropped because its
 * queue was full.
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
  /** The identity of the folder at each watched path; undefined while no folder is there. */
  readonly #folders = new Map<string, string | undefined>();
  /** The reason by each polled folder. */
  readonly #polled = new Map<string, string>();
  /** The polled folder whose watch was requested again, and not refused yet. */
  #requested: string | undefined;
  readonly #abort = new AbortController();
  readonly #checking: Promise<void>;
  #troubled = false;
  #since = 0;

  constructor(clock: Clock, onHint: OnHint, onTrouble: (trouble: WatchTrouble | undefined) => void) {
    this.#clock = clock;
    this.#onHint = onHint;
    this.#onTrouble = onTrouble;
    this.#events.on("raw", (event, name, details) => {
      const { watchedPath } = details as { readonly watchedPath?: string };
      if (watchedPath !== undefined && typeof name === "string") this.#onEvent(event, watchedPath, name);
    });
    this.#events.on("error", (error) => this.#failed(error));
    this.#polls.on("all", (_event, path) => this.#onHint(path));
    this.#polls.on("error", (error) => this.#failed(error));
    this.#checking = this.#checkFolders();
  }

  get trouble(): WatchTrouble | undefined {
    const [reason] = this.#polled.values();
    return reason === undefined ? undefined : { folders: this.#polled.size, reason, since: this.#since };
  }

  watch(path: string): void {
    if (this.#abort.signal.aborted || this.#folders.has(path)) return;
    this.#follow(path);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await Promise.all([this.#events.close(), this.#polls.close(), this.#checking]);
  }

  #follow(path: string): void {
    const folder = folderAt(path);
    this.#folders.set(path, folder);
    if (folder !== undefined) this.#events.add(path);
  }

  #onEvent(event: string, folder: string, name: string): void {
    if (this.#abort.signal.aborted) return;
    this.#onHint(join(folder, name));
    // This event reports the removal of the folder itself, or of a file of the same name. The inode number does not
    // show which: the system gives a removed folder's number to a new one at once.
    if (event === "rename" && name === basename(folder)) this.#watchAnew(folder);
  }

  /** Watches the path anew: another folder may be there, and every file in it may be new. */
  #watchAnew(path: string): void {
    if (!this.#folders.has(path)) return;
    this.#events.unwatch(path);
    this.#follow(path);
    for (const name of namesIn(path)) this.#onHint(join(path, name));
  }

  #failed(error: unknown): void {
    const { code, path, message } = error as NodeJS.ErrnoException;
    // Any other error means that the folder is missing or unreachable; the next check looks for it again.
    if (code === undefined || !NO_MORE.has(code) || path === undefined || !this.#folders.has(path)) return;
    if (this.#requested === path) this.#requested = undefined;
    if (this.#polled.size === 0) this.#since = this.#clock.now();
    if (!this.#polled.has(path)) this.#polls.add(path);
    // Health does not name the folder.
    this.#polled.set(path, message.replace(/, watch '.*$/, ""));
    this.#reportTrouble();
  }

  #granted(path: string): void {
    if (!this.#polled.delete(path)) return;
    this.#polls.unwatch(path);
    this.#reportTrouble();
  }

  async #checkFolders(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      await this.#clock.sleep(LOOK_MS, this.#abort.signal);
      for (const [path, folder] of [...this.#folders]) if (folderAt(path) !== folder) this.#watchAnew(path);
      this.#requestAgain();
    }
  }

  /** Requests the watch of one polled folder; it counts as granted if no refusal comes before the next call. */
  #requestAgain(): void {
    if (this.#requested !== undefined) this.#granted(this.#requested);
    [this.#requested] = this.#polled.keys();
    if (this.#requested === undefined) return;
    this.#events.unwatch(this.#requested);
    this.#events.add(this.#requested);
  }

  #reportTrouble(): void {
    const { trouble } = this;
    if ((trouble !== undefined) === this.#troubled) return;
    this.#troubled = trouble !== undefined;
    this.#onTrouble(trouble);
  }
}

/**
 * Returns the identity of the folder at a path, also different for a later folder with the same inode number; undefined
 * while no folder is there.
 */
function folderAt(path: string): string | undefined {
  try {
    const stats = lstatSync(path, { bigint: true });
    return stats.isDirectory() ? `${stats.dev} ${stats.ino} ${stats.birthtimeNs}` : undefined;
  } catch {
    return undefined; // missing or unreachable
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // missing or unreachable
  }
}
