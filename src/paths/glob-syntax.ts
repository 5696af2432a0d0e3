import type { AutomatonPart, CharSet } from "./automaton.ts";

/** A parsed glob. */
interface Glob {
  readonly parts: readonly AutomatonPart[];
  /** The reason why the glob may differ from its author's intention; undefined when it is sound. */
  readonly problem: string | undefined;
  /** True if a `[` is never closed, so that it matches itself. */
  readonly isUnclosed: boolean;
}

/** The deepest nesting of `{a,{b,c}}`. */
export const MOST_NESTED_BRACES = 8;

const SLASH = 0x2f;
const SEPARATOR: AutomatonPart = { is: "one", set: { ranges: [[SLASH, SLASH]], except: false } };
const WITHIN_FOLDER: CharSet = { ranges: [[SLASH, SLASH]], except: true };
const ACROSS_FOLDERS: CharSet = { ranges: [], except: true };

/**
 * Parses any text as a glob; a character without special meaning matches itself. The time grows linearly with the
 * length.
 */
export function readGlob(glob: string): Glob {
  return new Reader(glob.startsWith("./") ? glob.slice(2) : glob).read();
}

/** Braces with alternatives: the index of the closing brace, and of the commas. */
interface Braces {
  readonly close: number;
  readonly commas: readonly number[];
}

class Reader {
  readonly #glob: string;
  readonly #braces = new Map<number, Braces>();
  /** The index from which on no `[` is closed. */
  #unclosed = Number.POSITIVE_INFINITY;
  #problem: string | undefined;

  constructor(glob: string) {
    this.#glob = glob;
  }

  read(): Glob {
    this.#survey();
    const parts = this.#sequence(0, this.#glob.length, true);
    return { parts, problem: this.#problem, isUnclosed: this.#unclosed < this.#glob.length };
  }

  /** Finds pairs of braces, and syntax of richer pattern languages, which globs do not support. */
  #survey(): void {
    const glob = this.#glob;
    const open: { at: number; commas: number[] }[] = [];
    let parens = 0;
    let repeatable = -1; // the index at which a + would be a repetition
    for (let i = 0; i < glob.length; i++) {
      const char = glob[i]!;
      const list = char === "[" ? this.#list(i) : undefined;
      if (list !== undefined) {
        i = list.end - 1;
        repeatable = list.end;
      } else if (char === "\\") i++;
      else if (char === "{") open.push({ at: i, commas: [] });
      else if (char === ",") open.at(-1)?.commas.push(i);
      else if (char === "}") {
        const braces = open.pop();
        if (braces === undefined) continue;
        repeatable = i + 1;
        if (braces.commas.length === 0) continue;
        if (open.length >= MOST_NESTED_BRACES)
          this.#reportProblem(`braces nest deeper than ${MOST_NESTED_BRACES}`);
        else this.#braces.set(braces.at, { close: i, commas: braces.commas });
      } else if (char === "(") {
        parens++;
        if (i > 0 && "@!+*?".includes(glob[i - 1]!)) this.#reportProblem(`${glob[i - 1]}( opens a group`);
        if (/^\(\?[:=!<]/.test(glob.slice(i, i + 3))) this.#reportProblem("(? opens a group");
      } else if (char === ")") {
        if (parens > 0) parens--;
        repeatable = i + 1;
      } else if (char === "|" && parens > 0) this.#reportProblem("(a|b) is a group");
      else if (char === "+" && repeatable === i) this.#reportProblem("+ repeats the part before it");
    }
  }

  #reportProblem(problem: string): void {
    this.#problem ??= problem;
  }

  /** Returns the parts of a range of the glob. `whole` is true when a segment of the path starts there. */
  #sequence(from: number, end: number, whole: boolean): AutomatonPart[] {
    const parts: AutomatonPart[] = [];
    for (let i = from; i < end; ) {
      const char = this.#glob.codePointAt(i)!;
      const starts = i === from ? whole : this.#glob[i - 1] === "/";
      const braces = this.#braces.get(i);
      const list = char === 0x5b ? this.#list(i) : undefined;
      if (char === 0x2a) i = this.#stars(i, starts, parts);
      else if (braces !== undefined) {
        parts.push({ is: "either", of: this.#alternatives(i, braces, starts) });
        i = braces.close + 1;
      } else if (list !== undefined) {
        parts.push(list.part);
        i = list.end;
      } else if (char === 0x3f) {
        parts.push({ is: "one", set: WITHIN_FOLDER });
        i++;
      } else {
        const range = char === 0x7b ? this.#range(i) : undefined;
        const escaped = char === 0x5c && i + 1 < end;
        const literal = escaped ? this.#glob.codePointAt(i + 1)! : char;
        parts.push(range?.part ?? one(literal));
        i = range?.end ?? i + (escaped ? 1 : 0) + (literal > 0xffff ? 2 : 1);
      }
    }
    return parts;
  }

  #alternatives(open: number, { close, commas }: Braces, whole: boolean): AutomatonPart[][] {
    const ends = [...commas, close];
    return ends.map((end, i) => this.#sequence((i === 0 ? open : ends[i - 1]!) + 1, end, whole));
  }

  /** Reads a run of `*` and returns its end. */
  #stars(at: number, starts: boolean, parts: AutomatonPart[]): number {
    const glob = this.#glob;
    let end = at;
    while (glob[end] === "*") end++;
    const anyEnding = at === 0 && /^\*\*\.(\w+|\*)$/.test(glob);
    if (end - at !== 2 || !starts || !(anyEnding || "/{,}".includes(glob[end] ?? "/"))) {
      parts.push({ is: "many", set: WITHIN_FOLDER });
      return end;
    }
    while (glob.startsWith("/**", end) && "/".includes(glob[end + 3] ?? "/")) end += 3;
    const across: AutomatonPart = { is: "many", set: ACROSS_FOLDERS };
    if (glob[end] === "/") {
      parts.push({ is: "either", of: [[across, SEPARATOR], []] });
      return end + 1;
    }
    // `a/**` also matches `a`, but `*/**` matches only paths inside a folder.
    const before = parts.at(-2);
    if (end === glob.length && parts.at(-1) === SEPARATOR && before !== undefined && before.is !== "many") {
      parts.pop();
      parts.push({ is: "either", of: [[SEPARATOR, across], []] });
    } else parts.push(across);
    return end;
  }

  /** Returns a list like `[abc]` and its end; undefined when it is never closed. The list never matches `/`. */
  #list(open: number): { readonly part: AutomatonPart; readonly end: number } | undefined {
    if (open >= this.#unclosed) return undefined;
    const glob = this.#glob;
    const except = glob[open + 1] === "!" || glob[open + 1] === "^";
    const first = open + (except ? 2 : 1);
    const chars: { char: number; escaped: boolean }[] = [];
    let i = first;
    for (; i < glob.length && (glob[i] !== "]" || i === first); ) {
      const escaped = glob[i] === "\\" && i + 1 < glob.length;
      const char = glob.codePointAt(escaped ? i + 1 : i)!;
      if (glob.startsWith("[:", i)) this.#reportProblem("[:name:] is a class");
      chars.push({ char, escaped });
      i += (escaped ? 1 : 0) + (char > 0xffff ? 2 : 1);
    }
    if (i >= glob.length) {
      this.#unclosed = open;
      return undefined;
    }
    const end = i + 1;
    const ranges: [number, number][] = [];
    for (let at = 0; at < chars.length; at++) {
      const { char: a } = chars[at]!;
      const dash = chars[at + 1];
      const z = dash?.char === 0x2d && !dash.escaped ? chars[at + 2]?.char : undefined;
      if (z !== undefined) at += 2;
      if (z !== undefined && z < a) this.#reportProblem("a range runs backwards");
      ranges.push(...withoutSlash(a, z ?? a));
    }
    const plain = !except && ranges.every(([a, z]) => a === z);
    const set = except ? { ranges: [...ranges, [SLASH, SLASH] as const], except } : { ranges, except };
    const listed: AutomatonPart = { is: "one", set };
    if (!plain) return { part: listed, end };
    // A folder may be named [id], so the literal text matches, too.
    const spelled = [...glob.slice(open, end)].map((char) => one(char.codePointAt(0)!));
    return { part: { is: "either", of: [[listed], spelled] }, end };
  }

  /** Reads `{a..e}`, a range of characters. */
  #range(open: number): { readonly part: AutomatonPart; readonly end: number } | undefined {
    const [all, from, to] = /^\{([^{},/]+)\.\.([^{},/]+)\}/u.exec(this.#glob.slice(open, open + 16)) ?? [];
    if (all === undefined) return undefined;
    const [a, z] = [from!.codePointAt(0)!, to!.codePointAt(0)!];
    if ([...from!].length !== 1 || [...to!].length !== 1 || z < a) {
      this.#reportProblem(`${all} is not a range of characters; write out every value, as in {8,9,10}`);
      return undefined;
    }
    return {
      part: { is: "one", set: { ranges: withoutSlash(a, z), except: false } },
      end: open + all.length,
    };
  }
}

function one(char: number): AutomatonPart {
  return char === SLASH ? SEPARATOR : { is: "one", set: { ranges: [[char, char]], except: false } };
}

/** Returns the range without `/`, which no segment of a path contains; empty for a reversed range. */
function withoutSlash(a: number, z: number): [number, number][] {
  const halves: [number, number][] =
    a <= SLASH && SLASH <= z
      ? [
          [a, SLASH - 1],
          [SLASH + 1, z],
        ]
      : [[a, z]];
  return halves.filter(([first, last]) => first <= last);
}
