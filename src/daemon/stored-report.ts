import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./define-config.ts";
import type { Tokens } from "./tokens.ts";

/** What the daemon stores for a workspace, for callers that administer it. */
export interface StoredReport {
  /** Bytes on the disk of the store, which has texts and history. */
  readonly historyBytes: number;
  /** 0 for the whole history. */
  readonly keepHistoryDays: number;
  readonly logFolder: string;
  readonly logBytes: number;
  /** The tokens besides the owner's, with their rules as `spliced token list` writes them. */
  readonly tokens: readonly { readonly name: string; readonly allow: readonly string[] }[];
}

/** Describes what is stored in the daemon's folder. */
export function storedReport(
  state: string,
  { keepHistoryDays }: Pick<Config, "keepHistoryDays">,
  tokens: Pick<Tokens, "list">,
): StoredReport {
  const logFolder = join(state, "log");
  return {
    historyBytes: bytesIn(join(state, "store")),
    keepHistoryDays,
    logFolder,
    logBytes: bytesIn(logFolder),
    tokens: tokens.list(),
  };
}

/** The bytes of a block, in which file systems count what a file takes; a file with holes takes less than its size. */
const BLOCK = 512;

/** Returns the bytes on the disk of the files in a folder. A file that is gone meanwhile takes none. */
function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stats?.isFile() ? stats.blocks * BLOCK : 0);
  }, 0);
}
