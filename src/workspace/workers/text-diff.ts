import { setImmediate } from "node:timers/promises";
import type { Text } from "../../text/text.ts";
import { type UnifiedOptions, unifiedDiff } from "../../text/unified.ts";
import type { Outcome } from "../outcome/refusal.ts";
import type { TokenWorkers } from "./workers.ts";

/** The unified diff of two texts, "" when nothing differs; a worker makes that of large ones. Others get their turn first (I14). */
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

/** The unified diff of one document, as `textDiff`. */
export function documentDiff(
  workers: TokenWorkers,
  path: string,
  before: Text,
  after: Text,
): Promise<Outcome<string>> {
  const names = { from: `a/${path}`, to: `b/${path}` };
  return textDiff(workers, before.toString(), after.toString(), names);
}
