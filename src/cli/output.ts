import { styleText } from "node:util";

/** Exit codes, the same for every command. */
export const EXIT = { done: 0, refused: 1, usage: 2, noDaemon: 3 } as const;

/** A command that could not be carried out, and what the person can do about it. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly hint: string | undefined;

  constructor(exitCode: number, message: string, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

type Style = Parameters<typeof styleText>[0];

/** Colours when a person reads, none when a program does. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY && process.env["NO_COLOR"] === undefined ? styleText(style, text) : text;
}

export function print(line: string): void {
  process.stdout.write(line.endsWith("\n") ? line : `${line}\n`);
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
