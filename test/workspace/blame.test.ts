import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { ChangeRecord } from "../../src/store/store.ts";
import { Blame } from "../../src/workspace/history/blame.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench } from "./harness.ts";

const changeOf = (seq: number, splices: ChangeRecord["splices"]) => ({ seq, splices }) as ChangeRecord;

test("[HI3] blames each character on its change, also at the end of the text and after all of it was removed", () => {
  const edit = fc.record({
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.constantFrom(0, 0, 1, 3, 1_000),
    insert: fc.constantFrom("", "a", "😀b", "long text"),
  });
  fc.assert(
    fc.property(fc.nat(12), fc.array(edit, { maxLength: 12 }), (size, edits) => {
      const first = changeOf(0, []);
      const blame = new Blame(first);
      let expected: (number | undefined)[] = Array.from({ length: size }, () => 0);
      for (const [i, { from: share, removed, insert }] of edits.entries()) {
        const from = Math.round(share * expected.length);
        const to = Math.min(expected.length, from + removed);
        const change = changeOf(i + 1, [{ from, to, insert }]);
        blame.apply(change);
        expected = [...expected.slice(0, from), ...[...insert].map(() => change.seq), ...expected.slice(to)];
        const runs = blame.runsOf(expected.length);
        expect(runs.flatMap((run) => Array.from({ length: run.size }, () => run.change?.seq))).toEqual(
          expected,
        );
        expect(runs.every((run) => run.size > 0)).toBe(true);
      }
    }),
  );
});

test("[HI31] the first blame of a long history gives others turns, and knows the edits that came meanwhile", async () => {
  const bench = new Bench({ "a.md": "" });
  const append = () => bench.edit(ALICE, { path: "a.md", plan: planAppend("x"), ack: "durable" });
  for (let i = 0; i < 25; i++) await Promise.all(Array.from({ length: 100 }, append));
  const document = await bench.document("a.md");
  const read = vi.spyOn(document.versions, "entry");
  const textAt = vi.spyOn(document.versions, "textAt");
  const ready = bench.history.readyToBlame(document);
  const meanwhile = append();
  let isReady = false;
  void ready.then(() => {
    isReady = true;
  });
  const reads = [read.mock.calls.length];
  while (!isReady) {
    await setImmediate();
    reads.push(read.mock.calls.length);
  }
  accepted(await meanwhile);
  const atOnce = reads.map((count, i) => count - (reads[i - 1] ?? 0));
  expect(Math.max(...atOnce)).toBeLessThanOrEqual(1_000);
  read.mockClear();
  const runs = bench.history.blame(document);
  expect(runs.reduce((sum, { size }) => sum + size, 0)).toBe(2_501);
  expect(read.mock.calls.length).toBeLessThan(10);
  expect(textAt.mock.calls.filter(([seq]) => seq === 0)).toEqual([]);
});
