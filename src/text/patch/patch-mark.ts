import type { Text } from "../text.ts";
import type { Hunk, HunkLine } from "./hunk.ts";

const BOM = "\ufeff";

/**
 * Returns hunks without a byte order mark that the text lacks. Git shows a file's mark before its first line, and a
 * document's text has none (R9). The file keeps its mark.
 */
export function withoutForeignMark(hunks: readonly Hunk[], base: Text): readonly Hunk[] {
  if (!hunks.some((hunk) => isMarked(firstOld(hunk))) || base.toString().includes(BOM)) return hunks;
  return hunks.map((hunk) => (isMarked(firstOld(hunk)) ? withoutMark(hunk) : hunk));
}

/** Returns a hunk whose first line before and whose first line after have no mark. */
function withoutMark(hunk: Hunk): Hunk {
  const firsts = [firstOld(hunk), hunk.lines.find(({ kind }) => kind !== "delete")];
  const lines = hunk.lines.map((line) =>
    firsts.includes(line) && isMarked(line) ? { ...line, text: line.text.slice(BOM.length) } : line,
  );
  return { ...hunk, lines };
}

function firstOld({ lines }: Hunk): HunkLine | undefined {
  return lines.find(({ kind }) => kind !== "insert");
}

function isMarked(line: HunkLine | undefined): boolean {
  return line?.text.startsWith(BOM) ?? false;
}
