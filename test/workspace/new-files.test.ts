import { expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { NewFiles } from "../../src/workspace/cover/new-files.ts";

const path = "sub/a.md" as DocPath;

test("[CV3] a file that appears in a covered folder is new", () => {
  const files = new NewFiles(undefined);
  const compared = files.listed("sub");
  expect(files.appeared(path)).toBe(false);
  compared(true);
  expect(files.appeared(path)).toBe(true);
  files.listed("sub")(false);
  expect(files.appeared(path)).toBe(false);
});

test("[CV18] a folder is not covered if a reading failed while its files were compared", () => {
  const files = new NewFiles(undefined);
  const compared = files.listed("sub");
  files.doubt();
  compared(true);
  expect(files.appeared(path)).toBe(false);
});
