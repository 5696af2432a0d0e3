/** What nobody sees: byte order mark, soft hyphen, zero-width and direction marks. The joiners come last. */
const INVISIBLE = /[\ufeff\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u200c\u200d]/g;
/** The same but for the joiners, which belong to words and emoji. */
const INVISIBLE_BETWEEN_WORDS = /[\ufeff\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064]/g;
/** Blanks that look like U+0020. */
const BLANKS = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const PLAIN = /^[\t -~]*$/;

/**
 * A line outside of hunks as it was meant: without `\r`, without characters that nobody sees, and with plain
 * blanks, of which those it begins with are left out unless they were plain before.
 */
export function headerText(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return PLAIN.test(text) ? text : cleaned(text, INVISIBLE);
}

/** The same for a line that holds a name, whose words and emoji stay joined as they are. */
export function namedText(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return PLAIN.test(text) ? text : cleaned(text, INVISIBLE_BETWEEN_WORDS);
}

function cleaned(text: string, invisible: RegExp): string {
  const blank = text.replace(invisible, "").replace(BLANKS, " ");
  return /^[ \t]/.test(text) ? blank : blank.trimStart();
}
