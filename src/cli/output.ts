import { styleText } from "node:util";
import { visible } from "../text/visible.ts";

/** Exit codes, the same for every command. */
export const EXIT = { done: 0, refused: 1, usage: 2, noDaemon: 3 } as const;

/** A command that could not be carried out, and what the person can do about it. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly hint: string | undefined;
  /** What the daemon refused, for programs. */
  readonly refusal: object | undefined;

  constructor(exitCode: number, message: string, hint?: string, refusal?: object) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
    this.refusal = refusal;
  }
}

type Style = Parameters<typeof styleText>[0];

/** Colours when a person reads, none when a program does. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  // Decided here: for styleText all goes to the standard output.
  return stream.isTTY && !process.env["NO_COLOR"] ? styleText(style, text, { validateStream: false }) : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what `paint` puts in begins with one
const PAINTED = /(\x1b\[(?:1|2|22|3[1-6]|39)m)/;

/** Prints a line. On a terminal what others named or wrote has no control characters but our colours. */
export function print(line: string, stream: NodeJS.WriteStream = process.stdout): void {
  const shown = stream.isTTY
    ? line
        .split(PAINTED)
        .map((part, i) => (i % 2 === 1 ? part : visible(part)))
        .join("")
    : line;
  stream.write(shown.endsWith("\n") ? shown : `${shown}\n`);
}

/** Prints what is not the answer: beside it, for whoever looks on. */
export function remark(line: string): void {
  print(line, process.stderr);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A unified diff with its lines coloured. */
export function paintDiff(diff: string): string {
  return diff
    .split("\n")
    .map((line) => {
      if (line.startsWith("@@")) return paint("cyan", line);
      if (line.startsWith("+++") || line.startsWith("---")) return paint("bold", line);
      if (line.startsWith("+")) return paint("green", line);
      if (line.startsWith("-")) return paint("red", line);
      return line;
    })
    .join("\n");
}
