import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Exchange, systemExchange } from "./system.ts";

/** The exchange, if the file system can do it: two files in the staging folder are swapped to see. */
export function usableExchange(staging: string): Exchange | undefined {
  const [a, b] = [join(staging, "probe-a"), join(staging, "probe-b")];
  writeFileSync(a, "a");
  writeFileSync(b, "b");
  try {
    const exchange = systemExchange();
    exchange?.(a, b);
    return readFileSync(a, "utf8") === "b" ? exchange : undefined;
  } catch {
    return undefined; // the system or this file system has none: a plain rename has to do
  } finally {
    forget(a);
    forget(b);
  }
}

/** Removes a staged file; one that cannot be removed now is removed at the next start. */
export function forget(staged: string): void {
  try {
    unlinkSync(staged);
  } catch {
    // Gone already, or its folder is: nothing that anybody waits for.
  }
}
