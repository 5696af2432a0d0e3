/** The text that a pattern of .gitignore is compared with: a file's name, or its path from the pattern's folder. */
type Subject = "name" | "path";

/** The names and paths that a pattern matches. Texts are strings of bytes, as `bytesOf` returns them. */
export type GitMatch =
  | { readonly is: "literal"; readonly of: Subject; readonly text: string }
  | { readonly is: "suffix"; readonly suffix: string }
  | { readonly is: "wild"; readonly of: Subject; readonly prefix: string; readonly glob: string };

/** One pattern of a file in the form of .gitignore. */
export interface GitPattern {
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  readonly match: GitMatch;
}

/** Returns a text's UTF-8 bytes as characters, because git matches bytes. */
export function bytesOf(text: string): string {
  for (let i = 0; i < text.length; i++)
    if (text.charCodeAt(i) > 0x7f) return Buffer.from(text).toString("latin1");
  return text;
}

/** Reads one line, without its line break; undefined for an empty line or a comment. */
export function readGitPattern(line: string): GitPattern | undefined {
  const end = line.indexOf("\0");
  const entry = withoutTrailingSpaces(end < 0 ? line : line.slice(0, end));
  if (entry === "" || entry.startsWith("#")) return undefined;
  const negated = entry.startsWith("!");
  const given = bytesOf(negated ? entry.slice(1) : entry);
  const foldersOnly = given.endsWith("/");
  return { negated, foldersOnly, match: matchOf(foldersOnly ? given.slice(0, -1) : given) };
}

/** Removes spaces at the end that no backslash escapes. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === " ") end--;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === "\\") backslashes++;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

function matchOf(pattern: string): GitMatch {
  const of = pattern.includes("/") ? "path" : "name";
  const text = pattern.startsWith("/") ? pattern.slice(1) : pattern;
  const special = text.search(/[*?[\\]/);
  if (special < 0) return { is: "literal", of, text };
  if (of === "name" && text[0] === "*" && !/[*?[\\]/.test(text.slice(1)))
    return { is: "suffix", suffix: text.slice(1) };
  // Git compares the part before the first special character as it is, and matches the rest as a glob of its own.
  return { is: "wild", of, prefix: text.slice(0, special), glob: text.slice(special) };
}
