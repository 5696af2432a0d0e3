import { isWellFormed, type Unit } from "../text/positions.ts";
import { normalize, type Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";

/**
 * Converts the positions of splices of `text` to another unit. @throws RangeError on a position outside the
 * text
 */
export function convert(splices: readonly Splice[], text: Text, from: Unit, to: Unit): Splice[] {
  const at = (position: number) => {
    const converted = text.convert(position, from, to);
    if (converted === undefined)
      throw new RangeError(`position ${position} is outside the text or inside a character`);
    return converted;
  };
  return splices.map((s) => ({ from: at(s.from), to: at(s.to), insert: s.insert }));
}

/** Returns an editor's splices of `text` in code points. @throws RangeError on an invalid position or insert */
export function ownEdit(splices: readonly Splice[], text: Text): readonly Splice[] {
  for (const { insert } of splices)
    if (!isWellFormed(insert)) throw new RangeError("insert contains a lone surrogate, which is no text");
  return normalize(convert(splices, text, "utf-16", "utf-32"));
}
