import { headerText, namedText } from "./header-line.ts";

/** The two file names of a diff, as its header gives them, without time stamps. */
export interface FileNames {
  readonly from: string;
  readonly to: string;
}

/** Reads `--- from` and `+++ to` at `lines[i]` and the line after it. */
export function fileNames(lines: readonly string[], i: number): FileNames | undefined {
  if (!headerText(lines[i] ?? "").startsWith("--- ")) return undefined;
  if (!headerText(lines[i + 1] ?? "").startsWith("+++ ")) return undefined;
  return { from: nameOf(lines[i]!), to: nameOf(lines[i + 1]!) };
}

function nameOf(line: string): string {
  const text = namedText(line);
  const name = text
    .slice(text.indexOf(" ") + 1)
    .split("\t")[0]!
    .trimEnd();
  return /^".*"$/.test(name) ? unquote(name.slice(1, -1)) : name;
}

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
};

/** Undoes git's quoting of unusual names. Octal escapes are bytes of UTF-8. */
function unquote(name: string): string {
  const bytes: Uint8Array[] = [];
  for (const [part, octal, letter] of name.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Uint8Array.of(Number.parseInt(octal, 8)));
    else if (letter !== undefined && ESCAPES[letter] !== undefined)
      bytes.push(Uint8Array.of(ESCAPES[letter]));
    else bytes.push(new TextEncoder().encode(letter ?? part));
  }
  const all = new Uint8Array(bytes.reduce((sum, b) => sum + b.length, 0));
  let at = 0;
  for (const b of bytes) {
    all.set(b, at);
    at += b.length;
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(all);
}
