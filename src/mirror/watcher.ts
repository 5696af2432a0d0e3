import { type BigIntStats, type FSWatcher, lstatSync, readdirSync, watch } from "node:fs";
import { basename, join } from "node:path";
import type { Clock } from "./clock.ts";

/** Called with the absolute path of something that may have changed. Only ever a hint (I9). */
export type OnHint = (path: string) => void;

/** How many folders are looked at again and again because the system does not watch them, and why it does not. */
export interface WatchTrouble {
  readonly folders: number;
  readonly reason: string;
}

/** Watches folders, not trees: only those with loaded documents in them. */
export interface Watcher {
  /** The folder need not be there, and may come and go: whatever is at the path is watched. */
  watch(folder: string): void;
  unwatch(folder: string): void;
  /** Undefined while all folders are watched by the system. */
  readonly trouble: WatchTrouble | undefined;
  close(): Promise<void>;
}

/** How a folder is followed. `none`: there is no folder at the path now. */
type Following =
  | { readonly by: "events"; readonly folder: string; readonly events: FSWatcher }
  | { readonly by: "looks"; readonly reason: string; readonly seen: Map<string, string | undefined> }
  | { readonly by: "none" };

/** How often folders are looked at; milliseconds. */
const LOOK_MS = 500;
/** Looking takes at most this share of the time. */
const LOOK_SHARE = 0.2;
/** So many looks are done at once, then others have their turn. */
const AT_ONCE = 64;

/**
 * Watches by the system's events, one watch a folder. What it cannot watch (Linux grants so many watches a
 * user, ENOSPC) is looked at instead, and watched as soon as it can be. Events that the system dropped, because
 * its queue was full, it never hears of: libuv does not tell.
 */
export function systemWatcher(
  clock: Clock,
  onHint: OnHint,
  onTrouble: (trouble: WatchTrouble | undefined) => void,
): Watcher {
  return new SystemWatcher(clock, onHint, onTrouble);
}

class SystemWatcher implements Watcher {
  readonly #clock: Clock;
  readonly #onHint: OnHint;
  readonly #onTrouble: (trouble: WatchTrouble | undefined) => void;
  readonly #followed = new Map<string, Following>();
  readonly #abort = new AbortController();
  readonly #looking: Promise<void>;
  #troubled = false;

  constructor(clock: Clock, onHint: OnHint, onTrouble: (trouble: WatchTrouble | undefined) => void) {
    this.#clock = clock;
    this.#onHint = onHint;
    this.#onTrouble = onTrouble;
    this.#looking = this.#lookOn();
  }

  get trouble(): WatchTrouble | undefined {
    const looks = [...this.#followed.values()].filter((following) => following.by === "looks");
    return looks[0] && { folders: looks.length, reason: looks[0].reason };
  }

  watch(path: string): void {
    if (this.#abort.signal.aborted || this.#followed.has(path)) return;
    this.#follow(path);
    this.#tell();
  }

  unwatch(path: string): void {
    stop(this.#followed.get(path));
    this.#followed.delete(path);
    this.#tell();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    for (const following of this.#followed.values()) stop(following);
    this.#followed.clear();
    await this.#looking;
  }

  /** Finds out what is at a path now, and follows that by what the system offers. */
  #follow(path: string): Following {
    stop(this.#followed.get(path));
    const folder = folderAt(path);
    const following = folder === undefined ? NONE : this.#begin(path, folder);
    this.#followed.set(path, following);
    return following;
  }

  #begin(path: string, folder: string): Following {
    try {
      const events = watch(path, (event, name) => this.#heard(path, event, name));
      events.on("error", () => this.#again(path));
      return { by: "events", folder, events };
    } catch (error) {
      return {
        by: "looks",
        reason: reasonOf(error),
        seen: new Map(namesIn(path).map((name) => [name, undefined])),
      };
    }
  }

  #heard(path: string, event: string, name: string | null): void {
    if (this.#abort.signal.aborted) return;
    if (name === null) this.#hintAll(path);
    else this.#onHint(join(path, name));
    // So the folder's own removal is told, or what became of a file of that name. By its number one cannot see
    // that it is another one by now, for the system gives that out again at once.
    if (event === "rename" && name === basename(path)) this.#again(path);
  }

  /** What is at the path may be another folder than the one that is followed: all in it may be new. */
  #again(path: string): void {
    if (this.#follow(path).by !== "none") this.#hintAll(path);
  }

  #check(path: string): void {
    const following = this.#followed.get(path);
    const folder = following?.by === "events" ? following.folder : undefined;
    if (folderAt(path) !== folder) this.#again(path);
  }

  #hintAll(path: string): void {
    for (const name of namesIn(path)) this.#onHint(join(path, name));
  }

  async #lookOn(): Promise<void> {
    const { signal } = this.#abort;
    for (let rest = LOOK_MS; ; ) {
      await this.#clock.sleep(rest, signal);
      if (signal.aborted) return;
      const started = this.#clock.now();
      for (const path of [...this.#followed.keys()]) {
        const following = this.#followed.get(path);
        if (following?.by === "looks") await this.#look(path, following);
        else if (following !== undefined) this.#check(path);
        if (signal.aborted) return;
      }
      this.#tell();
      rest = Math.max(LOOK_MS, (this.#clock.now() - started) / LOOK_SHARE);
    }
  }

  /** Hints at what changed in a folder since the last look, or watches it if that can be had by now. */
  async #look(path: string, { seen }: { readonly seen: Map<string, string | undefined> }): Promise<void> {
    const now = this.#follow(path);
    const names = new Set(namesIn(path));
    if (now.by === "looks") {
      now.seen.clear();
      for (const [name, stamp] of seen) if (names.has(name)) now.seen.set(name, stamp);
    }
    for (const name of seen.keys()) if (!names.has(name)) this.#onHint(join(path, name));
    let looks = 0;
    for (const name of names) {
      if (++looks % AT_ONCE === 0) await this.#clock.sleep(0, this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      const stamp = stampOf(join(path, name));
      if (!seen.has(name) || (seen.get(name) ?? stamp) !== stamp) this.#onHint(join(path, name));
      if (now.by === "looks") now.seen.set(name, stamp);
    }
  }

  #tell(): void {
    const { trouble } = this;
    if ((trouble !== undefined) === this.#troubled) return;
    this.#troubled = trouble !== undefined;
    this.#onTrouble(trouble);
  }
}

const NONE: Following = { by: "none" };

/** Without the folder's name: anybody may ask for the daemon's health. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return code === "ENOSPC" ? "the system grants no more watches (ENOSPC)" : `the system refuses (${code})`;
}

function stop(following: Following | undefined): void {
  if (following?.by === "events") following.events.close();
}

/** Tells one folder from another that is at the same path later; undefined where there is none. */
function folderAt(path: string): string | undefined {
  const stats = statsOf(path);
  return stats?.isDirectory() ? `${stats.dev} ${stats.ino}` : undefined;
}

function stampOf(path: string): string | undefined {
  const stats = statsOf(path);
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
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
