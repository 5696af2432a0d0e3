/** Whether something cannot be tested here, and why not; said once, when the tests are collected. */
export function unable(what: string, reason: string | undefined): boolean {
  if (reason !== undefined) console.info(`left out: ${what}: ${reason}`);
  return reason !== undefined;
}
