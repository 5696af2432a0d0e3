/** A line of a unified diff, without its sign. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
  /** Its 1-based number in the old text and in the new one; undefined where it is not in that. */
  readonly old: number | undefined;
  readonly now: number | undefined;
  /** The last line of a text that has no line break at its end. */
  readonly unended: boolean;
}

export interface DiffHunk {
  /** From `@@` to `@@`. */
  readonly range: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  /** Undefined where the diff names none. */
  readonly path: string | undefined;
  readonly hunks: readonly DiffHunk[];
}

const HUNK = /^(@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@)/;
const KINDS = { " ": "same", "-": "removed", "+": "added" } as const;

/**
 * The files, hunks and lines of a unified diff as the daemon writes it. A hunk ends by the counts in its header,
 * so lines that look like headers are text there; what stands outside hunks and names no file is left out.
 */
export function parseDiff(diff: string): DiffFile[] {
  const lines = diff.split("\n");
  const files: { path: string | undefined; hunks: DiffHunk[] }[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      files.push({ path: pathOf(line, lines[++at]!), hunks: [] });
      continue;
    }
    const header = HUNK.exec(line);
    if (header === null) continue;
    if (files.length === 0) files.push({ path: undefined, hunks: [] });
    const { hunk, end } = readHunk(lines, at + 1, header);
    files.at(-1)!.hunks.push(hunk);
    at = end - 1;
  }
  return files;
}

/** How many lines a diff puts in and takes out. */
export function countDiff(files: readonly DiffFile[]): { readonly added: number; readonly removed: number } {
  const lines = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines));
  return {
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
  };
}

/** The hunk whose header stands ahead of line `from`, and the line after its last. */
function readHunk(
  source: readonly string[],
  from: number,
  [, range = "", oldStart, oldCount = "1", newStart, newCount = "1"]: RegExpExecArray,
): { readonly hunk: DiffHunk; readonly end: number } {
  const lines: DiffLine[] = [];
  // A side without lines is numbered by the line ahead of it.
  let old = Number(oldStart) + (oldCount === "0" ? 1 : 0);
  let now = Number(newStart) + (newCount === "0" ? 1 : 0);
  const oldEnd = old + Number(oldCount);
  const nowEnd = now + Number(newCount);
  let at = from;
  for (; at < source.length; at++) {
    const line = source[at]!;
    if (line.startsWith("\\")) {
      const last = lines.pop();
      if (last !== undefined) lines.push({ ...last, unended: true });
      continue;
    }
    if (old >= oldEnd && now >= nowEnd) break;
    // Some tools leave out the blank that an empty unchanged line begins with.
    const sign = line === "" ? " " : line.charAt(0);
    if (!isSign(sign)) break;
    const kind = KINDS[sign];
    lines.push({
      kind,
      text: line.slice(1),
      old: kind === "added" ? undefined : old++,
      now: kind === "removed" ? undefined : now++,
      unended: false,
    });
  }
  return { hunk: { range, lines }, end: at };
}

function isSign(sign: string): sign is keyof typeof KINDS {
  return sign in KINDS;
}

/** Of a file that is made or deleted, the side that is not `/dev/null`. */
function pathOf(from: string, to: string): string {
  const [before, after] = [from, to].map((line) => line.slice(4).split("\t")[0]!);
  return (after === "/dev/null" ? before! : after!).replace(/^[ab]\//, "");
}
