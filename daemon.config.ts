import { defineConfig } from "./src/daemon/define-config.ts";
import { PROTECTED } from "./src/workspace/access/protection.ts";

/**
 * The defaults. A workspace changes them with a `daemon.config.ts` of its own, which names only what differs:
 *
 *     import { defineConfig } from "spliced";
 *     export default defineConfig({ port: 8000, limits: { maxFileBytes: 32_000_000 } });
 */
export default defineConfig({
  /** Where the daemon listens. Only this machine can reach the default. */
  host: "127.0.0.1",
  /** When this port is taken, and the workspace did not ask for one, any free port is used. */
  port: 7754,
  /** Further names by which a request may address the daemon (its Host header); this machine's always may. */
  allowedHosts: [],
  /** Globs that listings and subscriptions by pattern leave out. `.spliced` and `.git` never show. */
  ignore: ["**/node_modules", "**/.hg", "**/.svn", "**/.DS_Store"],
  /**
   * Files that tokens below `admin` may read and not change, because other programs act on them unasked. A list
   * takes the place of the default: `[...PROTECTED, "infra/**"]`, with PROTECTED from "spliced", adds to it.
   * `daemon.config.*` and `.spliced` are closed whatever stands here.
   */
  protect: PROTECTED,
  /**
   * For how many days what was done can be looked up and undone. Older history is dropped when a document rests,
   * as far as no checkpoint or proposal needs it; 0 keeps everything.
   */
  keepHistoryDays: 0,
  /**
   * What becomes of a save made from an older version of its file (a buffer that was not reloaded): "merge" keeps
   * what others wrote since, "disk" takes the save as it is.
   */
  staleSaves: "merge",
  /** Whether the cursor and selection edits of older agents (edit.legacy) are served beside patches. */
  legacyOps: true,
  limits: {
    /** A larger file is listed, but not opened. */
    maxFileBytes: 16_777_216,
    /** A larger frame ends its connection (close code 1009). */
    maxMessageBytes: 50_331_648,
    /** How many matching documents one subscription by pattern opens. */
    subscribeOpen: 500,
  },
  proposals: {
    /** A proposal that nobody has reviewed for so long can no longer be approved. */
    expireDays: 30,
  },
  timing: {
    /** How long a file may be away, as while an editor saves it, before it counts as deleted. */
    deleteGraceMs: 500,
    /** How often loaded documents are compared with their files, whatever the watcher says. */
    verifyMs: 2_000,
    /** How long a document rests before its replicas leave memory. */
    idleMs: 60_000,
  },
  log: {
    level: "info",
    /** A log file is put aside at this size; so many are kept. */
    maxFileBytes: 5_000_000,
    files: 5,
  },
});
