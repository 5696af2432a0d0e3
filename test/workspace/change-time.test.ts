import { expect, test } from "vitest";
import { changeTimes } from "../../src/workspace/versions/change-time.ts";

test("[HI1] changes of one millisecond keep their order, and the clock is followed, forwards and back", () => {
  const now = Date.UTC(2026, 0, 1);
  const clock = [now, now, now, now + 1, now - 5, now - 5];
  const time = changeTimes({ now: () => clock.shift()! });
  const times = Array.from({ length: 6 }, time);
  expect(times.map(Math.floor)).toEqual([now, now, now, now + 1, now - 5, now - 5]);
  expect(times[0]).toBeLessThan(times[1]!);
  expect(times[1]).toBeLessThan(times[2]!);
  expect(times[4]).toBeLessThan(times[5]!);
});
