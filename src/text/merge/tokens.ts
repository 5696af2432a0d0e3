import { countChars, safeCut } from "../positions.ts";

/**
 * Tokens are the pieces of a text that a merge takes whole from one side: words, numbers with their inner marks
 * (`^1.2.3-beta.4`, `2026-11-22`, `12:30`, `1e-5`, `10,000`, `#ff0066`, `50%`), URLs, and characters with their
 * combining marks. Every other character is a token by itself.
 */

/** Scripts that are written without spaces: each character is a word of its own. */
const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`;
const JOINED = String.raw`[\p{M}\p{Emoji_Modifier}\u200c\u200d\ufe0e\ufe0f]`;
const URL = String.raw`\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'\u0060<>()[\]{}|\\]*[^\s"'\u0060<>()[\]{}|\\.,;:!?]`;
const HASH = String.raw`\bsha\d{1,3}-[a-z0-9+\/]+=*`;
const WORD = String.raw`(?:(?![${UNSPACED}])[\p{L}\p{N}_]${JOINED}*)+`;
const CLUSTER = String.raw`\S(?:\u200d\S|${JOINED})+`;
const PARTS = new RegExp(`(${URL}|${HASH})|(${WORD})|${CLUSTER}`, "giu");

/** Signs and comparisons before a number, and signs after it, that belong to it. */
const BEFORE = /(?:[<>=!~^]=|[<>~^])?[+#$€£-]?$/;
const AFTER = /^(?:%|\.\*)/;
const MOST_BEFORE = 3;
const SIGNED = /^(?:#[\p{L}\p{N}]|(?:[<>=!~^]=|[<>~^])?[+$€£-]?v?\d)/iu;
const WORD_END = /[\p{L}\p{N}_%]$/u;

/** Code points before and after a place that decide where its tokens begin and end. */
export const REACH = 200;

/** Code units beside the place where two texts meet that decide whether they have a token in common. */
export const CONTEXT = 80;
/** Tokens hold no white space, quotes or brackets. */
const APART = /[\s"'`()[\]{}]/;
const ENDING = new RegExp(`.?[^\\s${UNSPACED}]*$`, "su");
/** The end of a text that may be a URL: only that has characters of unspaced scripts in the middle of a token. */
const URL_ENDING = /\S*:\/\/\S*$/;
const BEGINNING = new RegExp(`^.?[^\\s${UNSPACED}]*`, "su");

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns a mask of the positions 0..n of a text, in code points: 0 where a token spans the position, else 1. */
export function tokenEdges(text: string): Uint8Array {
  const edges = new Uint8Array(countChars(text) + 1).fill(1);
  let unit = 0;
  let point = 0;
  for (const { from, to } of tokensOf(text)) {
    point += countChars(text.slice(unit, from));
    const size = countChars(text.slice(from, to));
    edges.fill(0, point + 1, point + size);
    point += size;
    unit = to;
  }
  return edges;
}

/**
 * Returns true when two texts have the same tokens one after the other as they have apart. A number with a sign does
 * not stand right after a word: `1.0^2.0` reads as one value.
 */
export function isEdgeBetween(left: string, right: string): boolean {
  if (left === "" || right === "" || APART.test(left.slice(-1)) || APART.test(right[0]!)) return true;
  const near = left.slice(safeCut(left, Math.max(0, left.length - CONTEXT)));
  const [before] = URL_ENDING.exec(near) ?? ENDING.exec(near)!;
  const after = BEGINNING.exec(right.slice(0, safeCut(right, CONTEXT)))![0];
  if (WORD_END.test(before) && SIGNED.test(after)) return false;
  const edges = tokenEdges(before + after);
  const size = countChars(before);
  if (edges[size] === 0) return false;
  return (
    isEqual(edges.subarray(0, size), tokenEdges(before)) && isEqual(edges.subarray(size), tokenEdges(after))
  );
}

function isEqual(edges: Uint8Array, others: Uint8Array): boolean {
  return edges.every((edge, i) => edge === others[i]);
}

/** Returns the words, numbers and joined characters of a text. */
export function wordsOf(text: string): string[] {
  return tokensOf(text).map(({ from, to }) => text.slice(from, to));
}

/** Returns the words, numbers and joined characters of a text, in UTF-16 indexes. */
function tokensOf(text: string): Range[] {
  const tokens: Range[] = [];
  let run: { from: number; to: number; last: string } | undefined;
  const close = () => {
    if (run !== undefined) tokens.push(withSigns(text, run, tokens.at(-1)?.to ?? 0));
    run = undefined;
  };
  for (const match of text.matchAll(PARTS)) {
    const [part, , word] = match;
    const at = { from: match.index, to: match.index + part.length };
    if (word !== undefined && run !== undefined && joins(text, run, at, word))
      run = { from: run.from, to: at.to, last: word };
    else {
      close();
      if (word === undefined) tokens.push(at);
      else run = { ...at, last: word };
    }
  }
  close();
  return tokens;
}

/** Returns true when the character between a run and the next word joins them to one number, version or date. */
function joins(text: string, run: Range & { readonly last: string }, next: Range, word: string): boolean {
  if (next.from !== run.to + 1) return false;
  const [left, right] = [isDigit(run.last), isDigit(word)];
  switch (text[run.to]) {
    case ".":
    case "-":
    case "+":
      return left || right || isNumber(text, run.from) || (hasDigit(run.last) && hasDigit(word));
    case ":":
    case "/":
      return left && right;
    case ",":
      return left && /^\d{3}$/.test(word);
    default:
      return false;
  }
}

/** Returns a number with its signs, or a word after `#`. */
function withSigns(text: string, { from, to }: Range, floor: number): Range {
  if (!isNumber(text, from)) return { from: text[from - 1] === "#" && from > floor ? from - 1 : from, to };
  const before = BEFORE.exec(text.slice(Math.max(floor, from - MOST_BEFORE), from))?.[0] ?? "";
  const after = AFTER.exec(text.slice(to, to + 2))?.[0] ?? "";
  return { from: from - before.length, to: to + after.length };
}

/** Returns true when a version or a number begins at an index. */
function isNumber(text: string, index: number): boolean {
  return /^v?\d/i.test(text.slice(index, index + 2));
}

function isDigit(word: string): boolean {
  return /^\d/.test(word);
}

function hasDigit(word: string): boolean {
  return /\d/.test(word);
}
