import { describe, expect, test } from "vitest";
import type { Listed } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { compareFolder, namesOf, openFiles } from "../../src/workspace/cover/inventory.ts";

const MAX = 1000;
const NOTHING = { files: 0, bytes: 0, baselines: 0 };

function listed(path: string, mtimeNs = 1n): Listed {
  const stamps = { ino: BigInt(path.length), size: 10, mtimeNs, ctimeNs: 2n ** 62n };
  return {
    path: path as DocPath,
    image: { dev: 1n, ...stamps, mode: 0o644, uid: 0, gid: 0, links: 1 },
  };
}

/** Returns the inventory of files that the store has all of; `open` are those that it has not. */
function inventoryOf(files: readonly Listed[], open: readonly string[] = []) {
  const { inventory } = compareFolder(files, undefined, MAX);
  for (const { name, decide } of openFiles(inventory!)) {
    const isOpen = open.includes(name);
    decide({ baseline: !isOpen, covered: !isOpen && name !== "raw.bin", isOpen });
  }
  return inventory!;
}

const FILES = ["sub/a.md", "sub/é\u{1f600}.md", "sub/raw.bin"].map((path) => listed(path));

describe("an inventory", () => {
  test("without one, all files are open", () => {
    const { inventory, ...held } = compareFolder(FILES, undefined, MAX);
    const open = [...openFiles(inventory!)];
    expect(open.map(({ name }) => name)).toEqual(["a.md", "é\u{1f600}.md", "raw.bin"]);
    expect(open[0]!.stamps).toEqual({ ino: 8n, size: 10, mtimeNs: 1n, ctimeNs: 2n ** 62n });
    expect(held).toEqual(NOTHING);
  });

  test("of the same files, nothing differs", () => {
    const held = { files: 2, bytes: 20, baselines: 3, inventory: undefined };
    expect(compareFolder(FILES, inventoryOf(FILES), MAX)).toEqual(held);
  });

  test.each([
    ["changed", [FILES[0]!, listed("sub/é\u{1f600}.md", 3n), FILES[2]!], ["é\u{1f600}.md"], 2],
    ["added", [listed("sub/0.md"), ...FILES, listed("sub/z.md")], ["0.md", "z.md"], 3],
    ["gone", FILES.slice(1), [], 2],
    ["renamed", [FILES[0]!, listed("sub/b.md"), FILES[2]!], ["b.md"], 2],
    ["in another order", FILES.toReversed(), [], 3],
  ])("a file is %s", (_what, files, open, baselines) => {
    const compared = compareFolder(files, inventoryOf(FILES), MAX);
    const inventory = compared.inventory ?? inventoryOf(FILES);
    expect([...openFiles(inventory)].map(({ name }) => name)).toEqual(open);
    expect([...namesOf(inventory)].sort()).toEqual(files.map(({ path }) => path.slice(4)).sort());
    expect(compared.baselines).toBe(baselines);
  });

  test("an open file stays open", () => {
    const known = inventoryOf(FILES, ["a.md"]);
    const { inventory, baselines } = compareFolder(FILES, known, MAX);
    expect([...openFiles(inventory!)].map(({ name }) => name)).toEqual(["a.md"]);
    expect(baselines).toBe(2);
  });

  test("for another limit of a file's size, or in an unknown form, all files are open", () => {
    const known = inventoryOf(FILES);
    expect([...openFiles(compareFolder(FILES, known, MAX + 1).inventory!)]).toHaveLength(3);
    known[0] = 99;
    expect([...openFiles(compareFolder(FILES, known, MAX).inventory!)]).toHaveLength(3);
    expect([...openFiles(compareFolder(FILES, new Uint8Array(), MAX).inventory!)]).toHaveLength(3);
  });

  test("an empty folder has one without files", () => {
    const { inventory } = compareFolder([], inventoryOf(FILES), MAX);
    expect([...namesOf(inventory!)]).toEqual([]);
    expect(compareFolder([], inventory, MAX).inventory).toBeUndefined();
  });
});
