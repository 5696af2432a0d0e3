import { expect, test, vi } from "vitest";
import { Rights } from "../../src/workspace/access/rights.ts";
import { Batches } from "../../src/workspace/batches/batches.ts";
import { History } from "../../src/workspace/history/history.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, BOB, refused } from "./harness.ts";

const appending = (path: string, text: string) => ({
  path,
  notes: {},
  kind: "append",
  plan: planAppend(text),
  changes: [],
});

test("[BA11] a batch whose history was dropped is told without its diff, and forgotten when it is older", async () => {
  const bench = new Bench({ "a.md": "" }, { keepHistoryMs: 1 });
  const batches = new Batches(bench.workspace, bench.editor, bench.fileBatches);
  const made = await batches.apply(ALICE, { notes: { batchKey: "k" }, files: [appending("a.md", "1\n")] });
  if ("refused" in made) throw new Error("was refused");
  const { batchId } = made;
  for (const text of ["2\n", "3\n"])
    accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend(text) }));
  const document = await bench.document("a.md");
  await expect.poll(() => document.mirror.sweep() ?? document.restful, { timeout: 5000 }).toBe(true);
  await expect.poll(() => Date.now() - document.head.time).toBeGreaterThan(1);
  await document.compact({ leaving: true });
  await bench.workspace.drop(document);
  expect(accepted(await batches.find(ALICE, batchId!))).toMatchObject({
    batchKey: "k",
    files: [{ diff: null }],
  });
  await batches.forget(60_000);
  accepted(await batches.find(ALICE, batchId!));
  await batches.forget(1);
  expect(refused(await batches.find(ALICE, batchId!)).code).toBe("NOT_FOUND");
});

/** Makes a batch that no request described, of one change in each of some files; leaves none of them loaded. */
async function unrecorded(files: number) {
  const paths = Array.from({ length: files }, (_, i) => `${i}.md`);
  const bench = new Bench(Object.fromEntries(paths.map((path) => [path, ""])));
  const batch = { id: "bat_made", size: files };
  const requests = paths.map((path) => ({ kind: "test", path, plan: planAppend("x\n"), batch }));
  const made = await bench.editor.apply(ALICE, requests);
  if ("refused" in made) throw new Error("was refused");
  await bench.restart();
  const batches = new Batches(bench.workspace, bench.editor, bench.fileBatches);
  return { bench, find: (actor = ALICE) => batches.find(actor, batch.id) };
}

test.each([
  [200, { isLoaded: true, isShown: true }],
  [201, { isLoaded: false, isShown: false }],
])("[BA20] a batch of %i files is named, with these documents and diffs: %o", async (files, expected) => {
  const { bench, find } = await unrecorded(files);
  const found = accepted(await find()).files;
  expect(found).toHaveLength(files);
  const isShown = found.every(({ diff }) => diff !== null);
  expect({ isLoaded: [...bench.workspace.loaded].length > 0, isShown }).toEqual(expected);
});

test("[BA21] a batch opens no file for a client that may not read it", async () => {
  const { bench, find } = await unrecorded(3);
  const rights = new Rights([
    { glob: "1.md", level: "none", conflict: "merge" },
    { glob: "**", level: "write", conflict: "merge" },
  ]);
  expect(accepted(await find({ ...BOB, rights })).files.map(({ path }) => path)).toEqual(["0.md", "2.md"]);
  expect([...bench.workspace.loaded].map(({ path }) => path).sort()).toEqual(["0.md", "2.md"]);
});

test("[BA22, RI63] a batch without a record that the caller may read is looked for until many changes in a row are none of it", async () => {
  const { bench, find } = await unrecorded(1);
  const batches = new Batches(bench.workspace, bench.editor, bench.fileBatches);
  const recorded = await batches.apply(ALICE, { notes: {}, files: [appending("0.md", "y\n")] });
  if ("refused" in recorded) throw new Error("was refused");
  const [record] = bench.workspace.ports.store.documents();
  const stored = bench.workspace.ports.store.change(record!.id, 1)!;
  const { batch: _, ...other } = stored;
  const own = { ...stored, batch: { id: "bat_made", size: 5 } };
  let read = 0;
  const reading = vi.spyOn(History.prototype, "entries");
  const holding = (first: typeof other) =>
    reading.mockImplementation(async function* () {
      read = 0;
      for (let change = first; read < 30_000; change = other) {
        read++;
        yield { record: record!, change, previous: undefined, undone: false };
      }
    });
  holding(own);
  expect(accepted(await find()).files).toHaveLength(1);
  expect(read).toBe(20_001);
  holding(other);
  expect(refused(await find()).message).toContain("newest 20000 changes");
  expect(read).toBe(20_000);
  const none = { ...ALICE, rights: new Rights([{ glob: "*.txt", level: "write", conflict: "merge" }]) };
  for (const [actor, batchId] of [
    [ALICE, "bat_none"],
    [none, recorded.batchId!],
  ] as const) {
    const undone = refused(await bench.undo(actor, { batchId }));
    expect(undone).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("newest 20000 changes"),
    });
    expect(read).toBe(20_000);
  }
  reading.mockRestore();
});
