const [QUOTE, COMMA, BACKSLASH, SLASH, STAR] = [0x22, 0x2c, 0x5c, 0x2f, 0x2a];
const [CLOSE_ARRAY, CLOSE_OBJECT] = [0x5d, 0x7d];

/** The replacement for omitted text: white space of JSON that the style of a document is never read from. */
const BLANK = "\r";

/**
 * Returns JSON with comments as plain JSON of the same length. Blanks replace the comments and, if `commas`, the commas
 * after the last item. Undefined for a comment or a string without an end.
 */
export function plainJson(text: string, commas: boolean): string | undefined {
  let plain = "";
  let taken = 0;
  const leaveOut = (from: number, to: number) => {
    plain += text.slice(taken, from) + BLANK.repeat(to - from);
    taken = to;
  };
  for (let at = 0; at < text.length; ) {
    const char = text.charCodeAt(at);
    let end = at + 1;
    if (char === QUOTE) end = stringEnd(text, at);
    else if (char === SLASH) {
      end = commentEnd(text, at);
      if (end > at) leaveOut(at, end);
    } else if (commas && char === COMMA && isLast(text, end)) leaveOut(at, end);
    if (end <= at) return undefined;
    at = end;
  }
  return plain + text.slice(taken);
}

/** Returns the index after the quote that ends a string; 0 for a string without an end. */
export function stringEnd(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return 0;
}

/** Returns the index after a comment; 0 where none begins, and for one without an end. */
function commentEnd(text: string, from: number): number {
  const second = text.charCodeAt(from + 1);
  if (second === STAR) {
    const end = text.indexOf("*/", from + 2);
    return end < 0 ? 0 : end + 2;
  }
  if (second !== SLASH) return 0;
  const end = /[\n\r]|$/g;
  end.lastIndex = from;
  return end.exec(text)!.index;
}

/** True if nothing but white space and comments stands between an index and the end of an object or array. */
function isLast(text: string, from: number): boolean {
  for (let at = from; at < text.length; ) {
    const char = text.charCodeAt(at);
    if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) return true;
    const end = char === SLASH ? commentEnd(text, at) : char <= 0x20 ? at + 1 : 0;
    if (end <= at) return false;
    at = end;
  }
  return false;
}
