/** The key of a record in its table. */
export type RecordKey = string | [string, string | number];

/** Returns a text that no other key of the same table has. */
export function keyText(key: RecordKey): string {
  return typeof key === "string" ? key : `${key[0].length} ${key[0]}${key[1]}`;
}

/** Compares two keys of a table in the order of LMDB: texts by their UTF-8 bytes, numbers by their size. */
export function compareKeys(a: RecordKey, b: RecordKey): number {
  if (typeof a === "string" || typeof b === "string") return compareTexts(String(a), String(b));
  return compareTexts(a[0], b[0]) || compareParts(a[1], b[1]);
}

function compareParts(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareTexts(String(a), String(b));
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return rankAt(a, at) - rankAt(b, at);
}

/** UTF-16 orders surrogates before U+E000, UTF-8 after U+FFFF. A text's end comes first. */
function rankAt(text: string, at: number): number {
  if (at >= text.length) return -1;
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** The largest key that LMDB takes; bytes. */
const MOST_KEY_BYTES = 1978;

/** Returns true for a key that the database cannot have. */
export function isTooLong(key: RecordKey): boolean {
  return keySizeAtMost(key) > MOST_KEY_BYTES;
}

/** UTF-16 units of a text that fits into any key. */
const SHORT = 400;
/** The bytes that a key takes beside its text. */
const REST_BYTES = 16;

/** Returns the largest size of a key in the database, in bytes; 0 for one that fits in any case. */
export function keySizeAtMost(key: RecordKey): number {
  const text = typeof key === "string" ? key : key.join("");
  if (text.length <= SHORT) return 0;
  // A control character can take a second byte.
  return Buffer.byteLength(text) + [...text].filter((char) => char < " ").length + REST_BYTES;
}
