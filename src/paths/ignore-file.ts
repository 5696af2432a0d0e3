import { GitGlob } from "./git-glob.ts";
import { type GitMatch, readGitPattern } from "./git-pattern.ts";

/** The longest line with a pattern, in UTF-16 units. */
export const MOST_PATTERN = 1000;
/** The most characters of one file's globs. A path is compared with each glob, unlike with literal patterns. */
export const MOST_GLOB_CHARS = 4_096;

/** A pattern that decides about a path. */
export interface Decision {
  readonly negated: boolean;
  /** The pattern as its file spells it. */
  readonly rule: string;
  /** The line, counted from 1. */
  readonly line: number;
}

/** A line that is not in force, and the reason. */
export interface UnusedLine {
  readonly line: number;
  readonly reason: string;
}

interface WildPattern {
  readonly at: number;
  readonly foldersOnly: boolean;
  readonly match: GitMatch & { readonly is: "wild" };
  /** Undefined before the first comparison. */
  glob: GitGlob | undefined;
}

/**
 * The patterns of one file in the form of .gitignore, with git's meaning. Literal names and endings are looked up, so
 * that their number does not matter. All other patterns are globs, whose characters are limited (I14).
 */
export class IgnoreFile {
  readonly #lines: readonly string[];
  readonly #names = new LastLines();
  readonly #paths = new LastLines();
  readonly #suffixes = new LastLines();
  readonly #suffixLengths = new Set<number>();
  /** In the order of their lines. */
  readonly #wild: WildPattern[] = [];
  #globChars = 0;
  #rules = 0;
  #unused: UnusedLine | undefined;

  constructor(text: string) {
    this.#lines = (text.startsWith("\ufeff") ? text.slice(1) : text).split("\n");
    for (let at = 0; at < this.#lines.length; at++) {
      const reason = this.#add(withoutReturn(this.#lines[at]!), at);
      if (reason !== undefined) this.#unused ??= { line: at + 1, reason };
    }
  }

  /** The number of patterns in force. */
  get rules(): number {
    return this.#rules;
  }

  /** The number of characters of all globs. */
  get globChars(): number {
    return this.#globChars;
  }

  /** The first line that is not in force. */
  get unused(): UnusedLine | undefined {
    return this.#unused;
  }

  /** Returns the decision of the last pattern that matches a path from the file's folder; the path is in bytes. */
  match(path: string, isFolder: boolean): Decision | undefined {
    const name = path.slice(path.lastIndexOf("/") + 1);
    let last = this.#literal(path, name, isFolder);
    for (let i = this.#wild.length - 1; i >= 0 && this.#wild[i]!.at > last; i--)
      if (matchesWild(this.#wild[i]!, name, path, isFolder)) last = this.#wild[i]!.at;
    return this.#decision(last);
  }

  /**
   * Returns the decisions about the folders on a path, whose names end at `ends`, ascending. Each pattern reads the path
   * once, however many folders it has.
   */
  matchFolders(path: string, ends: readonly number[]): (Decision | undefined)[] {
    const folders = ends.map((end) => path.slice(0, end));
    const names = folders.map((folder) => folder.slice(folder.lastIndexOf("/") + 1));
    const last = folders.map((folder, i) => this.#literal(folder, names[i]!, true));
    const index = new Map(ends.map((end, i) => [end, i]));
    for (const pattern of this.#wild) {
      const { of, prefix } = pattern.match;
      const matched =
        of === "name"
          ? ends.filter((_, i) => matchesWild(pattern, names[i]!, folders[i]!, true))
          : path.startsWith(prefix)
            ? globOf(pattern).matchedEnds(path, prefix.length, ends)
            : [];
      for (const end of matched) last[index.get(end)!] = Math.max(last[index.get(end)!]!, pattern.at);
    }
    return last.map((at) => this.#decision(at));
  }

  /** Returns the last line without a glob that matches, as an index; -1 if there is none. */
  #literal(path: string, name: string, isFolder: boolean): number {
    let last = Math.max(this.#names.of(name, isFolder), this.#paths.of(path, isFolder));
    for (const length of this.#suffixLengths)
      if (length <= name.length)
        last = Math.max(last, this.#suffixes.of(name.slice(name.length - length), isFolder));
    return last;
  }

  #decision(at: number): Decision | undefined {
    if (at < 0) return undefined;
    const rule = withoutReturn(this.#lines[at]!);
    return { negated: rule.startsWith("!"), rule, line: at + 1 };
  }

  /** Adds the pattern of a line; returns why the line is not in force. */
  #add(line: string, at: number): string | undefined {
    if (line.length > MOST_PATTERN)
      return line.startsWith("#") ? undefined : `the pattern is longer than ${MOST_PATTERN} characters`;
    const pattern = readGitPattern(line);
    if (pattern === undefined) return undefined;
    const { match, foldersOnly } = pattern;
    switch (match.is) {
      case "literal":
        (match.of === "name" ? this.#names : this.#paths).add(match.text, foldersOnly, at);
        break;
      case "suffix":
        this.#suffixLengths.add(match.suffix.length);
        this.#suffixes.add(match.suffix, foldersOnly, at);
        break;
      case "wild": {
        const chars = this.#globChars + match.glob.length;
        if (chars > MOST_GLOB_CHARS)
          return `patterns with wildcards have at most ${MOST_GLOB_CHARS} characters in one file`;
        this.#globChars = chars;
        this.#wild.push({ at, foldersOnly, match, glob: undefined });
      }
    }
    this.#rules++;
    return undefined;
  }
}

/** The last line of each text, as an index: one line for everything, and one for folders only. */
class LastLines {
  readonly #all = new Map<string, number>();
  readonly #folders = new Map<string, number>();

  add(text: string, foldersOnly: boolean, at: number): void {
    (foldersOnly ? this.#folders : this.#all).set(text, at);
  }

  /** Returns the last line that holds for a text; -1 if there is none. */
  of(text: string, isFolder: boolean): number {
    const all = this.#all.get(text) ?? -1;
    return isFolder ? Math.max(all, this.#folders.get(text) ?? -1) : all;
  }
}

/** Returns the line without a carriage return at its end, as git reads it. */
function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function matchesWild(pattern: WildPattern, name: string, path: string, isFolder: boolean): boolean {
  const { of, prefix } = pattern.match;
  const subject = of === "name" ? name : path;
  if ((pattern.foldersOnly && !isFolder) || !subject.startsWith(prefix)) return false;
  return globOf(pattern).matches(subject, prefix.length);
}

function globOf(pattern: WildPattern): GitGlob {
  pattern.glob ??= new GitGlob(pattern.match.glob);
  return pattern.glob;
}
