import type { Delta } from "loro-crdt";
import { normalize, type Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";

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

/** Returns splices in UTF-16 units of a text in its code points; those that touch are joined. */
export function inChars(splices: readonly Splice[], text: Text): Splice[] {
  const position = (unit: number) => text.convert(unit, "utf-16", "utf-32")!;
  return normalize(
    splices.map(({ from, to, insert }) => ({ from: position(from), to: position(to), insert })),
  );
}
