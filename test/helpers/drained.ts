/** Resolves when all work is done that needs neither time nor a file. */
export function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
