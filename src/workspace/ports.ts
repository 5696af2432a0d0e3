import type { RandomBytes } from "../doc/peers.ts";
import type { Clock } from "../mirror/clock.ts";
import type { Files } from "../mirror/files.ts";
import type { InGit } from "../mirror/git.ts";
import type { Reached } from "../mirror/step.ts";
import type { Watcher } from "../mirror/watcher.ts";
import type { Store } from "../store/store.ts";
import type { Workers } from "./workers/workers.ts";

/** Everything outside the core, injected: a simulation passes its own. */
export interface Ports {
  readonly files: Files;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly watcher: Watcher;
  readonly inGit: InGit;
  readonly workers: Workers;
  readonly reached: Reached;
  /** Reports a problem that the daemon survived; metadata only, never document text. */
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

export interface Limits {
  /** A larger file is listed but not opened; bytes. */
  readonly maxFileBytes: number;
  /** How long a file may be missing before it counts as deleted; milliseconds. */
  readonly deleteGraceMs: number;
  /** How often loaded documents are compared with their files, with or without a watcher; milliseconds. */
  readonly verifyMs: number;
  /** How long an unused document stays in memory; milliseconds. */
  readonly idleMs: number;
  /** How many matching documents one subscription by pattern opens. */
  readonly subscribeOpen: number;
  /** How long changes are kept for sure, in milliseconds; 0 keeps them as long as the store exists. */
  readonly keepHistoryMs: number;
  /** The treatment of a save from an older version of its file: the daemon merges it, or imports it unchanged (I6). */
  readonly staleSaves: "merge" | "disk";
}
