import { headerText } from "./header-line.ts";
import { type Hunk, type HunkLine, readBare, readHunk } from "./hunk.ts";
import { isSignature } from "./hunk-body.ts";
import { isPatchFailure, type Match, type PatchFailure, quote, refusedAt } from "./patch-failure.ts";
import { PatchHeaders } from "./patch-headers.ts";
import { patchLines } from "./patch-noise.ts";

export type { Hunk } from "./hunk.ts";

export {
  isPatchFailure,
  type Match,
  type PatchFailure,
} from "./patch-failure.ts";

/** A unified diff of one file. */
export interface Patch {
  readonly hunks: readonly Hunk[];
  /** The file names of the headers, `a/` and `b/` included. */
  readonly from?: string;
  readonly to?: string;
  /** Set when all lines of the hunks, but not the headers, ended in `\r\n`: the ending then belongs to the content. */
  readonly eol?: "\r\n";
}

/**
 * Reads a unified diff for one file, as models write it. It removes text around the patch. It repairs counts and
 * headers that have exactly one repair and refuses those that have two. All lines after the first hunk must belong to
 * the diff. The lines of a hunk stay as they are, apart from one trailing `\r` when every line has it; lines end at
 * `\n`. In a tolerant reading, the last hunk may be shorter than its header announces.
 */
export function parsePatch(source: string, match: Match = "strict"): Patch | PatchFailure {
  const read = patchLines(source);
  if (isPatchFailure(read)) return read;
  const { lines, closed } = read;
  const headers = new PatchHeaders();
  const hunks: Hunk[] = [];
  let wrapped = false; // headers end in \r\n, too, so CRLF came from the transport and not from the content
  for (let i = 0; i < lines.length; ) {
    const line = headerText(lines[i]!);
    if (line.trim() === "") {
      i++;
      continue;
    }
    const headed = line.startsWith("@@");
    if (headers.envelope !== "closed" && (headed || headers.startsBody(lines, i))) {
      const reading = { number: hunks.length + 1, match, closed };
      const read = headed ? readHunk(lines, i, reading) : readBare(lines, i, reading);
      if (isPatchFailure(read)) return read;
      hunks.push(read.hunk);
      wrapped ||= lines[i]!.endsWith("\r");
      i = read.end;
      continue;
    }
    if (hunks.length > 0 && isSignature(lines, i)) break;
    const headerLines = headers.read(lines, i, hunks.length);
    if (typeof headerLines !== "number") return headerLines;
    if (headerLines === 0) {
      const begun = hunks.length > 0 || headers.begun;
      const problem = begun ? STRAY : /^\W*@@ ?-/.test(line) ? INDENTED : undefined;
      if (problem !== undefined) return refusedAt("invalid_header", i, `${quote(line)} ${problem}`);
    }
    i += Math.max(1, headerLines);
  }
  if (headers.envelope === "open")
    return refusedAt("unexpected_eof", lines.length - 1, 'the patch has no "*** End Patch" at its end.');
  if (hunks.length === 0)
    return {
      reason: "empty_diff",
      message: 'The patch has no hunk: there is no line like "@@ -10,3 +10,4 @@".',
    };
  return { ...withoutReturns(hunks, wrapped), ...headers.names };
}

const STRAY = 'is not part of a hunk, which begins with a line like "@@ -10,3 +10,4 @@"; leave it out.';
/** A quoted header would silently drop its hunk. */
const INDENTED = 'must start with "@@".';

/**
 * Removes one `\r` from each line when all lines have one. A line without newline at the end of the file does not
 * count and stays unchanged, unless the whole patch came in CRLF.
 */
function withoutReturns(hunks: readonly Hunk[], wrapped: boolean): Patch {
  const ended = hunks.flatMap((hunk) => hunk.lines.filter((line) => !line.noNewline));
  if ((ended.length === 0 && !wrapped) || !ended.every(hasReturn)) return { hunks };
  const strip = (line: HunkLine) =>
    hasReturn(line) && (wrapped || !line.noNewline) ? { ...line, text: line.text.slice(0, -1) } : line;
  const stripped = hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(strip) }));
  return wrapped ? { hunks: stripped } : { hunks: stripped, eol: "\r\n" };
}

function hasReturn(line: HunkLine): boolean {
  return line.text.endsWith("\r");
}
