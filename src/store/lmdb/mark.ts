import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeOwn } from "../../state/own.ts";
import { DATABASE_FILE } from "./provenance.ts";

// A mark beside the database contains its size and time at the last orderly close.

/** Returns true when the database is as a daemon closed it: no process died with it open, and no other replaced it. */
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
    // On a full disk there is no mark, so the next start reads the whole database.
  }
}

function stampOf(folder: string): string {
  const { size, mtimeNs } = statSync(join(folder, DATABASE_FILE), { bigint: true });
  return `${size} ${mtimeNs}\n`;
}

function markIn(folder: string): string {
  return join(folder, "closed");
}
