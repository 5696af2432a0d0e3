import type { Text } from "../text/text.ts";
import { unifiedDiff } from "../text/unified.ts";

/** The unified diff of one document, "" when nothing differs. */
export function fileDiff(path: string, before: Text, after: Text): string {
  return unifiedDiff(before.toString(), after.toString(), { from: `a/${path}`, to: `b/${path}` });
}
