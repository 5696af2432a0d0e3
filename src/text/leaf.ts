import { type Measure, measure, safeCut, utf16Index } from "./positions.ts";

/** A piece of the text with its sizes. Its UTF-8 form is computed on first use and cached. */
export interface Leaf extends Measure {
  readonly text: string;
  encoded?: Uint8Array;
}

/** A leaf, and the sizes of all text before it. */
export interface Place {
  readonly index: number;
  readonly before: Pick<Measure, "chars" | "utf16" | "bytes" | "breaks">;
}

/** The place of position 0. */
export const START: Place = { index: 0, before: { chars: 0, utf16: 0, bytes: 0, breaks: 0 } };

/**
 * The most UTF-16 units of a leaf. An edit rewrites one leaf and copies a list of all, so the leaves of a longer text are
 * longer.
 */
const SHORT_LEAF = 1024;
const LEAF = 4096;
const LONG_LEAF = 16_384;
const SHORT = 1 << 17;
const LONG = 1 << 20;
const encoder = new TextEncoder();

/** Returns the leaf's text in UTF-8. */
export function encodedLeaf(leaf: Leaf): Uint8Array {
  leaf.encoded ??= encoder.encode(leaf.text);
  return leaf.encoded;
}

function leafOf(text: string): Leaf {
  return { text, ...measure(text) };
}

/** Cuts a part of a text of `length` UTF-16 units into leaves of about half the maximum size. */
export function leavesOf(s: string, length: number): Leaf[] {
  if (s === "") return [];
  const most = mostOf(length);
  if (s.length <= most) return [leafOf(s)];
  const leaves: Leaf[] = [];
  const size = Math.ceil(s.length / Math.ceil(s.length / (most / 2)));
  for (let i = 0; i < s.length; ) {
    const end = safeCut(s, Math.min(s.length, i + size));
    leaves.push(leafOf(s.slice(i, end)));
    i = end;
  }
  return leaves;
}

/** Joins neighbouring leaves that deletions made small, so that their number stays in proportion to the text. */
export function mergeSmall(leaves: Leaf[], length: number): Leaf[] {
  const small = mostOf(length) / 4;
  for (let i = leaves.length - 1; i > 0; i--) {
    const joined = leaves[i - 1]!.utf16 + leaves[i]!.utf16;
    if (joined <= small) leaves.splice(i - 1, 2, leafOf(leaves[i - 1]!.text + leaves[i]!.text));
  }
  return leaves;
}

/** Returns true for leaves of equal texts, which may be cut in different places. Stops at the first difference. */
export function equalLeaves(a: readonly Leaf[], b: readonly Leaf[]): boolean {
  let [i, j, inA, inB] = [0, 0, 0, 0];
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i]!.text, b[j]!.text];
    const size = Math.min(left.length - inA, right.length - inB);
    if (left !== right && left.slice(inA, inA + size) !== right.slice(inB, inB + size)) return false;
    inA += size;
    inB += size;
    if (inA === left.length) [i, inA] = [i + 1, 0];
    if (inB === right.length) [j, inB] = [j + 1, 0];
  }
  return i === a.length && j === b.length;
}

function mostOf(length: number): number {
  if (length > LONG) return LONG_LEAF;
  return length > SHORT ? LEAF : SHORT_LEAF;
}

/** Returns the UTF-16 index of a code point in a leaf. */
export function unitIndex(leaf: Leaf, chars: number): number {
  return leaf.chars === leaf.utf16 ? chars : utf16Index(leaf.text, chars);
}
