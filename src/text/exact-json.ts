/**
 * JSON whose numbers stay exact. A whole number that a double would round is a bigint; another number that a double would
 * change, as `1e400` and `1e-400`, is NaN, which no other JSON is. `JSON.parse` changes them before a caller can see it.
 */

/** A number that no double holds, and that is read as NaN again. */
const LOST = "1e999";
/** Stands in front of the digits of such a number while it is a string; no peer can know it. */
const MARK = `${crypto.getRandomValues(new Uint32Array(4)).join("-")}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+|${LOST})"`, "g");
/** The most digits of a number that is kept: reading more takes time that grows with their square (I14). */
const MOST_DIGITS = 1_000;
/** A double holds fewer digits, and smaller exponents, always. */
const ALWAYS_HELD = 15;
const DOUBTFUL = /\d[\d.]{15}|\d[eE][-+]?\d{3}/;
const TOKEN = /[-+.\deE]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** @throws SyntaxError for a text that is not JSON */
export function parseExactly(text: string): unknown {
  if (!DOUBTFUL.test(text)) return JSON.parse(text);
  const marked = withMarks(text);
  if (marked === text) return JSON.parse(text);
  return JSON.parse(marked, (_key, value) =>
    typeof value === "string" && value.startsWith(MARK) ? markedNumber(value.slice(MARK.length)) : value,
  );
}

function markedNumber(digits: string): bigint | number {
  return digits === "" ? Number.NaN : BigInt(digits);
}

/** Returns true for a value with a number that a double cannot hold, at any depth. */
export function hasLostNumber(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasLostNumber);
  return typeof value === "number" && !Number.isFinite(value);
}

/** Returns the JSON text of a value that may contain bigints, and NaN for a number that cannot be kept. */
export function stringifyExactly(value: unknown): string {
  let marks = false;
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    const isLost = typeof inner === "number" && !Number.isFinite(inner);
    if (typeof inner !== "bigint" && !isLost) return inner;
    marks = true;
    return MARK + (isLost ? LOST : inner);
  });
  return marks ? text.replace(MARKED, "$1") : text;
}

/** Returns the text with the numbers that a double would change as marked strings. */
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
    TOKEN.lastIndex = i;
    const [number] = TOKEN.exec(text)!;
    const isWhole = isRounded(number);
    if (isWhole || (NUMBER.test(number) && !isHeld(number))) {
      out += `${text.slice(done, i)}"${MARK}${isWhole ? number : ""}"`;
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

/** Returns true for a number, in decimal digits, that a double shows with the same digits again. */
export function isHeld(number: string): boolean {
  if (number.length <= ALWAYS_HELD && !/[eE]/.test(number)) return true;
  return number.length <= MOST_DIGITS && decimal(number) === decimal(String(Number(number)));
}

/** Returns the digits and the exponent of a number: the same text for all its spellings. */
function decimal(number: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^[-+]?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const shown = digits.replace(/0+$/, "");
  if (shown === "") return whole === "" ? number : "0";
  return `${shown}e${Number(exponent) - fraction.length + digits.length - shown.length}`;
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
