import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Beneath } from "../../src/mirror/disk/beneath.ts";
import { foldsNames, otherSpelling } from "../../src/mirror/disk/spelling.ts";
import type { DocPath } from "../../src/mirror/path.ts";

/** An empty folder, which is removed at the end of the test. */
function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "spelling-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}

test("[MA259] a disk folds names where the state folder is there under another name, too", () => {
  const root = folder();
  expect(foldsNames(root)).toBe(false);
  writeFileSync(join(root, ".spliced"), "");
  expect(foldsNames(root)).toBe(false);
  linkSync(join(root, ".spliced"), join(root, ".SPLICED"));
  expect(foldsNames(root)).toBe(true);
});

test("[MA259] a file and its folders have the spelling of the disk, in each Unicode form", () => {
  const root = folder();
  mkdirSync(join(root, "Notes"));
  writeFileSync(join(root, "Notes/Caf\u00e9.md"), "");
  const beneath = new Beneath(root);
  onTestFinished(() => beneath.close());
  const isMissing = (path: string) => otherSpelling(beneath, path as DocPath)?.kind === "missing";
  expect(["Notes/Caf\u00e9.md", "Notes/Cafe\u0301.md"].map(isMissing)).toEqual([false, false]);
  expect(["Notes/caf\u00e9.md", "notes/Caf\u00e9.md"].map(isMissing)).toEqual([true, true]);
});
