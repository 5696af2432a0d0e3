/**
 * JSON whose whole numbers stay exact: those that a double would round are bigints. `JSON.parse` rounds them before a
 * caller can see it.
 */

/** Stands in front of the digits of such a number while it is a string; no peer can know it. */
const MARK = `${crypto.getRandomValues(new Uint32Array(4)).join("-")}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");
/** The most digits of a number that is kept: reading more takes time that grows with their square (I14). */
const MOST_DIGITS = 1_000;
/** Fewer digits are always exact. */
const MANY_DIGITS = /\d{16}/;
const NUMBER = /[-+.\deE]+/y;

/** @throws SyntaxError for a text that is not JSON */
export function parseExactly(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  const marked = withMarks(text);
  if (marked === text) return JSON.parse(text);
  return JSON.parse(marked, (_key, value) =>
    typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

/** Returns the JSON text of a value that may contain bigints. */
export function stringifyExactly(value: unknown): string {
  let marks = false;
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "bigint") return inner;
    marks = true;
    return MARK + inner;
  });
  return marks ? text.replace(MARKED, "$1") : text;
}

/** Returns the text with the numbers that a double would round as marked strings. */
function withMarks(text: string): string {
  let out = "";
  let done = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '"') {
      i = stringEnd(text, i + 1);
      continue;
    }
    if (char !== "-" && (char < "0" || char > "9")) continue;
    NUMBER.lastIndex = i;
    const [number] = NUMBER.exec(text)!;
    if (isRounded(number)) {
      out += `${text.slice(done, i)}"${MARK}${number}"`;
      done = i + number.length;
    }
    i += number.length - 1;
  }
  return out + text.slice(done);
}

/** Returns true for a whole number in JSON's spelling that a double cannot hold. */
export function isRounded(number: string): boolean {
  return (
    number.length <= MOST_DIGITS && /^-?[1-9]\d{15,}$/.test(number) && !Number.isSafeInteger(Number(number))
  );
}

/** Returns the index of the quote that ends a string, from inside it; the text's length when none does. */
function stringEnd(text: string, from: number): number {
  for (let at = from; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) return text.length;
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\" && end - 1 - escapes >= from) escapes++;
    if (escapes % 2 === 0) return end;
    at = end + 1;
  }
}
