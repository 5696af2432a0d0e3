import { expect, test } from "vitest";
import { PathIndex } from "../../src/lanes/records/path-index.ts";
import type { DocPath } from "../../src/mirror/path.ts";

const [A, B] = ["a.md", "b.md"] as [DocPath, DocPath];

test("[LV5] a file is found by each key that it has, and by none that it had", () => {
  const index = new PathIndex();
  index.note(A, ["1", "2"]);
  index.note(A, ["2", "3"]);
  expect(["1", "2", "3"].map((key) => index.pathOf(key))).toEqual([undefined, A, A]);
  index.note(A, []);
  expect(index.size).toBe(0);
});

test("[LV5] a key is that of the file that got it last, until that one loses it", () => {
  const index = new PathIndex();
  index.note(A, ["1"]);
  index.note(B, ["1"]);
  index.note(A, ["1", "2"]);
  expect(index.pathOf("1")).toBe(B);
  index.note(A, ["2"]);
  expect(index.pathOf("1")).toBe(B);
  index.note(B, []);
  expect(index.pathOf("1")).toBeUndefined();
});

test("[I14] a file that is exchanged again and again leaves nothing behind", () => {
  const index = new PathIndex();
  for (let inode = 0; inode < 1000; inode++) index.note(A, [`${inode}`, `${inode + 1}`]);
  expect(index.size).toBe(2);
});
