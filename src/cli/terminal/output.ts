import { randomUUID } from "node:crypto";
import { styleText } from "node:util";
import { oneLine, visible, visibleJson, visibleLine } from "../../text/visible.ts";
import { typed } from "./typed.ts";

/** The exit codes of every command. */
export const EXIT = { done: 0, refused: 1, usage: 2, noDaemon: 3 } as const;

/** The error of a command, with a hint for the person. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly hint: string | undefined;
  /** The daemon's refusal, for programs. */
  readonly refusal: object | undefined;
  /** The command's answer for programs about its work before the error. */
  readonly done: object;

  constructor(exitCode: number, message: string, hint?: string, refusal?: object, done: object = {}) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
    this.refusal = refusal;
    this.done = done;
  }
}

/** An error about a request whose answer is printed already, so that with --json nothing follows the answer. */
export class AnsweredError extends CommandError {}

type Style = Parameters<typeof styleText>[0];

/** Marks our own colours until they are printed. No document contains the mark, so colours in a document stay text. */
const MARK = randomUUID();
const PAINTED = new RegExp(`${MARK}((?:\x1b\\[\\d+m)+)${MARK}`);

/** Returns text in colour for a terminal, and plain text for a program. Only `print` and `printText` print it. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  // styleText cannot decide, because it checks the standard output only.
  if (!stream.isTTY || process.env["NO_COLOR"]) return text;
  const [begins, ends] = styleText(style, MARK, { validateStream: false }).split(MARK);
  return `${MARK}${begins}${MARK}${text}${MARK}${ends}${MARK}`;
}

/**
 * Prints a line. Line breaks and control characters of names and messages are made visible, also for a program: a person
 * may read its output on a terminal.
 */
export function print(line: string, stream: NodeJS.WriteStream = process.stdout): void {
  write(line, stream.isTTY ? visibleLine : oneLine, stream);
}

/** Prints any number of lines. On a terminal, control characters are made visible. */
export function printText(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  write(text, stream.isTTY ? visible : exact, stream);
}

/** Prints a document. A program gets the exact text, without an added line break. */
export function printDocument(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(stream.isTTY ? visible(text) : text);
}

/** Prints a text of ours to standard error, for the person; standard output has only the command's answer. */
export function remark(text: string): void {
  printText(typed(text), process.stderr);
}

interface JsonOptions {
  readonly indent?: number;
  readonly stream?: NodeJS.WriteStream;
}

/** Prints a value as JSON. On a terminal, control characters are escaped. */
export function printJson(value: unknown, { indent = 2, stream = process.stdout }: JsonOptions = {}): void {
  const json = JSON.stringify(value, null, indent);
  stream.write(`${stream.isTTY ? visibleJson(json) : json}\n`);
}

function exact(text: string): string {
  return text;
}

function write(text: string, show: (text: string) => string, stream: NodeJS.WriteStream): void {
  const printed = text
    .split(PAINTED)
    .map((part, i) => (i % 2 === 1 ? part : show(part)))
    .join("");
  stream.write(printed.endsWith("\n") ? printed : `${printed}\n`);
}

/** Colours the lines of a unified diff. */
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

/** Returns the name of an author, with the machine where it was done if that is another one. */
export function whoOf({
  author,
  machine,
}: {
  readonly author: string;
  readonly machine?: string | undefined;
}): string {
  return machine === undefined ? author : `${author} on ${machine}`;
}
