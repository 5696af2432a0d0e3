import { type FileNames, fileNames } from "./file-header.ts";
import { headerText, namedText } from "./header-line.ts";
import { lineKindOf, startsFile } from "./hunk-body.ts";
import { type PatchFailure, quote, refusedAt } from "./patch-failure.ts";

/** Lines of git's extended header that say nothing about the text. */
const EXTENDED = /^(index |old mode |new mode |similarity index |dissimilarity index )/;
/** Lines of git's extended header that say what a patch of one file's text cannot do. */
const REFUSED = /^(new file mode |deleted file mode |rename from |rename to |copy from |copy to )/;
/** The lines of the form that `apply_patch` takes. */
const ENVELOPE = /^\*\*\* (Begin Patch|End Patch|Update File:|Add File:|Delete File:|Move to:)(.*)$/;

/** The lines of a patch outside of its hunks: which file it is for, and whether it is whole. */
export class PatchHeaders {
  #names: FileNames | undefined;
  #git: string | undefined;
  #envelope: "none" | "open" | "closed" = "none";
  #updates = false;

  get names(): FileNames | undefined {
    return this.#names;
  }

  get envelope(): "none" | "open" | "closed" {
    return this.#envelope;
  }

  /** True once a file is named: nothing but headers and hunks may follow. */
  get begun(): boolean {
    return this.#names !== undefined || this.#envelope !== "none";
  }

  /** True just behind `*** Update File`, where lines may follow that have no header of their own. */
  startsBody(lines: readonly string[], i: number): boolean {
    return this.#updates && lineKindOf(lines[i]!) !== undefined && !startsFile(lines, i);
  }

  /** How many lines at `i` are headers; `hunks` is how many hunks were ahead of them. */
  take(lines: readonly string[], i: number, hunks: number): number | PatchFailure {
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
    if (REFUSED.test(line)) return refusedAt("invalid_header", i, `${quote(line)}: ${WHOLE_FILE}`);
    return EXTENDED.test(line) ? 1 : 0;
  }

  /** Headers may be repeated, but only for the file that the first ones named, and not behind a hunk without any. */
  #file(found: FileNames, line: string, i: number, hunks: number): PatchFailure | undefined {
    if (found.from === "/dev/null" || found.to === "/dev/null")
      return refusedAt("invalid_header", i, NOWHERE);
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
        return refusedAt("invalid_header", i, `${quote(line)} without "*** Begin Patch" ahead of it.`);
      this.#envelope = "closed";
    } else if (kind === "Update File:") {
      this.#updates = true;
      return this.#file({ from: name, to: name }, line, i, hunks);
    } else if (kind !== "Move to:" && this.#names !== undefined) return second(line, i);
    else return refusedAt("invalid_header", i, `${quote(line)}: ${WHOLE_FILE}`);
    return undefined;
  }
}

const NOWHERE =
  "/dev/null means creating or deleting a file, which a patch cannot do here; name the file on both sides.";
const WHOLE_FILE = "creating, deleting, renaming or copying a file is not done by a patch.";

function second(what: string, at: number, both = false): PatchFailure {
  const text = both ? `${what} are two files` : `${quote(what)} names a second file`;
  return refusedAt("multiple_files", at, `${text}; send one patch for each file.`);
}

/** Without the `a/` and `b/` that tell the sides apart, where both are there. */
function plainNames(names: FileNames): FileNames {
  const { from, to } = names;
  return from.startsWith("a/") && to.startsWith("b/") ? { from: from.slice(2), to: to.slice(2) } : names;
}
