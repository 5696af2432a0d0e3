import { countsOf } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { digestNow } from "../versions/digest.ts";
import type { FileText } from "../versions/file-text.ts";
import type { VersionHistory } from "../versions/version-history.ts";
import { textOf } from "./save-evidence.ts";

/** The most changes that a save may go back and be known as a return at once. */
const MOST_RETURNED = 64;

/**
 * Returns the newest earlier text of the file that a save equals. It is a version of the document, or an earlier save
 * without the edits that the daemon merged beside it.
 */
export function returnedText(
  versions: VersionHistory,
  held: FileText,
  saved: { readonly bom: boolean; readonly text: Text },
): FileText | undefined {
  const sha256 = digestNow(saved);
  const version = sha256 === undefined ? undefined : versions.findHash(sha256, MOST_RETURNED);
  const save = earlierSave(versions, held, saved.text);
  const isOlder = save === undefined || (version !== undefined && version.seq >= save.seq);
  return isOlder ? version && { seq: version.seq, isAlone: false } : save;
}

/** Compares lengths before texts: a document beside which an editor saves has such a save every few changes. */
function earlierSave(versions: VersionHistory, held: FileText, saved: Text): FileText | undefined {
  let chars = versions.textAt(held.seq)?.chars ?? 0;
  for (let { seq } = held; seq > held.seq - MOST_RETURNED; seq--) {
    const change = versions.change(seq);
    if (change === undefined) return undefined;
    if (change.beside !== undefined) {
      const merged = countsOf(change.beside.splices);
      const save = { seq, isAlone: true };
      const isAsLong = chars - merged.added + merged.removed === saved.chars;
      if (isAsLong && textOf(versions, save)?.equals(saved)) return save;
    }
    const made = countsOf(change.splices);
    chars += made.removed - made.added;
  }
  return undefined;
}
