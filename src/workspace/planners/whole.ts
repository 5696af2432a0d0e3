import { diff } from "../../text/diff.ts";
import { adoptEol } from "../../text/lines.ts";
import type { Text } from "../../text/text.ts";
import { type Planner, workerPlanner } from "./plan.ts";

/** `edit.append`: text at the end, exactly as given but for the document's line ending. */
export function planAppend(text: string): Planner {
  return (base) => {
    const end = base.text.chars;
    return {
      splices: text === "" ? [] : [{ from: end, to: end, insert: adoptEol(text, base.eol) }],
    };
  };
}

/**
 * `edit.write`: the whole new text, applied as its least difference, so that others' edits stay. A byte order mark
 * is the file's, and stays as it is there.
 */
export function planWrite(text: string): Planner {
  const cost = (base: Text) => base.utf16 + text.length;
  return workerPlanner({ planner: "write", args: [text], cost }, (base) => ({
    splices: diff(base.text.toString(), adoptEol(text.replace(/^\ufeff/, ""), base.eol)),
  }));
}
