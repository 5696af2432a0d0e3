import { setImmediate } from "node:timers/promises";
import type { Text } from "../text/text.ts";
import { unifiedDiff } from "../text/unified.ts";

/** The unified diff of one document, "" when nothing differs. Others get their turn first (I14). */
export async function fileDiff(path: string, before: Text, after: Text): Promise<string> {
  await setImmediate();
  return unifiedDiff(before.toString(), after.toString(), { from: `a/${path}`, to: `b/${path}` });
}
