import { setImmediate } from "node:timers/promises";
import { type UnifiedOptions, unifiedDiff } from "../../text/diff/unified.ts";
import type { Text } from "../../text/text.ts";
import type { Outcome } from "../outcome/refusal.ts";
import type { TokenWorkers } from "./workers.ts";

/**
 * Returns the unified diff of two texts, empty if they are equal. It yields to other requests first, and a worker
 * diffs large texts (I14).
 */
export async function textDiff(
  workers: TokenWorkers,
  before: string,
  after: string,
  options: UnifiedOptions,
): Promise<Outcome<string>> {
  await setImmediate();
  return workers.offloads(before.length + after.length)
    ? workers.run("unifiedDiff", before, after, options)
    : unifiedDiff(before, after, options);
}

/** Returns the unified diff of two texts of one document. */
export function documentDiff(
  workers: TokenWorkers,
  path: string,
  before: Text,
  after: Text,
): Promise<Outcome<string>> {
  const names = { from: `a/${path}`, to: `b/${path}` };
  return textDiff(workers, before.toString(), after.toString(), names);
}
