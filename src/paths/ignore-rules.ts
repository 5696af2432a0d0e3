import { bytesOf } from "./git-pattern.ts";
import { matcher } from "./glob.ts";
import { anyGlob } from "./glob-set.ts";
import { type Decision, IgnoreFile, MOST_GLOB_CHARS, type UnusedLine } from "./ignore-file.ts";
import type { OuterFile, OuterRules } from "./outer-rules.ts";

/** The names of the files of patterns in a workspace. A file of the first name decides before the files of the next. */
export const IGNORE_FILES = [".splicedignore", ".gitignore"] as const;

/** The rule that leaves a path out, as a refusal names it. */
export interface IgnoreRule {
  readonly rule: string;
  readonly file: string;
  /** The line in the file, from 1; for the configuration, the place in the list of the setting `ignore`. */
  readonly line: number;
  /**
   * Set where nobody wrote the line: for a glob of the setting `ignore`, which a workspace without a configuration has,
   * too, and for a worktree that git noted.
   */
  readonly by?: "setting" | "worktree";
}

/** The rules of one file that are in force, and the first part of the file that is not. */
export interface IgnoreFileReport {
  readonly file: string;
  readonly rules: number;
  readonly problem?: string;
}

/** A file of patterns, and the bytes to add to a path or to remove from it before it is compared. */
interface Placed {
  readonly file: string;
  readonly patterns: IgnoreFile;
  readonly prefix: string;
  readonly skip: number;
  readonly by?: "worktree";
}

/** The rules that hold in one folder. */
interface FolderRules {
  /** The rule that leaves out the folder itself, and so everything in it. */
  readonly rule: IgnoreRule | undefined;
  /** For each name of IGNORE_FILES, the files from this folder up to the root. */
  readonly files: readonly (readonly Placed[])[];
  /** All files that hold in the folder, also outer ones, in the order in which they decide. */
  readonly all: readonly Placed[];
  readonly globChars: number;
}

/** The path of a folder in bytes, and the places where the names on it end. */
interface FolderPath {
  readonly bytes: string;
  readonly ends: readonly number[];
}

/** The decisions of each file about the folders on one path, from the root on. */
type Decisions = Map<Placed, readonly (Decision | undefined)[]>;

/** The most folders whose rules are remembered. */
const MOST_FOLDERS = 20_000;
/** The most characters of files of patterns that are remembered. */
const MOST_PARSED = 8 << 20;
/** The most characters of globs in all files from a folder to the root (I14). */
const MOST_GLOB_CHARS_UP = 2 * MOST_GLOB_CHARS;

const NOTHING: FolderRules = { rule: undefined, files: IGNORE_FILES.map(() => []), all: [], globChars: 0 };

/**
 * Decides which paths of a workspace are no documents. The setting `ignore` decides first, then `.splicedignore`, the
 * worktrees of git, `.gitignore`, and the outer files; of one name, the file nearest to the path. Everything in a folder
 * that is left out is left out, as git does it.
 */
export class IgnoreRules {
  readonly #outer: OuterRules;
  readonly #anyGlob: (path: string) => boolean;
  #outerFiles: readonly Placed[] | undefined;
  #worktrees: readonly Placed[] | undefined;
  readonly #read: (path: string) => string | undefined;
  readonly #report: (file: string, problem: string) => void;
  readonly #folders = new Map<string, FolderRules>();
  readonly #parsed = new Map<string, { readonly text: string; readonly patterns: IgnoreFile }>();
  readonly #tooMany = new Set<string>();
  #parsedChars = 0;

  /**
   * `read` returns the text of a file of patterns, by its path in the workspace or by `OuterFile.path`; `report` gets
   * each new problem.
   */
  constructor(
    outer: OuterRules,
    read: (path: string) => string | undefined,
    report: (file: string, problem: string) => void = () => {},
  ) {
    this.#outer = outer;
    this.#anyGlob = anyGlob(outer.globs);
    this.#read = read;
    this.#report = report;
  }

  /** Makes the next questions read the files of patterns again. */
  refresh(): void {
    this.#folders.clear();
    this.#outerFiles = undefined;
    this.#worktrees = undefined;
  }

  /** Returns the rule that leaves a file out; undefined for a file that is a document. */
  ruleFor(path: string): IgnoreRule | undefined {
    const folder = this.#folder(path.slice(0, Math.max(path.lastIndexOf("/"), 0)));
    return folder.rule ?? this.#decide(folder, path);
  }

  /** Returns the rule that leaves out everything in a folder. */
  ruleForFolder(path: string): IgnoreRule | undefined {
    return this.#folder(path).rule;
  }

  /** True for a file or a folder that a walk leaves out. */
  readonly skips = (path: string, isFolder: boolean): boolean =>
    (isFolder ? this.ruleForFolder(path) : this.ruleFor(path)) !== undefined;

  /** Returns the files of patterns that were read so far, with the number of rules in force. */
  reports(): IgnoreFileReport[] {
    const { config, globs, worktrees, files } = this.#outer;
    const outer = worktrees === undefined ? files : [worktrees, ...files];
    const names = new Map(outer.map(({ path, file }) => [path, file]));
    const read = [...this.#parsed].map(([path, { patterns }]) =>
      this.#reportOf(path, names.get(path) ?? path, patterns),
    );
    return [{ file: config, rules: globs.length }, ...read];
  }

  #reportOf(path: string, file: string, { rules, unused }: IgnoreFile): IgnoreFileReport {
    if (this.#tooMany.has(path)) return { file, rules: 0, problem: TOO_MANY };
    return { file, rules, ...(unused && { problem: problemOf(unused) }) };
  }

  #folder(folder: string): FolderRules {
    return this.#folders.get(folder) ?? this.#descend(folder);
  }

  /** Finds the rules of a folder by way of the folders above it, up to one that is left out. */
  #descend(folder: string): FolderRules {
    const path: FolderPath = { bytes: bytesOf(folder), ends: endsIn(bytesOf(folder)) };
    const decisions: Decisions = new Map();
    let rules = this.#folders.get("") ?? this.#remember("", this.#inside("", NOTHING));
    const names = folder === "" ? [] : folder.split("/");
    let at = "";
    for (const [level, name] of names.entries()) {
      at = at === "" ? name : `${at}/${name}`;
      const known = this.#folders.get(at);
      const rule =
        rules.rule ?? (known ? known.rule : this.#decideFolder(rules, at, { path, level, decisions }));
      rules = known ?? this.#remember(at, rule === undefined ? this.#inside(at, rules) : { ...rules, rule });
    }
    return rules;
  }

  #remember(folder: string, rules: FolderRules): FolderRules {
    if (this.#folders.size >= MOST_FOLDERS) this.#folders.clear();
    this.#folders.set(folder, rules);
    return rules;
  }

  /** Returns the rule that leaves out one of the folders on a path, in a folder that is not left out. */
  #decideFolder(
    { all }: FolderRules,
    folder: string,
    { path, level, decisions }: { path: FolderPath; level: number; decisions: Decisions },
  ): IgnoreRule | undefined {
    if (this.#anyGlob(folder)) return this.#globRule(folder);
    for (const placed of all) {
      const made = decisions.get(placed) ?? foldersIn(path, placed);
      decisions.set(placed, made);
      const decision = made[level];
      if (decision !== undefined) return ruleOf(decision, placed);
    }
    return undefined;
  }

  /** Returns the rules above a folder together with those of the folder's own files. */
  #inside(folder: string, above: FolderRules): FolderRules {
    const skip = folder === "" ? 0 : bytesOf(folder).length + 1;
    let { globChars } = above;
    const files = IGNORE_FILES.map((name, i) => {
      const file = folder === "" ? name : `${folder}/${name}`;
      const patterns = this.#patterns(file);
      const inherited = above.files[i]!;
      if (patterns === undefined) return inherited;
      const isTooMuch = globChars + patterns.globChars > MOST_GLOB_CHARS_UP;
      if (isTooMuch) this.#refuse(file);
      else this.#tooMany.delete(file);
      if (isTooMuch) return inherited;
      globChars += patterns.globChars;
      return [{ file, patterns, prefix: "", skip }, ...inherited];
    });
    const { worktrees } = this.#outer;
    this.#worktrees ??= worktrees === undefined ? [] : this.#placed(worktrees, "worktree");
    this.#outerFiles ??= this.#outer.files.flatMap((outer) => this.#placed(outer));
    const [own = [], ...others] = files;
    const all = [...own, ...this.#worktrees, ...others.flat(), ...this.#outerFiles];
    return { rule: undefined, files, all, globChars };
  }

  #refuse(file: string): void {
    if (!this.#tooMany.has(file)) this.#report(file, TOO_MANY);
    this.#tooMany.add(file);
  }

  /** Returns the patterns of a file; reads the file, and parses it if its text is another than before. */
  #patterns(file: string): IgnoreFile | undefined {
    const text = this.#read(file);
    const known = this.#parsed.get(file);
    if (known !== undefined && known.text === text) return known.patterns;
    this.#forget(file);
    if (text === undefined) return undefined;
    const patterns = new IgnoreFile(text);
    if (patterns.unused !== undefined) this.#report(file, problemOf(patterns.unused));
    this.#parsed.set(file, { text, patterns });
    this.#parsedChars += text.length;
    for (const [other] of this.#parsed) {
      if (this.#parsedChars <= MOST_PARSED) break;
      if (other !== file) this.#forget(other);
    }
    return patterns;
  }

  #forget(file: string): void {
    this.#parsedChars -= this.#parsed.get(file)?.text.length ?? 0;
    this.#parsed.delete(file);
    this.#tooMany.delete(file);
  }

  /** Returns the rule that leaves out a file by itself, in a folder that is not left out. */
  #decide({ all }: FolderRules, path: string): IgnoreRule | undefined {
    if (this.#anyGlob(path)) return this.#globRule(path);
    const bytes = bytesOf(path);
    for (const placed of all) {
      const { patterns, prefix, skip } = placed;
      const decision = patterns.match(prefix + bytes.slice(skip), false);
      if (decision !== undefined) return ruleOf(decision, placed);
    }
    return undefined;
  }

  #placed({ file, path, prefix }: OuterFile, by?: Placed["by"]): Placed[] {
    const patterns = this.#patterns(path);
    if (patterns === undefined) return [];
    return [{ file, patterns, prefix: bytesOf(prefix), skip: 0, ...(by && { by }) }];
  }

  #globRule(path: string): IgnoreRule {
    const { globs, config } = this.#outer;
    const at = globs.findIndex((glob) => matcher(glob)(path));
    return { rule: globs[at]!, file: config, line: at + 1, by: "setting" };
  }
}

/** Returns the places in a path where names end. */
function endsIn(path: string): number[] {
  const ends: number[] = [];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) ends.push(at);
  return [...ends, path.length];
}

/** Returns the decisions of a file about the folders on a path; none about those above the file. */
function foldersIn(
  { bytes, ends }: FolderPath,
  { patterns, prefix, skip }: Placed,
): (Decision | undefined)[] {
  const above = ends.filter((end) => end < skip);
  const below = ends.slice(above.length).map((end) => end - skip + prefix.length);
  return [...above.map(() => undefined), ...patterns.matchFolders(prefix + bytes.slice(skip), below)];
}

function ruleOf({ negated, rule, line }: Decision, { file, by }: Placed): IgnoreRule | undefined {
  return negated ? undefined : { rule, file, line, ...(by && { by }) };
}

function problemOf({ line, reason }: UnusedLine): string {
  return `line ${line} is not in force: ${reason}`;
}

const TOO_MANY = `no rule is in force: with the files in the folders above it has more than ${MOST_GLOB_CHARS_UP} characters of patterns with wildcards`;
