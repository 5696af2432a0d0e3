import { execFileSync } from "node:child_process";

/** A run of characters that look alike. */
export interface Run {
  readonly text: string;
  readonly colour: string | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
}

/** The output of a command: its lines, as runs. */
export type Screen = readonly (readonly Run[])[];

const COLOURS: Readonly<Record<number, string>> = {
  31: "#ff7b72",
  32: "#56d364",
  33: "#e3b341",
  34: "#79c0ff",
  35: "#d2a8ff",
  36: "#39c5cf",
};

/** Runs a shell command as on a terminal with this number of columns, so that it prints its colours. */
export function runOnTerminal(command: string, cwd: string, columns: number): Screen {
  const sized = `stty cols ${columns}; ${command}`;
  const env = { ...process.env, TERM: "xterm-256color", FORCE_COLOR: "1" };
  const printed = execFileSync("script", ["-qec", sized, "/dev/null"], { cwd, env, encoding: "utf8" });
  return readScreen(printed);
}

/** Reads text with colour codes and drops other terminal codes. */
function readScreen(printed: string): Screen {
  let look: Omit<Run, "text"> = { colour: undefined, bold: false, dim: false };
  return printed
    .replaceAll("\r", "")
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const runs: Run[] = [];
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
      for (const [whole, codes] of line.matchAll(/\x1b\[([\d;]*)m|\x1b\[[^m]*[A-Za-z]|[^\x1b]+/g)) {
        if (codes !== undefined) look = codes.split(";").map(Number).reduce(after, look);
        else if (!whole.startsWith("\x1b")) runs.push({ text: whole, ...look });
      }
      return runs;
    });
}

function after(look: Omit<Run, "text">, code: number): Omit<Run, "text"> {
  if (code === 0) return { colour: undefined, bold: false, dim: false };
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code === 39) return { ...look, colour: undefined };
  return { ...look, colour: COLOURS[code] ?? look.colour };
}
