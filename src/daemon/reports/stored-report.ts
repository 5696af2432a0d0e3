import { join } from "node:path";
import { diskUse } from "../../state/disk-use.ts";
import type { Config } from "../config/define-config.ts";
import type { Tokens } from "../tokens/tokens.ts";

/** Describes the daemon's storage for a workspace, for callers that administer it. */
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

/** Describes the storage in the daemon's folder. */
export function storedReport(
  state: string,
  { keepHistoryDays }: Pick<Config, "keepHistoryDays">,
  tokens: Pick<Tokens, "list">,
): StoredReport {
  const logFolder = join(state, "log");
  return {
    historyBytes: diskUse(join(state, "store")),
    keepHistoryDays,
    logFolder,
    logBytes: diskUse(logFolder),
    tokens: tokens.list(),
  };
}
