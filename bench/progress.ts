const EVERY_MS = 1000;
let last = performance.now();

/** Prints the progress to stderr, at most once a second. */
export function progress(text: string): void {
  if (performance.now() - last >= EVERY_MS) announce(text);
}

/** Prints to stderr at once. */
export function announce(text: string): void {
  last = performance.now();
  process.stderr.write(`${text}\n`);
}
