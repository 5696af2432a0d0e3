import { diff } from "../../text/diff/diff.ts";
import { lineBody } from "../../text/lines.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { type Base, type Planner, workerPlanner } from "./plan.ts";

/** One change of whole lines. Line numbers are 1-based and inclusive, in the text before any change. */
export type LineChange =
  | {
      readonly operation: "insert";
      readonly afterLine: number;
      readonly newLines: readonly string[];
    }
  | {
      readonly operation: "replace";
      readonly startLine: number;
      readonly endLine: number;
      readonly expectedOriginalLines: readonly string[];
      readonly newLines: readonly string[];
    }
  | {
      readonly operation: "delete";
      readonly startLine: number;
      readonly endLine: number;
      readonly expectedOriginalLines: readonly string[];
    };

/** Plans `edit.lines`: changes in the order of their lines, without overlap. It refuses any other order. */
export function planLines(changes: readonly LineChange[]): Planner {
  const cost = () => changes.reduce((sum, change) => sum + costOf(change), 0);
  return workerPlanner({ planner: "lines", args: [changes], cost }, (base) => {
    const count = base.text.lines;
    const splices: Splice[] = [];
    // A line has twice its number, the gap after it one more; an insert goes into a gap.
    let end = 0;
    for (const [i, change] of changes.entries()) {
      const problem = formProblem(change);
      if (problem !== undefined)
        return new Refusal("INVALID_ARGUMENT", `change ${i}: ${problem.message}`, {
          suggestion: problem.suggestion,
          details: { change: i, lines: count },
        });
      const misplaced = positionProblem(change, count);
      if (misplaced !== undefined)
        return new Refusal("INVALID_POSITION", `change ${i}: ${misplaced}`, {
          suggestion: `Lines are from 1 to ${count} in the text before any change. Read the document again and send new numbers.`,
          details: { change: i, lines: count },
        });
      const start = change.operation === "insert" ? 2 * change.afterLine + 1 : 2 * change.startLine;
      if (start < end)
        return new Refusal("INVALID_ARGUMENT", `change ${i} overlaps or precedes the change before it`, {
          suggestion:
            "Sort the changes by their line numbers in the text before any change, and let none overlap.",
          details: { change: i },
        });
      end = change.operation === "insert" ? start : 2 * change.endLine + 1;
      const planned =
        change.operation === "insert" ? insertion(base, change, count) : replacement(base, change, i, count);
      if (planned instanceof Refusal) return planned;
      splices.push(...planned);
    }
    return { splices };
  });
}

/** The cost of finding and comparing a change's lines, as a multiple of the cost of reading its text. */
const COMPARE_COST = 4;

function costOf(change: LineChange): number {
  const lines = [
    ...("newLines" in change ? change.newLines : []),
    ...("expectedOriginalLines" in change ? change.expectedOriginalLines : []),
  ];
  return COMPARE_COST * lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function positionProblem(change: LineChange, count: number): string | undefined {
  if (change.operation === "insert")
    return change.afterLine > count
      ? `afterLine ${change.afterLine} is past the last line (${count})`
      : undefined;
  const { startLine, endLine } = change;
  if (endLine > count) return `lines ${startLine}-${endLine} extend past the last line (${count})`;
  return undefined;
}

/** The fault of a change, and the words for what to send instead. */
interface FormProblem {
  readonly message: string;
  readonly suggestion: string;
}

function formProblem(change: LineChange): FormProblem | undefined {
  if (change.operation === "insert") return lineBreakProblem(change);
  const { startLine, endLine, expectedOriginalLines } = change;
  if (startLine > endLine)
    return {
      message: `startLine ${startLine} is after endLine ${endLine}`,
      suggestion: "Send the smaller number first. endLine is the last line of the range.",
    };
  const size = endLine - startLine + 1;
  if (expectedOriginalLines.length !== size)
    return {
      message: `expectedOriginalLines has ${countOf(expectedOriginalLines.length)}, the range has ${size}`,
      suggestion: `Send the ${countOf(size)} of the range in expectedOriginalLines, as the document has them.`,
    };
  return lineBreakProblem(change);
}

function lineBreakProblem(change: LineChange): FormProblem | undefined {
  if (change.operation === "delete" || !change.newLines.some((line) => line.includes("\n"))) return undefined;
  return {
    message: "an entry of newLines contains a line break; send one line per entry",
    suggestion: "Split the text at its line breaks, and leave them out.",
  };
}

function countOf(lines: number): string {
  return `${lines} line${lines === 1 ? "" : "s"}`;
}

function insertion(base: Base, change: LineChange & { operation: "insert" }, count: number): Splice[] {
  const { text } = base;
  const eol = lineEnding(base, change.afterLine);
  const openEnd = change.afterLine === count && text.chars > 0 && !text.endsWithBreak;
  const block = withoutReturns(change.newLines, eol, openEnd).join(eol);
  const at = change.afterLine === count ? text.chars : text.lineStart(change.afterLine + 1);
  return [{ from: at, to: at, insert: openEnd ? eol + block : block + eol }];
}

function replacement(
  base: Base,
  change: Exclude<LineChange, { operation: "insert" }>,
  index: number,
  count: number,
): Outcome<Splice[]> {
  const { text } = base;
  const { startLine, endLine, expectedOriginalLines } = change;
  const whole: string[] = [];
  for (let line = startLine; line <= endLine; line++) whole.push(text.lineSlice(line, line));
  const actual = whole.map(lineBody);
  const isReturned = (line: string, i: number) =>
    `${expectedOriginalLines[i]}\n` === line && line.endsWith("\r\n");
  const wrong = actual.findIndex((line, i) => line !== expectedOriginalLines[i] && !isReturned(whole[i]!, i));
  if (wrong >= 0)
    return new Refusal(
      "NO_MATCH",
      `line ${startLine + wrong} is ${JSON.stringify(actual[wrong])}, not ${JSON.stringify(expectedOriginalLines[wrong])}`,
      {
        suggestion: "Read the document again and copy its lines exactly, or send the version that you read.",
        details: {
          change: index,
          line: startLine + wrong,
          expected: expectedOriginalLines,
          actual,
        },
      },
    );
  const from = text.lineStart(startLine);
  if (change.operation === "replace") {
    const to = bodyEnd(text, endLine);
    const eol = lineEnding(base, startLine);
    const isOpen = endLine === count && !text.endsWithBreak;
    const areReturned = whole.every((line, i) => isReturned(line, i) || (isOpen && i === whole.length - 1));
    const lines = areReturned ? withoutReturns(change.newLines, eol, isOpen) : change.newLines;
    const insert = lines.join(eol);
    return diff(text.slice(from, to), insert).map((s) => ({
      ...s,
      from: s.from + from,
      to: s.to + from,
    }));
  }
  const last = endLine === count && !text.endsWithBreak;
  // If the text has no final newline, the break before the range goes, so that the text still has none.
  if (last && startLine > 1) return [{ from: bodyEnd(text, startLine - 1), to: text.chars, insert: "" }];
  return [{ from, to: last ? text.chars : text.lineStart(endLine + 1), insert: "" }];
}

/**
 * Returns new lines without the carriage returns of a program that splits a text with CRLF at `\n`: each line that gets a
 * line break then ends with one. If only some do, they are text. At an open end the last line gets no line break.
 */
function withoutReturns(lines: readonly string[], eol: string, isOpen: boolean): readonly string[] {
  const ended = isOpen ? lines.slice(0, -1) : lines;
  const areReturned = eol === "\r\n" && ended.length > 0 && ended.every((line) => line.endsWith("\r"));
  return areReturned ? [...ended.map((line) => line.slice(0, -1)), ...lines.slice(ended.length)] : lines;
}

/** Returns the position of the end of a line, before its line break. */
function bodyEnd(text: Text, line: number): number {
  const whole = text.lineSlice(line, line);
  const end = text.lineStart(line) + Array.from(whole).length;
  return end - (whole.length - lineBody(whole).length);
}

/** Returns the line break of a line; if the line has none, the line break of a line next to it. */
function lineEnding({ text, eol }: Base, line: number): string {
  if (eol !== "mixed") return eol === "crlf" ? "\r\n" : "\n";
  for (const near of [line, line - 1, line + 1]) {
    if (near < 1 || near > text.breaks) continue;
    return text.lineSlice(near, near).endsWith("\r\n") ? "\r\n" : "\n";
  }
  return "\n";
}
