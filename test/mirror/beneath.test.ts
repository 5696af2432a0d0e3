import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Beneath } from "../../src/mirror/disk/beneath.ts";
import { resolveBeneath } from "../../src/mirror/disk/resolve.ts";
import type { DocPath } from "../../src/mirror/path.ts";

describe.each([
  ["in one step", true],
  ["one by one", false],
])("folders opened %s", (_name, inOneStep) => {
  let base: string;
  let root: string;
  let beneath: Beneath;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "spliced-beneath-"));
    root = join(base, "root");
    mkdirSync(join(root, "a/deep"), { recursive: true });
    mkdirSync(join(base, "outside"));
    for (const at of ["root/top.md", "root/a/deep/file.md", "outside/file.md"])
      writeFileSync(join(base, at), at);
    beneath = new Beneath(root, { inOneStep });
  });
  afterEach(() => {
    beneath.close();
    rmSync(base, { recursive: true });
  });
  const read = (path: string) => beneath.within(path as DocPath, (at) => readFileSync(at, "utf8"));

  test("files are named in the root and in folders", () => {
    expect([read("top.md"), read("a/deep/file.md")]).toEqual(["root/top.md", "root/a/deep/file.md"]);
  });

  test.each([
    ["inside", "a"],
    ["outside", "../outside"],
    ["absolute", "/"],
  ])("a folder that is a link is refused: %s", (link, target) => {
    symlinkSync(target, join(root, link));
    const problem = { kind: "escape", message: `a folder of ${link}/file.md is a link` };
    expect(read(`${link}/file.md`)).toEqual(problem);
    expect(read(`${link}/deep/file.md`)).toMatchObject({ kind: "escape" });
  });

  test("a missing folder, and a file in a folder's place, are missing", () => {
    for (const path of ["b/file.md", "a/b/file.md", "top.md/file.md"])
      expect(read(path)).toMatchObject({ kind: "missing", message: expect.stringContaining(path) });
  });

  test("links in a circle are refused", () => {
    symlinkSync("circle", join(root, "circle"));
    expect(read("circle/file.md")).toMatchObject({ kind: "escape" });
    expect(resolveBeneath(beneath, "circle/file.md" as DocPath)).toMatchObject({ kind: "escape" });
  });

  test("while another folder is in the root's place, each file is missing", () => {
    renameSync(root, `${root}.away`);
    expect(read("top.md")).toMatchObject({ kind: "missing" });
    mkdirSync(root);
    writeFileSync(join(root, "top.md"), "another");
    expect(read("top.md")).toMatchObject({ kind: "missing" });
    rmSync(root, { recursive: true });
    renameSync(`${root}.away`, root);
    expect(read("top.md")).toBe("root/top.md");
  });

  test("a path without links is its own", () => {
    symlinkSync("a", join(root, "link"));
    expect(resolveBeneath(beneath, "a/deep/file.md" as DocPath)).toBe("a/deep/file.md");
    expect(resolveBeneath(beneath, "link/deep/file.md" as DocPath)).toBe("a/deep/file.md");
  });
});
