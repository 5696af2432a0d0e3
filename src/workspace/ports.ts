import type { RandomBytes } from "../doc/peers.ts";
import type { Clock } from "../mirror/clock.ts";
import type { Git } from "../mirror/disk/git.ts";
import type { Watcher } from "../mirror/disk/watcher.ts";
import type { Editors } from "../mirror/editors/editors.ts";
import type { Files } from "../mirror/files.ts";
import type { Reached } from "../mirror/step.ts";
import type { IgnoreRules } from "../paths/ignore-rules.ts";
import type { Store } from "../store/store.ts";
import type { Surveyor } from "./cover/surveyor.ts";
import type { CoverLimits } from "./cover/tally.ts";
import type { Workers } from "./workers/workers.ts";

/** The parts outside the core, injected, so that a simulation can pass its own. */
export interface Ports {
  readonly files: Files;
  /** Decides which files are no documents. */
  readonly ignored: IgnoreRules;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly watcher: Watcher;
  readonly git: Git;
  readonly editors: Editors;
  readonly workers: Workers;
  readonly surveyor: Surveyor;
  readonly reached: Reached;
  /** Reports a problem that the daemon survived; metadata only, never document text. */
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
  /** Called with true when a pass over all files begins, and with false when it ends. */
  readonly passing?: (isUnderWay: boolean) => void;
}

export interface Limits {
  /** A larger file is listed but not opened; bytes. */
  readonly maxFileBytes: number;
  /** The time that a file may be missing before its document is deleted; milliseconds. */
  readonly deleteGraceMs: number;
  /** The shortest time between two writes of a file that no caller waits for; milliseconds. */
  readonly mirrorEveryMs: number;
  /**
   * The interval at which the daemon compares loaded documents with their files, with or without a watcher;
   * milliseconds.
   */
  readonly verifyMs: number;
  /** The time that an unused document stays in memory; milliseconds. */
  readonly idleMs: number;
  readonly cover: CoverLimits;
  /**
   * The time for which the store preserves changes at least, in milliseconds; 0 preserves them as long as the store
   * exists.
   */
  readonly keepHistoryMs: number;
  /** The treatment of a save from an older version of its file: the daemon merges it, or imports it unchanged (I6). */
  readonly staleSaves: "merge" | "disk";
}
