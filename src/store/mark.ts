import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeOwn } from "../state/own.ts";

// Beside the database lies what it was when it was closed in order.

/** True when a database is as it was closed; it was not when a process died with it, or somebody brought another. */
export function isMarkedClosed(folder: string): boolean {
  try {
    return readFileSync(markIn(folder), "utf8") === stampOf(folder);
  } catch {
    return false;
  }
}

export function markOpened(folder: string): void {
  rmSync(markIn(folder), { force: true });
}

export function markClosed(folder: string): void {
  try {
    writeOwn(markIn(folder), stampOf(folder));
  } catch {
    // A full disk: the next start looks through the database, which takes a while.
  }
}

function stampOf(folder: string): string {
  const { size, mtimeNs } = statSync(join(folder, "data.mdb"), { bigint: true });
  return `${size} ${mtimeNs}\n`;
}

function markIn(folder: string): string {
  return join(folder, "closed");
}
