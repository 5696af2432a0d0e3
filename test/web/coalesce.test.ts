import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { coalesce } from "../../src/web/state/base/coalesce.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work whose runs the test ends by hand. */
function work() {
  const answers: (() => void)[] = [];
  return { answers, do: () => new Promise<void>((done) => void answers.push(done)) };
}

test("[WP63] a burst of requests runs the work once, and not again before that run has ended", async () => {
  const running = work();
  const coalesced = coalesce(100, running.do);
  for (let i = 0; i < 50; i++) coalesced.soon();
  await vi.advanceTimersByTimeAsync(100);
  for (let i = 0; i < 50; i++) {
    coalesced.soon();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(running.answers).toHaveLength(1);
  running.answers[0]!();
  await vi.advanceTimersByTimeAsync(100);
  expect(running.answers).toHaveLength(2);
  running.answers[1]!();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(running.answers).toHaveLength(2);
});

test("[WP156] with a pause the next run waits as many times longer than the work took", async () => {
  const running = work();
  const coalesced = coalesce(100, running.do, 3);
  coalesced.soon();
  await vi.advanceTimersByTimeAsync(100);
  coalesced.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  running.answers[0]!();
  await vi.advanceTimersByTimeAsync(2_900);
  expect(running.answers).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(running.answers).toHaveLength(2);
});

test("[WP63] after the end nothing runs any more, not even an earlier request", async () => {
  const running = work();
  const coalesced = coalesce(100, running.do);
  coalesced.soon();
  await vi.advanceTimersByTimeAsync(100);
  coalesced.soon();
  coalesced.end();
  running.answers[0]!();
  coalesced.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(running.answers).toHaveLength(1);
});
