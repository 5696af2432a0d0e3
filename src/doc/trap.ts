/**
 * Rethrows a trap and ignores other errors. A trap leaves WebAssembly's memory in an undefined state, so no code may
 * use it afterwards. Other errors are normal results of Loro.
 */
export function throwTrap(error: unknown): void {
  if (error instanceof Error && error.name === "RuntimeError") throw error;
}
