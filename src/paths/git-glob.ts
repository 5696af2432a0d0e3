import { GIT_CLASSES } from "./git-classes.ts";

/** A set of bytes: 1 for each byte in it. */
type ByteSet = Uint8Array;

/**
 * One step of a glob. `one` consumes a byte of its set, and `many` any number of them. `folders` means a `**` and the
 * slash after it. `inFolders`, which it may skip, follows it: the names of folders and a slash.
 */
interface Step {
  readonly is: "one" | "many" | "folders" | "inFolders";
  readonly set: ByteSet;
}

const SLASH = 0x2f;
const ANY = new Uint8Array(256).fill(1);
const WITHIN_FOLDER = new Uint8Array(256).fill(1);
WITHIN_FOLDER[SLASH] = 0;

/**
 * A glob with the meaning that it has in .gitignore, for strings of bytes. Matching takes at most steps in proportion to
 * the glob times the text, whatever both hold (I14).
 */
export class GitGlob {
  /** Undefined for a malformed glob, which matches nothing. */
  readonly #steps: readonly Step[] | undefined;
  #now: Uint8Array;
  #next: Uint8Array;

  constructor(glob: string) {
    this.#steps = readSteps(glob);
    const places = (this.#steps?.length ?? 0) + 1;
    this.#now = new Uint8Array(places);
    this.#next = new Uint8Array(places);
  }

  /** Tests the text from `from` on. */
  matches(text: string, from: number): boolean {
    return this.matchedEnds(text, from, [text.length])[0] === text.length;
  }

  /** Returns those of some ends, ascending, up to which the text from `from` on matches. It reads the text once. */
  matchedEnds(text: string, from: number, ends: readonly number[]): number[] {
    const steps = this.#steps;
    const matched: number[] = [];
    if (steps === undefined) return matched;
    this.#now.fill(0);
    this.#reach(this.#now, steps, 0);
    let at = from;
    for (const end of ends) {
      if (end < from) continue;
      for (; at < end; at++) if (!this.#consume(steps, text.charCodeAt(at))) return matched;
      if (this.#now[steps.length] === 1) matched.push(end);
    }
    return matched;
  }

  /** Moves on from all places that are reached now; returns false when no place is reached any more. */
  #consume(steps: readonly Step[], byte: number): boolean {
    const now = this.#now;
    const next = this.#next;
    next.fill(0);
    let lives = false;
    for (let place = 0; place < steps.length; place++) {
      if (now[place] === 0) continue;
      const { is, set } = steps[place]!;
      if (is === "folders" || set[byte] === 0) continue;
      lives = true;
      if (is !== "one") this.#reach(next, steps, place);
      if (is === "one" || (is === "inFolders" && byte === SLASH)) this.#reach(next, steps, place + 1);
    }
    this.#now = next;
    this.#next = now;
    return lives;
  }

  /** Marks a place, and the places that it leads to without a byte. */
  #reach(places: Uint8Array, steps: readonly Step[], from: number): void {
    for (let place = from; places[place] === 0; place++) {
      places[place] = 1;
      const is = steps[place]?.is;
      if (is === "folders") this.#reach(places, steps, place + 2);
      else if (is !== "many") return;
    }
  }
}

/** Reads a glob as git's wildmatch does; undefined for one that ends within a list or an escape. */
function readSteps(glob: string): Step[] | undefined {
  const steps: Step[] = [];
  for (let i = 0; i < glob.length; ) {
    const char = glob[i];
    if (char === "*") i = readStars(glob, i, steps);
    else if (char === "[") {
      const list = readList(glob, i);
      if (list === undefined) return undefined;
      steps.push({ is: "one", set: list.set });
      i = list.end;
    } else {
      if (char === "\\") i++;
      if (i === glob.length) return undefined;
      const set = char === "?" ? WITHIN_FOLDER : setOf([[glob.charCodeAt(i), glob.charCodeAt(i)]]);
      steps.push({ is: "one", set });
      i++;
    }
  }
  return steps;
}

/** Reads a run of `*` and returns its end. `**` matches across folders only as a whole part of the path. */
function readStars(glob: string, at: number, steps: Step[]): number {
  let end = at;
  while (glob[end] === "*") end++;
  const begins = at === 0 || glob[at - 1] === "/";
  const ends = end === glob.length || glob[end] === "/" || glob.startsWith("\\/", end);
  if (end - at < 2 || !begins || !ends) {
    steps.push({ is: "many", set: WITHIN_FOLDER });
    return end;
  }
  if (glob[end] !== "/") {
    steps.push({ is: "many", set: ANY });
    return end;
  }
  steps.push({ is: "folders", set: ANY }, { is: "inFolders", set: ANY });
  return end + 1;
}

type Ranges = readonly (readonly [first: number, last: number])[];

/** Reads a list such as `[a-z]` or `[![:digit:]]`; undefined when it is never closed or names an unknown class. */
function readList(glob: string, open: number): { readonly set: ByteSet; readonly end: number } | undefined {
  const ranges: (readonly [number, number])[] = [];
  const negated = glob[open + 1] === "!" || glob[open + 1] === "^";
  const first = open + (negated ? 2 : 1);
  let before: string | undefined; // the character that a `-` would begin a range with
  for (let i = first; ; i++) {
    let char = glob[i];
    const next = glob[i + 1];
    if (char === "]" && i > first) return { set: listSet(ranges, negated), end: i + 1 };
    if (char === "-" && before !== undefined && next !== undefined && next !== "]") {
      i += next === "\\" ? 2 : 1;
      if (i >= glob.length) return undefined;
      ranges.push([before.charCodeAt(0), glob.charCodeAt(i)]);
      before = undefined;
      continue;
    }
    const close = char === "[" && next === ":" ? glob.indexOf("]", i + 2) : 0;
    if (close < 0) return undefined;
    if (close > i + 2 && glob[close - 1] === ":") {
      const named = GIT_CLASSES.get(glob.slice(i + 2, close - 1));
      if (named === undefined) return undefined;
      ranges.push(...named);
      i = close;
      before = undefined;
      continue;
    }
    if (char === "\\") char = glob[++i];
    if (char === undefined) return undefined;
    ranges.push([char.charCodeAt(0), char.charCodeAt(0)]);
    before = char;
  }
}

/** Returns the set of a list, which never matches a slash. */
function listSet(ranges: Ranges, negated: boolean): ByteSet {
  const listed = setOf(ranges);
  const set = negated ? listed.map((holds) => 1 - holds) : listed;
  set[SLASH] = 0;
  return set;
}

function setOf(ranges: Ranges): ByteSet {
  const set = new Uint8Array(256);
  for (const [first, last] of ranges) set.fill(1, first, Math.max(first, last + 1));
  return set;
}
