import { describe, expect, test } from "vitest";
import type { FileProblem, Image } from "../../src/mirror/files.ts";
import { reconcile } from "../../src/mirror/reconcile.ts";

const known: Image = {
  dev: 1n,
  ino: 10n,
  size: 5,
  mtimeNs: 100n,
  ctimeNs: 100n,
  mode: 0o644,
  uid: 0,
  gid: 0,
  links: 1,
};
const gone: FileProblem = { kind: "missing", message: "" };

describe("the action after a look", () => {
  const cases: [name: string, known: Image | undefined, seen: Image | FileProblem, action: string][] = [
    ["the same image", known, known, "none"],
    ["another inode, renamed after its last write", known, { ...known, ino: 11n, ctimeNs: 200n }, "replaced"],
    ["another inode, last written where it is", known, { ...known, ino: 11n }, "replaced"],
    [
      "the same inode, written in place",
      known,
      { ...known, size: 9, mtimeNs: 200n, ctimeNs: 200n },
      "settle",
    ],
    ["another inode, but empty", known, { ...known, ino: 11n, size: 0 }, "settle"],
    ["the same size and time, another change time", known, { ...known, ctimeNs: 200n }, "read"],
    ["no file any more", known, gone, "missing"],
    ["no file, and none known", undefined, gone, "none"],
    ["a file where none was known", undefined, known, "settle"],
    ["an empty file where none was known", undefined, { ...known, size: 0 }, "settle"],
    ["a file that may not be read", known, { kind: "denied", message: "" }, "blocked"],
  ];
  for (const [name, before, seen, action] of cases)
    test(`[I9] ${name}: ${action}`, () => expect(reconcile(before, seen).do).toBe(action));
});
