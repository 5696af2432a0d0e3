import type { AutomatonPart, CharSet } from "./automaton.ts";

/** A glob as it was read. */
interface Glob {
  readonly parts: readonly AutomatonPart[];
  /** Why it may not mean what whoever wrote it thinks; undefined when it is sound. */
  readonly problem: string | undefined;
}

/** How deep `{a,{b,c}}` may nest. */
export const MOST_NESTED_BRACES = 8;

const SLASH = 0x2f;
const SEPARATOR: AutomatonPart = { is: "one", set: { ranges: [[SLASH, SLASH]], except: false } };
const WITHIN_FOLDER: CharSet = { ranges: [[SLASH, SLASH]], except: true };
const ACROSS_FOLDERS: CharSet = { ranges: [], except: true };

/** Reads a glob, whatever it holds: what is no sign stands for itself. Takes time in proportion to its length. */
export function readGlob(glob: string): Glob {
  return new Reader(glob.startsWith("./") ? glob.slice(2) : glob).read();
}

/** Braces that open alternatives: where each closes, and its commas. */
interface Braces {
  readonly close: number;
  readonly commas: readonly number[];
}

class Reader {
  readonly #glob: string;
  readonly #braces = new Map<number, Braces>();
  /** From here on no `[` is closed. */
  #unclosed = Number.POSITIVE_INFINITY;
  #problem: string | undefined;

  constructor(glob: string) {
    this.#glob = glob;
  }

  read(): Glob {
    this.#survey();
    const parts = this.#sequence(0, this.#glob.length, true);
    return { parts, problem: this.#problem };
  }

  /** Finds the braces that belong together, and what looks like a sign of a richer language than this. */
  #survey(): void {
    const glob = this.#glob;
    const open: { at: number; commas: number[] }[] = [];
    let parens = 0;
    let counted = -1; // where a + would count what is ahead of it
    for (let i = 0; i < glob.length; i++) {
      const char = glob[i]!;
      const list = char === "[" ? this.#list(i) : undefined;
      if (list !== undefined) {
        i = list.end - 1;
        counted = list.end;
      } else if (char === "\\") i++;
      else if (char === "{") open.push({ at: i, commas: [] });
      else if (char === ",") open.at(-1)?.commas.push(i);
      else if (char === "}") {
        const braces = open.pop();
        if (braces === undefined) continue;
        counted = i + 1;
        if (braces.commas.length === 0) continue;
        if (open.length >= MOST_NESTED_BRACES) this.#note(`braces nest deeper than ${MOST_NESTED_BRACES}`);
        else this.#braces.set(braces.at, { close: i, commas: braces.commas });
      } else if (char === "(") {
        parens++;
        if (i > 0 && "@!+*?".includes(glob[i - 1]!)) this.#note(`${glob[i - 1]}( opens a group`);
        if (/^\(\?[:=!<]/.test(glob.slice(i, i + 3))) this.#note("(? opens a group");
      } else if (char === ")") {
        if (parens > 0) parens--;
        counted = i + 1;
      } else if (char === "|" && parens > 0) this.#note("(a|b) is a group");
      else if (char === "+" && counted === i) this.#note("a + counts what is ahead of it");
    }
  }

  #note(problem: string): void {
    this.#problem ??= problem;
  }

  /** The parts of a stretch of the glob. `whole`: a part of the path begins with it. */
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

  /** Reads a run of `*`; answers where it ends. */
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
    // `a/**` is `a` as well, but `*/**` is only what lies in a folder.
    const before = parts.at(-2);
    if (end === glob.length && parts.at(-1) === SEPARATOR && before !== undefined && before.is !== "many") {
      parts.pop();
      parts.push({ is: "either", of: [[SEPARATOR, across], []] });
    } else parts.push(across);
    return end;
  }

  /** A list as `[abc]` and where it ends; undefined where it is never closed. It holds no `/`. */
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
      if (glob.startsWith("[:", i)) this.#note("[:name:] is a class");
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
      if (z !== undefined && z < a) this.#note("a range runs backwards");
      ranges.push(...withoutSlash(a, z ?? a));
    }
    const plain = !except && ranges.every(([a, z]) => a === z);
    const set = except ? { ranges: [...ranges, [SLASH, SLASH] as const], except } : { ranges, except };
    const listed: AutomatonPart = { is: "one", set };
    if (!plain) return { part: listed, end };
    // Folders are named [id], too.
    const spelled = [...glob.slice(open, end)].map((char) => one(char.codePointAt(0)!));
    return { part: { is: "either", of: [[listed], spelled] }, end };
  }

  /** `{a..e}`: one of the characters from the one to the other. */
  #range(open: number): { readonly part: AutomatonPart; readonly end: number } | undefined {
    const [all, from, to] = /^\{([^{},/]+)\.\.([^{},/]+)\}/u.exec(this.#glob.slice(open, open + 16)) ?? [];
    if (all === undefined) return undefined;
    const [a, z] = [from!.codePointAt(0)!, to!.codePointAt(0)!];
    if ([...from!].length !== 1 || [...to!].length !== 1 || z < a) {
      this.#note(`${all} is no range of characters; write each out, as {8,9,10}`);
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

/** The characters from the one to the other (none where they run backwards) that a part of a path may hold. */
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
