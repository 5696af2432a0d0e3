import type { Lacked } from "../../store/store.ts";
import { countChars } from "../../text/positions.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";

/** Edits of others, and the text that has them. */
export interface Others {
  readonly authors: readonly string[];
  readonly splices: readonly Splice[];
  readonly text: Text;
}

/** The result of a save that an agent made by itself. */
export interface OwnSave {
  readonly path: string;
  readonly changeId: string;
  /** The edits that the file did not contain yet when it was saved. */
  readonly beside?: Others | undefined;
  /** The edits that the save lacked and that the daemon returned. */
  readonly rescued?: Others | undefined;
  /** The edits that the save removed. */
  readonly removed?: Lacked | undefined;
}

/** The most characters of others' text in a sentence. */
const SHOWN = 80;
/** The most lines of one edit that are read for it. */
const MOST_LINES = 5;

/** Returns the news for an agent about its own save; undefined if the save met no edits of others. */
export function reportOf({ path, changeId, beside, rescued, removed }: OwnSave): string | undefined {
  const parts = [
    ...(beside === undefined
      ? []
      : [`was merged with edits of ${beside.authors.join(", ")}${shown(beside.splices, beside.text)}`]),
    ...(rescued === undefined
      ? []
      : [
          `lacked edits of ${rescued.authors.join(", ")}, which are back${shown(rescued.splices, rescued.text)}`,
        ]),
    ...(removed === undefined
      ? []
      : [`removed edits of ${removed.authors.join(", ")}; undo ${changeId} to return them`]),
  ];
  return parts.length === 0
    ? undefined
    : `Your save of ${path} ${parts.join(", and ")}. Read ${path} again before you change it.`;
}

/** Returns the lines of a text with the insertions of splices, in as many characters as fit. */
function shown(splices: readonly Splice[], text: Text): string {
  let shift = 0;
  let last = 0;
  const lines: string[] = [];
  for (const { from, to, insert } of splices) {
    const size = countChars(insert);
    const [first, end] = [from + shift, from + shift + size];
    shift += size - (to - from);
    if (insert.trim() === "" || lines.join("").length > SHOWN) continue;
    const [begins, ends] = [Math.max(text.lineAt(first), last + 1), text.lineAt(Math.max(first, end - 1))];
    if (begins <= ends) lines.push(text.lineSlice(begins, Math.min(ends, begins + MOST_LINES)));
    last = Math.max(last, ends);
  }
  const chars = Array.from(lines.join(" ").trim().replace(/\s+/g, " "));
  if (chars.length === 0) return "";
  return `: ${JSON.stringify(chars.length > SHOWN ? `${chars.slice(0, SHOWN).join("")}…` : chars.join(""))}`;
}
