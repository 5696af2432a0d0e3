import { sharedLines } from "../text/diff/shared-lines.ts";

/** The least share of its former text that a moved file still has. */
const ALIKE = 0.5;
/** If more files than these are missing, only the inode tells which of them is at another path. */
export const FEW = 16;

/** Returns the share of both texts that is the same, by lines; 0 for a text without half of the former one. */
export function likeness(former: string, text: string): number {
  const shared = sharedLines(former, text);
  // A short text can lie in many files by chance: of several missing files, it counts how much of both is the same.
  return shared === 0 || shared < ALIKE * former.length ? 0 : shared / Math.max(former.length, text.length);
}
