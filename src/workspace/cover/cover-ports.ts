import type { Clock } from "../../mirror/clock.ts";
import type { Watcher } from "../../mirror/disk/watcher.ts";
import type { Files, Image, Skip } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Store } from "../../store/store.ts";
import type { Surveyor } from "./surveyor.ts";
import type { LeftOut } from "./tally.ts";

/** The interfaces that the cover needs from outside. */
export interface CoverPorts {
  readonly files: Files;
  readonly store: Store;
  readonly watcher: Watcher;
  readonly surveyor: Surveyor;
  readonly clock: Clock;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

/** Makes documents record the fate of missing files. */
export interface MissingOwner {
  /** Adds a missing file; `image` is its last known image. */
  add(path: DocPath, image: Image): void;
  /** Resolves once the fate of every added file is known. */
  settled(): Promise<void>;
}

export interface CoverEvents {
  /** Opens the document at a path; resolves once it has taken in the state of its file. */
  readonly open: (path: DocPath) => Promise<unknown>;
  readonly missing: () => MissingOwner;
  /** Returns true for a file that was at another path and is no longer there. */
  readonly isMoved: (path: DocPath, image: Image) => boolean;
  /** Returns true for the path of a document in memory. */
  readonly isLoaded: (path: DocPath) => boolean;
  readonly skips: Skip;
}

export interface CoverStatus {
  /** `reading`: no pass has covered all files, or the last one that ended left some without a baseline. */
  readonly stage: "waiting" | "reading" | "covered";
  /** The number of covered files, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: LeftOut;
  /** The paths of the first files and folders that cannot be read. */
  readonly unread: readonly string[];
}
