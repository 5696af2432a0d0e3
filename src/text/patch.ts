import { type FileNames, fileNames } from "./file-header.ts";
import { type Hunk, type HunkLine, isSignature, readHunk } from "./hunk.ts";
import { isPatchFailure, type PatchFailure, type PatchReason, quote } from "./patch-failure.ts";

export type { Hunk, HunkLine } from "./hunk.ts";
export {
  isPatchFailure,
  type PatchFailure,
  type PatchReason,
} from "./patch-failure.ts";

/** A unified diff of one file. */
export interface Patch {
  readonly hunks: readonly Hunk[];
  /** File names as the headers give them, `a/` and `b/` included. */
  readonly from?: string;
  readonly to?: string;
  /** Set when all lines of the hunks, but not the headers, ended in this: it was the content's own. */
  readonly eol?: "\r\n";
}

/** Lines of git's extended header that say nothing about the text. */
const EXTENDED = /^(index |old mode |new mode |similarity index |dissimilarity index )/;
/** Lines of git's extended header that say what a patch of one file's text cannot do. */
const REFUSED = /^(new file mode |deleted file mode |rename from |rename to |copy from |copy to )/;

/**
 * Reads a unified diff for one file, strictly: counts must agree with bodies, and what comes after the first
 * hunk must be part of the diff. Text ahead of it is skipped. Nothing inside a hunk is ever cleaned; lines end
 * at `\n`, and one trailing `\r` is taken off only when every line has it.
 */
export function parsePatch(source: string): Patch | PatchFailure {
  const lines = source.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const hunks: Hunk[] = [];
  let names: FileNames | undefined;
  let git: string | undefined;
  let wrapped = false; // headers end in \r\n too: that is how the patch came, not what it holds
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!.replace(/\r$/, "");
    const found = fileNames(lines, i);
    if (line.startsWith("@@")) {
      const read = readHunk(lines, i, hunks.length + 1);
      if (isPatchFailure(read)) return read;
      hunks.push(read.hunk);
      wrapped ||= lines[i]!.endsWith("\r");
      i = read.end;
    } else if (found !== undefined) {
      if (isNowhere(found)) return refuse("invalid_header", i, NOWHERE);
      if (isOther(found, names, hunks)) return refuse("multiple_files", i, `${quote(line)} ${SECOND}`);
      names = found;
      i += 2;
    } else if (line.startsWith("diff --git ")) {
      if (git !== undefined ? git !== line : hunks.length > 0)
        return refuse("multiple_files", i, `${quote(line)} ${SECOND}`);
      git = line;
      i++;
    } else if (git !== undefined && REFUSED.test(line)) {
      return refuse("invalid_header", i, `${quote(line)}: ${WHOLE_FILE}`);
    } else if (hunks.length === 0) {
      // An indented or quoted header would drop its hunk unseen.
      if (/^\W*@@ ?-/.test(line)) return refuse("invalid_header", i, `${quote(line)} must start with "@@".`);
      i++;
    } else if (isSignature(lines, i)) break;
    else if (line.trim() === "" || (git !== undefined && EXTENDED.test(line))) i++;
    else return refuse("invalid_header", i, `${quote(line)} is not part of a hunk; leave it out.`);
  }
  if (hunks.length === 0)
    return {
      reason: "empty_diff",
      message: 'The patch has no hunk: there is no line like "@@ -10,3 +10,4 @@".',
    };
  return { ...withoutReturns(hunks, wrapped), ...names };
}

const NOWHERE =
  "/dev/null means creating or deleting a file, which a patch cannot do here; name the file on both sides.";
const SECOND = "names a second file; send one patch for each file.";
const WHOLE_FILE = "creating, deleting, renaming or copying a file is not done by a patch.";

function refuse(reason: PatchReason, at: number, text: string): PatchFailure {
  return {
    reason,
    line: at + 1,
    message: `Line ${at + 1} of the patch: ${text}`,
  };
}

function isNowhere({ from, to }: FileNames): boolean {
  return from === "/dev/null" || to === "/dev/null";
}

/** Headers may be repeated, but only for the file that the first ones named, and not behind a hunk without any. */
function isOther(found: FileNames, names: FileNames | undefined, hunks: readonly Hunk[]): boolean {
  if (names === undefined) return hunks.length > 0;
  return names.from !== found.from || names.to !== found.to;
}

/**
 * Takes one `\r` off each line when all have one. A line without newline at the end of the file does not count
 * and keeps its own, unless the whole patch came wrapped in CRLF.
 */
function withoutReturns(hunks: readonly Hunk[], wrapped: boolean): Patch {
  const ended = hunks.flatMap((hunk) => hunk.lines.filter((line) => !line.noNewline));
  if (ended.length === 0 || !ended.every(hasReturn)) return { hunks };
  const strip = (line: HunkLine) =>
    hasReturn(line) && (wrapped || !line.noNewline) ? { ...line, text: line.text.slice(0, -1) } : line;
  const stripped = hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(strip) }));
  return wrapped ? { hunks: stripped } : { hunks: stripped, eol: "\r\n" };
}

function hasReturn(line: HunkLine): boolean {
  return line.text.endsWith("\r");
}
