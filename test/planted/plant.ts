import type { Bug } from "./bugs.ts";

/** Returns the source with the bug in it, or throws and names the text that the source lacks. */
export function plant(source: string, { in: name, from, to }: Pick<Bug, "in" | "from" | "to">): string {
  const { start, end } = extentOf(source, name);
  const found = source.slice(start, end).split(from);
  if (found.length !== 2)
    throw new Error(`${name} has this text ${found.length - 1} times, not once: ${from}`);
  const at = start + found[0]!.length;
  if (to !== undefined) return source.slice(0, at) + to + source.slice(at + from.length);
  const lineEnd = source.indexOf("\n", at + from.length) + 1;
  return source.slice(0, source.lastIndexOf("\n", at) + 1) + source.slice(lineEnd);
}

/**
 * Returns the range of a name's declaration: a function or constant of the module. Without one it is the one member of
 * that name in its classes. The formatter indents each of them, so no parser is needed.
 */
function extentOf(source: string, name: string): { readonly start: number; readonly end: number } {
  const lines = source.split("\n");
  const first = declarationOf(lines, name);
  const indent = /^ */.exec(lines[first]!)![0].length;
  const within = new RegExp(`^( {${indent + 1}}| {${indent}}[)}\\]]|$)`);
  let last = first + 1;
  while (last < lines.length && within.test(lines[last]!)) last++;
  const lengthOf = (count: number) => lines.slice(0, count).reduce((sum, line) => sum + line.length + 1, 0);
  return { start: lengthOf(first), end: lengthOf(last) };
}

function declarationOf(lines: readonly string[], name: string): number {
  const quoted = name.replace(/[$]/g, "\\$&");
  const declared = new RegExp(`^(export )?(async )?(function\\*? |const )${quoted}(?![\\w$])`);
  const module = lines.findIndex((line) => declared.test(line));
  if (module >= 0) return module;
  const member = new RegExp(`^  ((private|static|async|get|set|readonly) |\\*)*${quoted}[(<]`);
  const members: number[] = [];
  let inClass = false;
  for (const [i, line] of lines.entries()) {
    if (/^\w/.test(line)) inClass = /^(export )?(abstract )?class /.test(line);
    if (inClass && member.test(line)) members.push(i);
  }
  if (members.length !== 1) throw new Error(`${name} is declared ${members.length} times`);
  return members[0]!;
}
