import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Beneath } from "../../src/mirror/disk/beneath.ts";
import { walkFiles } from "../../src/mirror/disk/walk.ts";
import { replaceBuiltin } from "../helpers/replace-builtin.ts";

const FILES = 1_000;
const nameOf = (i: number) => `f${String(i).padStart(6, "0")}`;

let root: string;
let beneath: Beneath;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "walk-"));
  for (let i = 0; i < FILES; i++) writeFileSync(join(root, nameOf(i)), "x");
  beneath = new Beneath(root);
});
afterEach(() => {
  beneath.close();
  rmSync(root, { recursive: true });
});

test("[FS45] a walk yields the first files of a folder before it looks at the last", async () => {
  const walk = walkFiles(beneath, () => false);
  expect((await walk.next()).value).toMatchObject({ path: nameOf(0) });
  writeFileSync(join(root, nameOf(FILES - 1)), "longer");
  rmSync(join(root, nameOf(FILES - 2)));
  const rest = await all(walk);
  expect(rest.length).toBe(FILES - 2);
  expect(rest.at(-1)).toMatchObject({ path: nameOf(FILES - 1), image: { size: 6 } });
});

test("[FS47] a walk asks which names of a folder it skips as it comes to them, each once", async () => {
  const asked: string[] = [];
  const skip = (path: string) => asked.push(path) > 0 && Number(path.slice(1)) % 2 === 1;
  const walk = walkFiles(beneath, skip);
  await walk.next();
  expect(asked.length).toBeLessThan(FILES * 0.6);
  const rest = await all(walk);
  expect(rest.length).toBe(FILES / 2 - 1);
  expect(asked).toEqual(Array.from({ length: FILES }, (_, i) => nameOf(i)));
});

test("[FS45] a walk leaves out a name that has become a folder", async () => {
  const walk = walkFiles(beneath, () => false);
  await walk.next();
  rmSync(join(root, nameOf(FILES - 1)));
  mkdirSync(join(root, nameOf(FILES - 1)));
  expect(await all(walk)).toHaveLength(FILES - 2);
});

test.each([
  ["", "the workspace's folder: no descriptors (EMFILE)"],
  ["sub", "sub: no descriptors (EMFILE)"],
])(
  "[FA12] a walk that the system keeps from the folder %j fails with the reason",
  async (folder, message) => {
    mkdirSync(join(root, "sub"));
    replaceBuiltin(fs, "opendirSync", () => () => {
      throw Object.assign(new Error("no descriptors"), { code: "EMFILE" });
    });
    await expect(all(walkFiles(beneath, () => false, folder))).rejects.toMatchObject({
      name: "FolderError",
      problem: { kind: "io", message },
    });
  },
);

async function all<T>(walk: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of walk) items.push(item);
  return items;
}
