import { Automaton } from "./automaton.ts";
import { readGlob } from "./glob-syntax.ts";

/** Texts that folding leaves as they are: ASCII without capital letters. */
const UNCHANGED = /^[\0-@[-\x7f]*$/;

/** The longest glob, in UTF-16 units. */
export const MAX_GLOB = 1000;

const GRAMMAR =
  "A glob is a path with * (any characters within a folder), ** (any folders), ?, [abc], [!a-z] and {a,b}; " +
  "put any other special character in brackets, as in [+]";

/** Returns why a glob is refused, with the syntax of globs; undefined when it is sound. */
export function globProblem(glob: string): string | undefined {
  if (glob.length > MAX_GLOB) return `longer than ${MAX_GLOB} characters`;
  const { problem } = readGlob(glob);
  return problem && `${problem}, which globs do not support. ${GRAMMAR}`;
}

/** Returns why nobody asks for documents by a glob: a fault of `globProblem`, or a form that matches no document. */
export function queryGlobProblem(glob: string): string | undefined {
  const unmatched = unmatchedForm(glob);
  return globProblem(glob) ?? (unmatched && `${unmatched}. ${GRAMMAR}`);
}

function unmatchedForm(glob: string): string | undefined {
  if (glob.startsWith("/"))
    return "it begins with / and matches no document, because paths are relative to the workspace folder";
  if (glob.endsWith("/"))
    return `it ends with / and matches no document; for those in a folder, write ${glob}**`;
  const parts = (glob.startsWith("./") ? glob.slice(2) : glob).split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    return "no document has an empty part, . or .. in its path";
  return readGlob(glob).isUnclosed ? "a [ is never closed; write \\[ for the character itself" : undefined;
}

/**
 * Returns a test of paths for a glob; without a glob, the test accepts every path. A test takes time in proportion to
 * the glob times the path. A path that equals the glob's text always matches.
 */
export function matcher(pattern: string | undefined): (path: string) => boolean {
  if (pattern === undefined || pattern === "**") return () => true;
  const automaton = new Automaton(readGlob(pattern).parts);
  return (path) => path === pattern || automaton.matches(path);
}

/**
 * Returns one spelling for all names that a file system may treat as equal: it drops differences of case and Unicode
 * form.
 */
export function folded(path: string): string {
  if (UNCHANGED.test(path)) return path;
  return path.toUpperCase().toLowerCase().normalize("NFC");
}

/** Texts without invisible characters that a file system may ignore. */
const ASCII = /^[\0-\x7f]*$/;

/** Returns one spelling for all names that a file system may treat as equal; some ignore invisible characters. */
export function spelledOnce(path: string): string {
  return folded(ASCII.test(path) ? path : path.replace(/\p{Default_Ignorable_Code_Point}/gu, ""));
}
