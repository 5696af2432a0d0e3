import type { FakeClock } from "./fake-clock.ts";

/** Waits for a promise while the time of a clock passes. @throws if it settles only after minutes, or never */
export async function during<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const ended = () => {
    isDone = true;
  };
  work.then(ended, ended);
  for (let i = 0; i < 5_000 && !isDone; i++) await clock.advance(20);
  if (!isDone) throw new Error("no answer came within 100 s");
  return work;
}
