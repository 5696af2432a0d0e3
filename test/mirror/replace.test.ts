import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Image } from "../../src/mirror/files.ts";
import { byLink, replacingIn } from "../../src/mirror/replace.ts";
import { imageOf } from "../../src/mirror/stat.ts";

let folder: string;
let file: string;
let staged: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "spliced-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  [file, staged] = [join(folder, "a.md"), join(folder, "staged")];
  writeFileSync(file, "old");
  writeFileSync(staged, "new");
});

const read = (path: string) => readFileSync(path, "utf8");
const look = () => imageOf(lstatSync(file, { bigint: true }), file) as Image;

describe("replacing a file by a hard link and a rename", () => {
  test("[FS24] the new version is in place, the old one is kept with what is written to it", () => {
    const fd = openSync(file, "a");
    const done = byLink(staged, file, look());
    writeSync(fd, " and more");
    closeSync(fd);
    expect(read(file)).toBe("new");
    expect(done).not.toBe("changed");
    if (done !== "changed") expect(read(done.kept!)).toBe("old and more");
  });

  test.each(["in place", "by rename"])("[FS24] a save %s since the look is left where it is", (how) => {
    const expected = look();
    const saved = how === "in place" ? file : join(folder, "saved");
    writeFileSync(saved, "saved");
    renameSync(saved, file);
    expect(byLink(staged, file, expected)).toBe("changed");
    expect([read(file), read(staged)]).toEqual(["saved", "new"]);
    expect(lstatSync(file).nlink).toBe(1);
  });

  test("[FS24] what a folder can do is found by trying, and leaves nothing behind", () => {
    const { by, replace } = replacingIn(folder);
    expect(["exchange", "hard link", "rename"]).toContain(by);
    expect(replace(staged, file, look())).not.toBe("changed");
    expect(read(file)).toBe("new");
  });
});
