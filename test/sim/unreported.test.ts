import { expect, test } from "vitest";
import { Machine } from "../workspace/machine.ts";
import { unreported } from "./unreported.ts";

test("[SM7] a conflict of which a crash took the report is found in the journal, unless listeners heard of the save", async () => {
  const machine = new Machine("word");
  const document = await machine.document();
  void machine.append("ly");
  await machine.settled();
  machine.disk.save("a.md", "wordy");
  const taking = document.mirror.fresh();
  await machine.clock.advance(100);
  await taking;
  const { id } = document.head;
  await machine.killed(machine.store.waiting);
  const [met, ...others] = unreported(machine.store, () => false);
  expect([`${met?.base}`, met?.conflicts, others]).toEqual([
    "word",
    [{ ours: { from: 0, to: 4, insert: "wordly" }, theirs: { from: 0, to: 4, insert: "wordy" } }],
    [],
  ]);
  expect(unreported(machine.store, (changeId) => changeId === id)).toEqual([]);
});
