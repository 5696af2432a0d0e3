import { diff } from "../../text/diff/diff.ts";
import { adoptEol } from "../../text/lines.ts";
import { merge } from "../../text/merge/merge.ts";
import type { Text } from "../../text/text.ts";
import { type Planner, workerPlanner } from "./plan.ts";

/** Plans `edit.append`: adds text at the end; only its line breaks adapt to the document. */
export function planAppend(text: string): Planner {
  return (base) => {
    const end = base.text.chars;
    return {
      splices: text === "" ? [] : [{ from: end, to: end, insert: adoptEol(text, base.eol) }],
    };
  };
}

/**
 * Plans `edit.write`: replaces the whole text by applying the smallest difference, so that others' edits remain. The
 * planner ignores a byte order mark in the new text: the file decides whether it has one.
 */
export function planWrite(text: string): Planner {
  const cost = (base: Text) => base.utf16 + text.length;
  return workerPlanner({ planner: "write", args: [text], cost }, (base) => {
    const wanted = adoptEol(text.replace(/^\ufeff/, ""), base.eol);
    return { splices: diff(base.text.toString(), wanted), ...(wanted === text && { exact: true }) };
  });
}

/**
 * Plans a save: a program changed the text `from` to `to`, character by character. If the base has other text than
 * `from`, the save is merged with the other parts of the base.
 */
export function planSave(from: string, to: string): Planner {
  const cost = (base: Text) => base.utf16 + to.length;
  return workerPlanner({ planner: "save", args: [from, to], cost }, ({ text }) => {
    const base = text.toString();
    return { splices: base === from ? diff(from, to) : merge(from, base, to).splices };
  });
}
