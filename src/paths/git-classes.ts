/** The ranges of bytes of a named class such as `[:digit:]`, as git defines them: ASCII only. */
export const GIT_CLASSES: ReadonlyMap<string, readonly (readonly [first: number, last: number])[]> = new Map([
  ["alnum", ranges("09AZaz")],
  ["alpha", ranges("AZaz")],
  ["blank", ranges("  \t\t")],
  ["cntrl", ranges("\0\x1f\x7f\x7f")],
  ["digit", ranges("09")],
  ["graph", ranges("!~")],
  ["lower", ranges("az")],
  ["print", ranges(" ~")],
  ["punct", ranges("!/:@[`{~")],
  ["space", ranges("  \t\n\r\r")],
  ["upper", ranges("AZ")],
  ["xdigit", ranges("09AFaf")],
]);

/** Reads pairs of first and last characters. */
function ranges(pairs: string): [number, number][] {
  return Array.from({ length: pairs.length / 2 }, (_, i) => [
    pairs.charCodeAt(2 * i),
    pairs.charCodeAt(2 * i + 1),
  ]);
}
