import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { spareMemory } from "../../src/daemon/spare-memory.ts";
import { FakeClock } from "../helpers/fake-clock.ts";

test("[MY1] an idle daemon that has grown collects what nobody uses", async () => {
  const clock = new FakeClock();
  const end = new AbortController();
  onTestFinished(() => end.abort());
  void spareMemory(clock, end.signal);
  const unused = new WeakRef({ bytes: Buffer.alloc(96 << 20, 1) });
  await setImmediate();
  expect(unused.deref() === undefined).toBe(false);
  // The first look may meet the work of the allocation itself, which a busy machine makes long.
  for (let looks = 0; looks < 20 && unused.deref() !== undefined; looks++) {
    await setImmediate();
    await clock.advance(5_000);
    await setImmediate();
  }
  expect(unused.deref() === undefined).toBe(true);
});
