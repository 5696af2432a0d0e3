import { type FileNames, fileNames } from "./file-header.ts";
import { headerText, namedText } from "./header-line.ts";
import { lineKindOf, startsFile } from "./hunk-body.ts";
import { type PatchFailure, quote, refusedAt } from "./patch-failure.ts";

/** Lines of git's extended header that do not concern the text. */
const EXTENDED = /^(index |old mode |new mode |similarity index |dissimilarity index )/;
/** Lines of git's extended header that request more than a patch of one file's text can do. */
const REFUSED = /^(new file mode |deleted file mode |rename from |rename to |copy from |copy to )/;
/** The header lines of the `apply_patch` format. */
const ENVELOPE = /^\*\*\* (Begin Patch|End Patch|Update File:|Add File:|Delete File:|Move to:)(.*)$/;

/** Reads the lines of a patch outside of its hunks: the file that it changes, and whether the patch is complete. */
export class PatchHeaders {
  #names: FileNames | undefined;
  #git: string | undefined;
  #envelope: "none" | "open" | "closed" = "none";
  #updates = false;

  /** The names of the file before and after, from git's own line where there are no others. */
  get names(): FileNames | undefined {
    const [, name] = /^diff --git a\/(.+) b\/\1$/.exec(this.#git ?? "") ?? [];
    return this.#names ?? (name === undefined ? undefined : { from: `a/${name}`, to: `b/${name}` });
  }

  get envelope(): "none" | "open" | "closed" {
    return this.#envelope;
  }

  /** True once a file is named; from there on, only headers and hunks may follow. */
  get begun(): boolean {
    return this.#names !== undefined || this.#envelope !== "none";
  }

  /** Returns true right after `*** Update File`, where hunk lines without a header may follow. */
  startsBody(lines: readonly string[], i: number): boolean {
    return this.#updates && lineKindOf(lines[i]!) !== undefined && !startsFile(lines, i);
  }

  /** Returns the number of header lines at `i`. `hunks` is the number of hunks before them. */
  read(lines: readonly string[], i: number, hunks: number): number | PatchFailure {
    this.#updates = false;
    const line = headerText(lines[i]!);
    const names = fileNames(lines, i);
    if (names !== undefined) return this.#file(names, line, i, hunks) ?? 2;
    const [, kind, name] = ENVELOPE.exec(namedText(lines[i]!)) ?? [];
    if (kind !== undefined && this.#envelope !== "closed")
      return this.#part(kind, name!.trim(), line, i, hunks) ?? 1;
    if (line.startsWith("diff --git ")) {
      if (this.#git !== undefined ? this.#git !== line : hunks > 0) return second(line, i);
      this.#git = line;
      return 1;
    }
    if (this.#git === undefined) return 0;
    if (REFUSED.test(line)) return wholeFile(i, `${quote(line)}: ${WHOLE_FILE}`);
    return EXTENDED.test(line) ? 1 : 0;
  }

  /**
   * Accepts a repeated header only for the file that the first header named. After a hunk without any header, it
   * refuses.
   */
  #file(found: FileNames, line: string, i: number, hunks: number): PatchFailure | undefined {
    if (found.from === "/dev/null" || found.to === "/dev/null") return wholeFile(i, NOWHERE);
    const plain = plainNames(found);
    const [from, to] = [plain.from, plain.to];
    if (plain !== found && from !== to) return second(`${quote(found.from)} and ${quote(found.to)}`, i, true);
    const before = this.#names === undefined ? undefined : plainNames(this.#names);
    if (before === undefined ? hunks > 0 : before.from !== from || before.to !== to) return second(line, i);
    this.#names ??= found;
    return undefined;
  }

  #part(kind: string, name: string, line: string, i: number, hunks: number): PatchFailure | undefined {
    if (kind === "Begin Patch") {
      if (this.#envelope !== "none" || hunks > 0) return second(line, i);
      this.#envelope = "open";
    } else if (kind === "End Patch") {
      if (this.#envelope !== "open")
        return refusedAt("invalid_header", i, `${quote(line)} without "*** Begin Patch" before it.`);
      this.#envelope = "closed";
    } else if (kind === "Update File:") {
      this.#updates = true;
      return this.#file({ from: name, to: name }, line, i, hunks);
    } else if (kind !== "Move to:" && this.#names !== undefined) return second(line, i);
    else return wholeFile(i, `${quote(line)}: ${WHOLE_FILE}`);
    return undefined;
  }
}

const NOWHERE =
  "/dev/null means creating or deleting a file, which a patch cannot do here; name the file on both sides.";
const WHOLE_FILE = "a patch cannot create, delete, rename or copy a file.";

function wholeFile(at: number, text: string): PatchFailure {
  return { ...refusedAt("invalid_header", at, text), wholeFile: true };
}

function second(subject: string, at: number, both = false): PatchFailure {
  const text = both ? `${subject} are two files` : `${quote(subject)} names a second file`;
  return refusedAt("multiple_files", at, `${text}; send one patch for each file.`);
}

/** Returns the names without the prefixes `a/` and `b/`, if both names have them. */
function plainNames(names: FileNames): FileNames {
  const { from, to } = names;
  return from.startsWith("a/") && to.startsWith("b/") ? { from: from.slice(2), to: to.slice(2) } : names;
}
