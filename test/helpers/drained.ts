/** Resolves once everything that can go on without time passing or a file being read has done so. */
export function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
