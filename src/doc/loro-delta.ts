import type { Delta } from "loro-crdt";
import type { Splice } from "../text/splice.ts";

/** Returns the splices that a delta of Loro tells of, in UTF-16 units of the text before. */
export function splicesOf(delta: readonly Delta<string>[]): Splice[] {
  const splices: Splice[] = [];
  let at = 0;
  for (const part of delta) {
    if (part.insert !== undefined) splices.push({ from: at, to: at, insert: part.insert });
    else if (part.delete !== undefined) splices.push({ from: at, to: at + part.delete, insert: "" });
    at += part.retain ?? part.delete ?? 0;
  }
  return splices;
}
