import type { Unit } from "../text/positions.ts";
import type { Splice } from "../text/splice.ts";
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
