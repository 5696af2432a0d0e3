/** The characters that mean themselves to a shell. */
const PLAIN = /^[\p{L}\p{N}_./:@%+=,-]+$/u;

/** Returns a path as a person can type it in a shell, as one argument of a command. */
export function shellPath(path: string): string {
  const named = path.startsWith("-") ? `./${path}` : path; // otherwise it would be an option
  return PLAIN.test(named) ? named : `'${named.replaceAll("'", `'\\''`)}'`;
}
