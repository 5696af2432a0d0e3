import { expect, test } from "vitest";
import { Batches } from "../../src/workspace/batches/batches.ts";
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
