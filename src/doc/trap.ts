/**
 * Throws a trap on, and lets other errors be. A trap leaves WebAssembly's memory as it was in the middle of
 * something, so nothing may go on with it; other errors are Loro's own answers.
 */
export function throwTrap(error: unknown): void {
  if (error instanceof Error && error.name === "RuntimeError") throw error;
}
