/** A number that is written in the one way in which it comes back. */
const NUMBER_AT_END = /(?:0|[1-9]\d{0,14})$/;

/** Returns a text that ends in a number as its beginning and that number; undefined for any other text. */
export function numberedOf(
  text: string,
): { readonly beginning: string; readonly number: number } | undefined {
  const number = NUMBER_AT_END.exec(text)?.[0];
  if (number === undefined) return undefined;
  return { beginning: text.slice(0, -number.length), number: Number(number) };
}
