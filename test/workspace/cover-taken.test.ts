import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { drained } from "../helpers/drained.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { accepted } from "./harness.ts";

test("[CV28] a file gets no baseline while the store does not show its document yet", async () => {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\n");
  disk.save("b.md", "two\n");
  const store = new MemoryStore({ atOnce: false });
  const { workspace } = onFakes(disk, store);
  onTestFinished(() => workspace.close());
  accepted(await workspace.open("a.md"));
  let hasPassed = false;
  const passing = workspace.cover.pass(new AbortController().signal).finally(() => {
    hasPassed = true;
  });
  // The pass has read both files before the store makes anything durable.
  await drained();
  while (!hasPassed) {
    store.flush();
    await drained();
  }
  await passing;
  expect([...store.baselines.list()].map(({ path }) => path)).toEqual(["b.md"]);
  expect(store.documents().map(({ path }) => path)).toEqual(["a.md"]);
});
