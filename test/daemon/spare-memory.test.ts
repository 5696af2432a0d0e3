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
  await setImmediate(); // the look itself kept it until now
  await clock.advance(5_000);
  await setImmediate();
  expect(unused.deref() === undefined).toBe(true);
});
