import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Another user, to whom only root can give files. */
export const STRANGER = 65_534;
export const isRoot = process.geteuid?.() === 0;
if (!isRoot) console.warn("not run by root: the tests of what belongs to another user are left out");

/** Makes a folder with these files, and removes it at the end of the test. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "spliced-hostile-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
