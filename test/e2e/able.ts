/** Returns true when a test cannot run here, and prints the reason once, when vitest collects the tests. */
export function unable(what: string, reason: string | undefined): boolean {
  if (reason !== undefined) console.info(`left out: ${what}: ${reason}`);
  return reason !== undefined;
}
