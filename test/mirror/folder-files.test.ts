import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { looksInside } from "../../src/mirror/disk/folder-files.ts";
import { parsePath, pathInside } from "../../src/mirror/path.ts";

const NAMES = ["plain.md", "old.md", "run.sh", "folder", "link", "circle", "fifo", "missing", "é.md"];

test("[FS46] a look by descriptor finds the same as a look by name", () => {
  const at = mkdtempSync(join(tmpdir(), "spliced-looks-"));
  const fd = openSync(at, "r");
  try {
    for (const name of ["plain.md", "old.md", "run.sh", "é.md"]) writeFileSync(join(at, name), name);
    chmodSync(join(at, "run.sh"), 0o4751);
    linkSync(join(at, "run.sh"), join(at, "other.sh"));
    utimesSync(join(at, "old.md"), -3.5, -86_400.25);
    mkdirSync(join(at, "folder"));
    symlinkSync("plain.md", join(at, "link"));
    symlinkSync("circle", join(at, "circle"));
    execFileSync("mkfifo", [join(at, "fifo")]);
    const byName = looksInside()(at, undefined);
    const byDescriptor = looksInside()(at, fd);
    const found = NAMES.map(byName);
    expect(found.map((one) => (typeof one === "object" ? "file" : one))).toEqual([
      "file",
      "file",
      "file",
      "folder",
      "other",
      "other",
      "other",
      undefined,
      "file",
    ]);
    expect(NAMES.map(byDescriptor)).toEqual(found);
  } finally {
    closeSync(fd);
    rmSync(at, { recursive: true });
  }
});

describe("a path inside a folder", () => {
  test.each([
    "a.md",
    "A b.md",
    ".git",
    ".GIT",
    ".spliced",
    "~",
    "é".repeat(130),
    "x".repeat(256),
    "a\\b",
    "-",
    "C:",
    ".env",
  ])("is the one that a check of the whole gives: %s", (name) => {
    for (const folder of ["", "sub", "sub/é".repeat(60), `${"deep/".repeat(203)}er`]) {
      const whole = parsePath(folder === "" ? name : `${folder}/${name}`);
      expect(pathInside(folder, name)).toBe(typeof whole === "string" ? whole : undefined);
    }
  });
});

test.each([
  ["", ".spliced-doctor-W5PcGh"],
  ["sub", ".Spliced-Doctor-W5PcGh"],
])("[DC69] the folder of doctor's probes in %j has no documents: %s", (folder, name) => {
  expect(parsePath(`${folder === "" ? "" : `${folder}/`}${name}/probe-a`)).toMatchObject({
    kind: "reserved",
  });
  expect(pathInside(folder, name)).toBeUndefined();
  expect(pathInside(folder, ".spliced-doctor.md")).toBeDefined();
});
