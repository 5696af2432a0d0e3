import { defineConfig } from "./src/daemon/config/define-config.ts";
import { PRIVATE } from "./src/workspace/access/private-files.ts";
import { PROTECTED } from "./src/workspace/access/protection.ts";

/**
 * The default settings. A workspace can have its own `daemon.config.ts`, with only the settings that differ:
 *
 *     import { defineConfig } from "spliced";
 *     export default defineConfig({ port: 8000, limits: { maxFileBytes: 32_000_000 } });
 */
export default defineConfig({
  /** The address to listen on. Only this machine can reach the default. */
  host: "127.0.0.1",
  /** The port to listen on. If it is in use and the workspace set no port, the daemon uses any free one. */
  port: 7754,
  /** Host names, beside this machine's own, that the Host header of a request may have. */
  allowedHosts: [],
  /**
   * Globs of files and folders that are no documents, beside those that `.gitignore` and `.splicedignore` leave out.
   * `.spliced` and `.git` never have documents.
   */
  ignore: ["**/node_modules", "**/.hg", "**/.svn", "**/.DS_Store"],
  /**
   * Files that no agent sees, because they have secrets; people see them. A glob that begins with `!` takes back what a
   * glob before it matches. A list replaces the default; `[...PRIVATE, "secrets/**"]` adds to it, with PRIVATE imported
   * from "spliced".
   */
  private: PRIVATE,
  agents: {
    /**
     * The most that any agent may do, whatever its token: rules with the levels and policies of tokens, the first that
     * matches decides. A path that no rule matches has no such bound. `{ glob: "src/**", level: "propose" }` is a rule.
     */
    rules: [],
  },
  /**
   * Files that tokens below `admin` may read but not change, because other programs act on them without asking. A list
   * replaces the default. `[...PROTECTED, "infra/**"]` adds to it, with PROTECTED imported from "spliced".
   * `daemon.config.*` and `.spliced` are always protected.
   */
  protect: PROTECTED,
  /**
   * The number of days in which the history shows a change and can undo it; 0 means forever. The daemon drops older
   * history of documents that nobody uses, unless a checkpoint or proposal needs it.
   */
  keepHistoryDays: 0,
  /**
   * The treatment of a save from an editor that did not reload the file. "merge" keeps the newer edits of others, and
   * with "disk" the save replaces them.
   */
  staleSaves: "merge",
  /**
   * The minutes without use after which a daemon ends that an MCP client had started; 0 for never. A daemon that you
   * start yourself runs until you stop it.
   */
  restMinutes: 30,
  /**
   * Whether the first 80 characters of a prompt become the message of the saves that an agent makes for it. Everybody
   * who may read a document sees them, so the default is false.
   */
  promptsInHistory: false,
  /** Whether agents that connect over MCP get the tool `patch`. The page can change this. */
  patchMode: true,
  /** Whether the daemon serves edit.legacy, the cursor and selection edits of older agents. The page can change this. */
  legacyOps: true,
  capture: {
    /**
     * The hours for which the daemon captures the edits of agents with their text, to find out why edits fail. The files
     * are in `.spliced/captures`, which only this machine's user can read. With 0 the daemon captures nothing and
     * deletes what it had captured.
     */
    hours: 0,
  },
  limits: {
    /** The daemon lists a larger file, but does not open it. */
    maxFileBytes: 16_777_216,
    /** The daemon closes a connection that sends a larger message (close code 1009). */
    maxMessageBytes: 50_331_648,
  },
  /** How many files, and how many bytes of them, the daemon keeps a copy of, so that changes to them can be undone. */
  cover: {
    maxFiles: 100_000,
    maxBytes: 1_000_000_000,
  },
  /** What a lane gets of the ignored files and folders, such as dependencies: links, unless a glob here says otherwise. */
  lanes: {
    /** The lane gets copies of its own, such as of build output: ["dist"]. */
    copy: [],
    /** The lane gets nothing, such as of logs: ["*.log"]. */
    skip: [],
  },
  proposals: {
    /** The number of days after which a proposal that nobody reviewed expires. */
    expireDays: 30,
  },
  timing: {
    /** The time that a file may be missing, such as while an editor saves it, before its document is deleted. */
    deleteGraceMs: 500,
    /** The shortest time between two writes of a file while nobody waits for it; the edits meanwhile go together. */
    mirrorEveryMs: 20,
    /** The pause between comparisons of all loaded documents with their files, which do not rely on the watcher. */
    verifyMs: 2_000,
    /** The time without use after which a document leaves memory. */
    idleMs: 60_000,
  },
  log: {
    level: "info",
    /** The size at which the daemon begins a new log file. */
    maxFileBytes: 5_000_000,
    /** The number of full log files that are kept. */
    files: 5,
  },
});
