import { lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { FSWatcher } from "chokidar";
import type { Clock } from "../clock.ts";

/** Called with the absolute path of a file or folder that may have changed. It is only a hint (I9). */
export type OnHint = (path: string) => void;

/** The folders that the system refuses to watch: changes in them come without a hint. */
export interface WatchTrouble {
  /** The number of folders. */
  readonly folders: number;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Watches folders without their subfolders. */
export interface Watcher {
  /** Watches the folder at the path, which may be missing, and may come and go. */
  watch(folder: string): void;
  /** Ends the watch of a folder, and of all folders beneath it. */
  unwatch(folder: string): void;
  /**
   * Resolves with true once the watcher has hinted at every change before the call, as far as the system reported it.
   * Resolves with false where the watcher cannot find that out.
   */
  drained(): Promise<boolean>;
  /** Undefined while the system watches all folders. */
  readonly trouble: WatchTrouble | undefined;
  close(): Promise<void>;
}

/** The time between two checks of watched folders, and between two requests for a refused watch; milliseconds. */
const LOOK_MS = 500;
/** The longest wait for the event of a cookie; milliseconds. */
const COOKIE_MS = 1_000;
/** The folders of one check; a check of more would delay others (I14). */
const FOLDERS_A_CHECK = 100;
/** The refused watches that are requested again at once. */
const REQUESTS_A_CHECK = 16;
/** The system's error codes when it grants no more watches, to this user or to this process. */
const NO_MORE = new Set(["ENOSPC", "EMFILE"]);

/**
 * The part of chokidar that reports the system's events. chokidar's own `add` looks at a folder that the caller has just
 * looked at, and passes over one with the name of an editor's file. At every event it reads the folder and looks at each
 * file; in a large folder this costs more than the edit.
 */
class EventWatcher extends FSWatcher {
  /** Watches a folder without its folders; an `error` event tells why the system refuses it. */
  watchFolder(path: string): void {
    const close = this._nodeFsHandler._watchWithNodeFs(path, () => undefined);
    if (close !== undefined) this._addPathCloser(path, close);
  }

  unwatchFolder(path: string): void {
    this._closePath(path);
  }
}

/**
 * Returns a watcher that uses chokidar's raw events; the daemon finds the changes by a look. The watcher requests a
 * refused watch again and again. `cookieFolder` exists and is the daemon's own. It does not notice events that the
 * system dropped because its queue was full.
 */
export function chokidarWatcher(
  clock: Clock,
  onHint: OnHint,
  onTrouble: (trouble: WatchTrouble | undefined) => void,
  cookieFolder: string,
): Watcher {
  return new ChokidarWatcher(clock, onHint, onTrouble, cookieFolder);
}

class ChokidarWatcher implements Watcher {
  readonly #clock: Clock;
  readonly #onHint: OnHint;
  readonly #onTrouble: (trouble: WatchTrouble | undefined) => void;
  readonly #events = new EventWatcher();
  /** The identity of the folder at each watched path; undefined while no folder is there. */
  readonly #folders = new Map<string, string | undefined>();
  /** The system's reason by each folder that it refused to watch. */
  readonly #refused = new Map<string, string>();
  /** The refused folders whose watches were requested again, and not refused since. */
  #requested = new Set<string>();
  readonly #abort = new AbortController();
  readonly #checking: Promise<void>;
  /** The number of folders that the present round has checked. */
  #checked = 0;
  readonly #cookieFolder: string;
  /** Callbacks by the paths of cookies that were written. */
  readonly #cookies = new Map<string, () => void>();
  #cookieCount = 0;
  #troubled = false;
  #since = 0;

  constructor(
    clock: Clock,
    onHint: OnHint,
    onTrouble: (trouble: WatchTrouble | undefined) => void,
    cookieFolder: string,
  ) {
    this.#cookieFolder = cookieFolder;
    this.#clock = clock;
    this.#onHint = onHint;
    this.#onTrouble = onTrouble;
    this.#events.on("raw", (event, name, details) => {
      const { watchedPath } = details as { readonly watchedPath?: string };
      if (watchedPath !== undefined && typeof name === "string") this.#onEvent(event, watchedPath, name);
    });
    this.#events.on("error", (error) => this.#failed(error));
    this.#checking = this.#checkFolders();
    this.watch(cookieFolder);
  }

  get trouble(): WatchTrouble | undefined {
    const [reason] = this.#refused.values();
    return reason === undefined ? undefined : { folders: this.#refused.size, reason, since: this.#since };
  }

  watch(path: string): void {
    if (this.#abort.signal.aborted || this.#folders.has(path)) return;
    this.#follow(path);
  }

  /** Writes a cookie, a file of its own: on Linux the events of all folders come in the order of the changes. */
  async drained(): Promise<boolean> {
    if (process.platform !== "linux" || this.#refused.size > 0) return false;
    const cookie = join(this.#cookieFolder, `cookie-${process.pid}-${this.#cookieCount++}`);
    const seen = new Promise<boolean>((resolve) => this.#cookies.set(cookie, () => resolve(true)));
    const enough = new AbortController();
    try {
      writeFileSync(cookie, "");
      const late = this.#clock.sleep(COOKIE_MS, enough.signal).then(() => false);
      return await Promise.race([seen, late]);
    } catch {
      return false; // a full disk, or a state folder that is missing
    } finally {
      enough.abort();
      this.#cookies.delete(cookie);
      rmSync(cookie, { force: true });
    }
  }

  unwatch(path: string): void {
    for (const folder of [...this.#folders.keys()])
      if (folder === path || folder.startsWith(`${path}/`)) {
        this.#folders.delete(folder);
        this.#refused.delete(folder);
        this.#events.unwatchFolder(folder);
      }
    this.#reportTrouble();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await Promise.all([this.#events.close(), this.#checking]);
  }

  #follow(path: string): void {
    const folder = folderAt(path);
    this.#folders.set(path, folder);
    if (folder !== undefined) this.#events.watchFolder(path);
  }

  #onEvent(event: string, folder: string, name: string): void {
    if (this.#abort.signal.aborted) return;
    const path = join(folder, name);
    if (folder === this.#cookieFolder) {
      this.#cookies.get(path)?.();
      return;
    }
    this.#onHint(path);
    // This event reports the removal of the folder itself, or of a file of the same name. The inode number does not
    // show which: the system gives a removed folder's number to a new one at once.
    if (event === "rename" && name === basename(folder)) this.#watchAnew(folder);
    else if (event === "rename" && this.#folders.has(path)) this.#checkBeneath(path);
  }

  /** Checks a folder that was moved, removed or made, and the folders beneath it: theirs moved along with it. */
  #checkBeneath(path: string): void {
    for (const [folder, identity] of [...this.#folders])
      if (folder === path || folder.startsWith(`${path}/`)) this.#check(folder, identity);
  }

  #check(path: string, identity: string | undefined): void {
    if (folderAt(path) !== identity) this.#watchAnew(path);
  }

  /** Watches the path anew: another folder may be there, and every file in it may be new. */
  #watchAnew(path: string): void {
    if (!this.#folders.has(path)) return;
    this.#events.unwatchFolder(path);
    this.#follow(path);
    for (const name of namesIn(path)) this.#onHint(join(path, name));
  }

  #failed(error: unknown): void {
    const { code, path, message } = error as NodeJS.ErrnoException;
    // Any other error means that the folder is missing or unreachable; the next check looks for it again.
    if (code === undefined || !NO_MORE.has(code) || path === undefined || !this.#folders.has(path)) return;
    this.#requested.delete(path);
    if (this.#refused.size === 0) this.#since = this.#clock.now();
    // Health does not name the folder.
    this.#refused.set(path, message.replace(/, watch '.*$/, ""));
    this.#reportTrouble();
  }

  #granted(path: string): void {
    if (this.#refused.delete(path)) this.#reportTrouble();
  }

  async #checkFolders(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      await this.#clock.sleep(LOOK_MS, this.#abort.signal);
      if (this.#abort.signal.aborted) return; // nobody hears of a watch that is refused now
      for (const [path, identity] of this.#nextToCheck()) this.#check(path, identity);
      this.#requestAgain();
    }
  }

  /** Returns the folders of the next check, and begins again after the last. */
  #nextToCheck(): readonly (readonly [string, string | undefined])[] {
    const all = [...this.#folders];
    if (this.#checked >= all.length) this.#checked = 0;
    const next = all.slice(this.#checked, this.#checked + FOLDERS_A_CHECK);
    this.#checked += FOLDERS_A_CHECK;
    return next;
  }

  /** Requests refused watches again; the system has granted each that it does not refuse before the next call. */
  #requestAgain(): void {
    for (const path of this.#requested) this.#granted(path);
    this.#requested = new Set([...this.#refused.keys()].slice(0, REQUESTS_A_CHECK));
    for (const path of this.#requested) {
      this.#events.unwatchFolder(path);
      this.#events.watchFolder(path);
    }
  }

  #reportTrouble(): void {
    const { trouble } = this;
    if ((trouble !== undefined) === this.#troubled) return;
    this.#troubled = trouble !== undefined;
    this.#onTrouble(trouble);
  }
}

/**
 * Returns the identity of the folder at a path; undefined without a folder. A later folder with the same inode number
 * has another identity.
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
