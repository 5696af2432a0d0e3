import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fill } from "../../src/lanes/disk/fill.ts";
import { makeFolder } from "../../src/lanes/disk/folder.ts";
import type { LaneFileRecord } from "../../src/lanes/records/record.ts";
import { IgnoreRules } from "../../src/paths/ignore-rules.ts";
import { NO_RULES } from "../../src/paths/outer-rules.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";

interface Folders {
  readonly root: string;
  readonly lane: string;
  filled(meanwhile?: (file: LaneFileRecord) => void): Promise<LaneFileRecord[]>;
}

/** A workspace with some files, and the folder of a lane to fill. Ignored files in `dist` become copies. */
function folders(files: readonly string[]): Folders {
  const around = mkdtempSync(join(tmpdir(), "spliced-fill-"));
  onTestFinished(() => rmSync(around, { recursive: true, force: true }));
  const [root, lane] = [join(around, "notes"), join(around, "notes.lanes/ann")];
  for (const path of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${path}\n`);
  }
  const ignored = new IgnoreRules({ ...NO_RULES, globs: ["dist"] }, () => undefined);
  const filling = { root, lane, name: "ann", ignored, rights: FULL_RIGHTS };
  const filled = async (meanwhile: (file: LaneFileRecord) => void = () => {}) => {
    makeFolder(root, lane);
    const records: LaneFileRecord[] = [];
    for await (const file of fill({ ...filling, here: { copy: ["dist"], skip: [] }, maxBytes: 12 })) {
      records.push(file);
      meanwhile(file);
    }
    return records;
  };
  return { root, lane, filled };
}

test("[LV67] a folder that goes while a lane is filled is left out, and everything else is there", async () => {
  const { root, lane, filled } = folders(["x/a.md", "y/a.md", "z/a.md"]);
  const records = await filled(({ path }) => {
    for (const folder of ["x", "y", "z"])
      if (!path.startsWith(folder)) rmSync(join(root, folder), { recursive: true, force: true });
  });
  const [folder] = records.map(({ path }) => dirname(path));
  expect(records).toHaveLength(1);
  expect(readFileSync(join(lane, `${folder}/a.md`), "utf8")).toBe(`${folder}/a.md\n`);
});

test("[LV67] a file that is too large for a document is copied, and its text is not read", async () => {
  const { lane, filled } = folders(["a.md", "a-large-one.md"]);
  const records = await filled();
  const hashed = Object.fromEntries(records.map(({ path, sha256 }) => [path, sha256 !== undefined]));
  expect(hashed).toEqual({ "a.md": true, "a-large-one.md": false });
  expect(readFileSync(join(lane, "a-large-one.md"), "utf8")).toBe("a-large-one.md\n");
});

test("[LV67] a copied folder of ignored files is without what is no file", async () => {
  const { root, lane, filled } = folders(["dist/a.js"]);
  execFileSync("mkfifo", [join(root, "dist/pipe")]);
  await filled();
  expect(readdirSync(join(lane, "dist"))).toEqual(["a.js"]);
});

test("[LV68] a lane lets no other user in where the workspace does not", async () => {
  const { root, lane, filled } = folders(["open/a.md", "closed/a.md"]);
  chmodSync(root, 0o700);
  chmodSync(join(root, "open"), 0o755);
  chmodSync(join(root, "closed"), 0o500);
  await filled();
  const modes = [dirname(lane), lane, join(lane, "open"), join(lane, "closed")].map(
    (at) => statSync(at).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o700, 0o755, 0o700]);
  expect(existsSync(join(lane, "closed/a.md"))).toBe(true);
});
