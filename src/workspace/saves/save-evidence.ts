import { invert } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { FileText } from "../versions/file-text.ts";
import type { VersionHistory } from "../versions/version-history.ts";

/**
 * The evidence, apart from the texts, of the version that a save was made from. `claim`: an agent's hook named the
 * version that the agent had read. `editor`: an editor's own files name the version that it had loaded. `unread`: no
 * process has read a newer version than this one.
 */
export interface SaveEvidence {
  readonly by: "claim" | "editor" | "unread";
  readonly text: FileText;
  /** Older texts, oldest first, one of which may be the base instead: the editor's files name them alike. */
  readonly instead?: readonly FileText[];
  /** True where the save may have been made from an older text, but from no newer one. */
  readonly isBound?: boolean;
  /** True where a reading may have come before the save: then the save must only add to the text. */
  readonly isUnclear?: boolean;
}

/** Returns true for a text that the file had before another one. */
export function isOlder(one: FileText, other: FileText): boolean {
  return one.seq < other.seq || (one.seq === other.seq && one.isAlone && !other.isAlone);
}

/** Returns a text that the file had; undefined if the history does not reach back to it. */
export function textOf(versions: VersionHistory, { seq, isAlone }: FileText): Text | undefined {
  const text = versions.textAt(seq);
  const beside = isAlone ? versions.change(seq)?.beside : undefined;
  return beside === undefined ? text : text?.splice(invert(beside.splices, beside.removed));
}
