import type { RandomBytes } from "../doc/peers.ts";
import type { Clock } from "../mirror/clock.ts";
import type { Files } from "../mirror/files.ts";
import type { InGit } from "../mirror/git.ts";
import type { Reached } from "../mirror/step.ts";
import type { Watcher } from "../mirror/watcher.ts";
import type { Store } from "../store/store.ts";
import type { Workers } from "./workers/workers.ts";

/** Everything outside the core, injected: a simulation gives its own. */
export interface Ports {
  readonly files: Files;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly watcher: Watcher;
  readonly inGit: InGit;
  readonly workers: Workers;
  readonly reached: Reached;
  /** Told of what went wrong and was survived; metadata only, never document text. */
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

export interface Limits {
  /** A larger file is listed but not opened. */
  readonly maxFileBytes: number;
  /** How long a file may be away before it counts as deleted. */
  readonly deleteGraceMs: number;
  /** How often loaded documents are compared with their files, watcher or not. */
  readonly verifyMs: number;
  /** How long a document rests before its replicas are dropped from memory. */
  readonly idleMs: number;
  /** How many matching documents one subscription by pattern opens. */
  readonly subscribeOpen: number;
  /** How long changes are kept for sure, in milliseconds; 0: for as long as the store is. */
  readonly keepHistoryMs: number;
  /** A save from an older version of its file: merged with what came since, or taken as it is (I6). */
  readonly staleSaves: "merge" | "disk";
}
