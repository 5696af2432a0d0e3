/** The further turns of runs in which the disks of some machines fold names. */
export const CASE_TURNS = [["case", 4]] as const;
export type CaseTurn = (typeof CASE_TURNS)[number][0];

/** Returns a path whose name has the other case in its first letter. */
export function otherCase(path: string): string {
  const at = path.lastIndexOf("/") + 1;
  const first = path[at]!;
  const other = first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase();
  return path.slice(0, at) + other + path.slice(at + 1);
}
