/** A line of a unified diff, without its sign. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
  /** The 1-based line number in the old text; undefined for an added line. */
  readonly old: number | undefined;
  /** The 1-based line number in the new text; undefined for a removed line. */
  readonly now: number | undefined;
  /** Whether the line is the last one of a text without a line break at its end. */
  readonly unended: boolean;
}

export interface DiffHunk {
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  /** Undefined if the diff names no file. */
  readonly path: string | undefined;
  readonly hunks: readonly DiffHunk[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const KINDS = { " ": "same", "-": "removed", "+": "added" } as const;

/**
 * Returns the files, hunks and lines of a unified diff of the daemon. The counts in its header end a hunk, so a line
 * of it may look like a header. Lines outside of hunks that name no file are ignored.
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

/** Returns the numbers of added and removed lines of a diff. */
export function countDiff(files: readonly DiffFile[]): { readonly added: number; readonly removed: number } {
  const lines = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines));
  return {
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
  };
}

/** Returns the lines of the new text that a hunk shows, as `Lines 3–9`; of a removed text the old lines. */
export function rangeText({ lines }: DiffHunk): string {
  const now = lines.flatMap((line) => line.now ?? []);
  const shown = now.length > 0 ? now : lines.flatMap(({ old }) => old ?? []);
  const [from, to] = [shown[0], shown.at(-1)];
  return from === to ? `Line ${from}` : `Lines ${from}–${to}`;
}

/** Returns whether a hunk has changes with unchanged lines between them. */
export function hasSeveralChanges({ lines }: DiffHunk): boolean {
  const begins = lines.filter(({ kind }, i) => kind !== "same" && (i === 0 || lines[i - 1]!.kind === "same"));
  return begins.length > 1;
}

/** Reads the hunk whose lines begin at `from`, and returns it with the index after its last line. */
function readHunk(
  source: readonly string[],
  from: number,
  [, oldStart, oldCount = "1", newStart, newCount = "1"]: RegExpExecArray,
): { readonly hunk: DiffHunk; readonly end: number } {
  const lines: DiffLine[] = [];
  // For a side without lines, the header has the number of the line before.
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
    // Some tools write an empty unchanged line without its leading blank.
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
  return { hunk: { lines }, end: at };
}

function isSign(sign: string): sign is keyof typeof KINDS {
  return sign in KINDS;
}

/** Returns the path of a file; for a created or deleted file, the side that is not `/dev/null`. */
function pathOf(from: string, to: string): string {
  const [before, after] = [from, to].map((line) => line.slice(4).split("\t")[0]!);
  return (after === "/dev/null" ? before! : after!).replace(/^[ab]\//, "");
}
