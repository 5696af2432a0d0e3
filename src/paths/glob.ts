import { Automaton } from "./automaton.ts";
import { readGlob } from "./glob-syntax.ts";

/** The longest glob, in UTF-16 units. */
export const MAX_GLOB = 1000;

const GRAMMAR =
  "A glob is a path with * (any characters within a folder), ** (any folders), ?, [abc], [!a-z] and {a,b}; " +
  "what else is meant as a character goes in brackets, as [+]";

/** Why a glob is refused, and how globs are written; undefined when it is sound. */
export function globProblem(glob: string): string | undefined {
  if (glob.length > MAX_GLOB) return `longer than ${MAX_GLOB} characters`;
  const { problem } = readGlob(glob);
  return problem && `${problem}, which globs have not. ${GRAMMAR}`;
}

/**
 * A glob as a test of paths; everything without one. A test takes at most steps in proportion to the glob times the
 * path. A path that is spelled as the glob matches, whatever signs it has.
 */
export function matcher(pattern: string | undefined): (path: string) => boolean {
  if (pattern === undefined || pattern === "**") return () => true;
  const automaton = new Automaton(readGlob(pattern).parts);
  return (path) => path === pattern || automaton.matches(path);
}

/** One spelling for all that a file system may take for the same name: case and unicode form are lost. */
export function folded(path: string): string {
  return path.toUpperCase().toLowerCase().normalize("NFC");
}
