import { randomUUID } from "node:crypto";
import { styleText } from "node:util";
import { visible, visibleJson, visibleLine } from "../text/visible.ts";

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

/** Stands around each of our own colours until it is printed. Nobody else knows it, so others' colours are text. */
const MARK = randomUUID();
const PAINTED = new RegExp(`${MARK}((?:\x1b\\[\\d+m)+)${MARK}`);

/** Colours when a person reads, none when a program does. What it answers is for `print` and the like only. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  // Decided here: for styleText all goes to the standard output.
  if (!stream.isTTY || process.env["NO_COLOR"]) return text;
  const [begins, ends] = styleText(style, MARK, { validateStream: false }).split(MARK);
  return `${MARK}${begins}${MARK}${text}${MARK}${ends}${MARK}`;
}

/** Prints a line. On a terminal what others named or wrote is one line at most, and does nothing but show. */
export function print(line: string, stream: NodeJS.WriteStream = process.stdout): void {
  write(line, visibleLine, stream);
}

/** Prints any number of lines, otherwise as `print` does. */
export function printText(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  write(text, visible, stream);
}

/** Prints a document: to a program exactly what it holds, without a line break more. */
export function printDocument(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(stream.isTTY ? visible(text) : text);
}

/** Prints what is not the answer: beside it, for whoever looks on. */
export function remark(text: string): void {
  printText(text, process.stderr);
}

interface JsonOptions {
  readonly indent?: number;
  readonly stream?: NodeJS.WriteStream;
}

export function printJson(value: unknown, { indent = 2, stream = process.stdout }: JsonOptions = {}): void {
  const json = JSON.stringify(value, null, indent);
  stream.write(`${stream.isTTY ? visibleJson(json) : json}\n`);
}

function write(text: string, show: (text: string) => string, stream: NodeJS.WriteStream): void {
  const shown = stream.isTTY
    ? text
        .split(PAINTED)
        .map((part, i) => (i % 2 === 1 ? part : show(part)))
        .join("")
    : text;
  stream.write(shown.endsWith("\n") ? shown : `${shown}\n`);
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
