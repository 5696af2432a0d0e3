import { expect, test } from "vitest";
import { pauses } from "../../src/work/pause.ts";
import { FakeClock } from "../helpers/fake-clock.ts";

test("[SM2] work pauses by the clock that it gets, whatever time it takes", async () => {
  const clock = new FakeClock();
  const pause = pauses(clock);
  const until = performance.now() + 10;
  while (performance.now() < until) expect(pause()).toBeUndefined();
  clock.step(10);
  const rest = pause();
  expect(rest).toBeInstanceOf(Promise);
  await rest;
  expect(pause()).toBeUndefined();
});
