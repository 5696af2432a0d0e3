import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeKey, userFolder } from "./key.ts";
import { makeOwnFolder, writeOwn } from "./own.ts";

/** Returns true when this user has approved running a file with exactly this content. */
export function isApproved(path: string, content: string): boolean {
  return existsSync(approvalOf(path, content));
}

/** Approves running a file as long as it has exactly this content. @throws StateError */
export function approve(path: string, content: string): void {
  makeKey(); // which makes the user's folder
  makeOwnFolder(join(userFolder(), "approved"));
  if (!isApproved(path, content)) writeOwn(approvalOf(path, content), `${path}\n`);
}

/** Approvals lie outside every workspace, where no download can put one. */
function approvalOf(path: string, content: string): string {
  const name = createHash("sha256")
    .update(JSON.stringify([path, content]))
    .digest("hex");
  return join(userFolder(), "approved", name);
}
