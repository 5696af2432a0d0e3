/**
 * Characters that show nothing: byte order mark, soft hyphen, zero-width and direction marks. The joiners come last.
 */
const INVISIBLE = /[\ufeff\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u200c\u200d]/g;
/** The same characters without the joiners, which belong to words and emoji. */
const INVISIBLE_BETWEEN_WORDS = /[\ufeff\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064]/g;
/** Blanks that look like U+0020. */
const BLANKS = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const PLAIN = /^[\t -~]*$/;

/**
 * Returns a line outside of hunks in a normal form: without `\r` and invisible characters, with every blank as U+0020.
 * It drops leading blanks unless the line began with a plain blank or tab.
 */
export function headerText(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return PLAIN.test(text) ? text : cleaned(text, INVISIBLE);
}

/** Returns the same for a line that contains a file name, in which joiners stay. */
export function namedText(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return PLAIN.test(text) ? text : cleaned(text, INVISIBLE_BETWEEN_WORDS);
}

function cleaned(text: string, invisible: RegExp): string {
  const blank = text.replace(invisible, "").replace(BLANKS, " ");
  return /^[ \t]/.test(text) ? blank : blank.trimStart();
}
