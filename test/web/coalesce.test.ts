import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { coalesce } from "../../src/web/state/coalesce.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that is done when it is told so, and how often it was begun. */
function work() {
  const answers: (() => void)[] = [];
  return { answers, do: () => new Promise<void>((done) => void answers.push(done)) };
}

test("[WP2] what comes in a burst is asked about once, and not again before that is answered", async () => {
  const asked = work();
  const again = coalesce(100, asked.do);
  for (let i = 0; i < 50; i++) again.soon();
  await vi.advanceTimersByTimeAsync(100);
  for (let i = 0; i < 50; i++) {
    again.soon();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(asked.answers).toHaveLength(1);
  asked.answers[0]!();
  await vi.advanceTimersByTimeAsync(100);
  expect(asked.answers).toHaveLength(2);
  asked.answers[1]!();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.answers).toHaveLength(2);
});

test("[WP2] nothing is asked any more once it has ended, not even what was asked for meanwhile", async () => {
  const asked = work();
  const again = coalesce(100, asked.do);
  again.soon();
  await vi.advanceTimersByTimeAsync(100);
  again.soon();
  again.end();
  asked.answers[0]!();
  again.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.answers).toHaveLength(1);
});
