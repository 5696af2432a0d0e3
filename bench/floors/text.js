const PIECE = 1 << 13;

/**
 * A text in pieces, so that an edit of a large text copies one of them, and a search none. Its positions are UTF-16
 * units.
 */
export class Text {
  length = 0;
  /** @type {string[]} */
  #pieces = [];

  constructor(text) {
    this.splice(0, 0, text);
  }

  splice(from, to, insert) {
    if (to > this.length) throw new RangeError(`${to} is after the text's end`);
    let [i, at] = [0, 0];
    while (i < this.#pieces.length - 1 && at + this.#pieces[i].length < from) at += this.#pieces[i++].length;
    let [end, text] = [i, ""];
    do text += this.#pieces[end++] ?? "";
    while (at + text.length < to);
    const changed = text.slice(0, from - at) + insert + text.slice(to - at);
    this.#pieces.splice(i, end - i, ...piecesOf(changed));
    this.length += insert.length - (to - from);
  }

  /** Returns the place of the only occurrence. @throws when there is none or another one */
  only(needle) {
    const most = needle.length - 1;
    const found = [];
    const look = (text, at) => {
      for (let i = text.indexOf(needle); i >= 0; i = text.indexOf(needle, i + 1)) found.push(at + i);
    };
    let [at, before] = [0, ""];
    for (const piece of this.#pieces) {
      look(before + piece.slice(0, most), at - before.length);
      look(piece, at);
      at += piece.length;
      before = piece.length < most ? before + piece : piece;
      before = before.slice(Math.max(0, before.length - most));
    }
    if (found.length !== 1) throw new Error(`the text occurs ${found.length} times`);
    return found[0];
  }

  /** The pieces, first to last. */
  [Symbol.iterator]() {
    return this.#pieces[Symbol.iterator]();
  }

  toString() {
    return this.#pieces.join("");
  }
}

/** Cuts a text into pieces, none of which is empty, between whole characters. */
export function piecesOf(text) {
  const pieces = [];
  let at = 0;
  while (text.length - at > 2 * PIECE) {
    const end = at + PIECE + (isInPair(text.charCodeAt(at + PIECE)) ? 1 : 0);
    pieces.push(text.slice(at, end));
    at = end;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

/** Returns true for the second unit of a surrogate pair. */
function isInPair(unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
