import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";

/** The place of a folder. For two folders that one computer can see at once, two of these values differ. */
export interface Site {
  /** A digest of the computer's own id, or of its name where it has no id. */
  readonly host: string;
  /** The number of the folder on its file system. */
  readonly inode: string;
  /** The number of the file system; a boot may change it. */
  readonly device: string;
  readonly path: string;
}

const MACHINE_ID = "/etc/machine-id";

/** Returns where an existing folder lies. @throws the system's error when there is no folder */
export function siteOf(folder: string, machineId = MACHINE_ID): Site {
  const { dev, ino } = statSync(folder, { bigint: true });
  // Programs must not show the system's id of the computer, so only a digest for this purpose leaves this function.
  const host = createHash("sha256")
    .update(`spliced site\0${idIn(machineId) || hostname()}`)
    .digest("base64url");
  return { host, inode: `${ino}`, device: `${dev}`, path: resolve(folder) };
}

function idIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined; // many systems have no such file, and none needs it
  }
}
