import { describe, expect, test, vi } from "vitest";
import { type Clock, systemClock } from "../../src/mirror/clock.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";

interface ClockUnderTest {
  readonly clock: Clock;
  /** Lets `ms` milliseconds pass. */
  pass(ms: number): Promise<void>;
  setBack(ms: number): void;
}

function clockContract(name: string, open: () => ClockUnderTest): void {
  describe(`${name} as a clock`, () => {
    const never = new AbortController().signal;

    test("[CL1] a sleep ends when its time has passed, shorter ones first", async () => {
      const { clock, pass } = open();
      const before = clock.now();
      const woken: number[] = [];
      const sleeps = [20, 5, 0].map((ms) => clock.sleep(ms, never).then(() => woken.push(ms)));
      await pass(25);
      await Promise.all(sleeps);
      expect(woken).toEqual([0, 5, 20]);
      expect(clock.now() - before).toBeGreaterThanOrEqual(19);
    });

    test("[CL2] a sleep ends at once when it is called off, before or meanwhile", async () => {
      const { clock } = open();
      const abort = new AbortController();
      const began = clock.elapsed();
      const ended: string[] = [];
      const sleeping = clock.sleep(60_000, abort.signal).then(() => ended.push("meanwhile"));
      await drained();
      expect(ended).toEqual([]);
      abort.abort();
      await sleeping;
      await clock.sleep(60_000, abort.signal).then(() => ended.push("before"));
      expect(ended).toEqual(["meanwhile", "before"]);
      expect(clock.elapsed() - began).toBeLessThan(60_000);
    });

    test("[CL4] what has elapsed goes on though the clock is set back", async () => {
      const { clock, setBack } = open();
      const [now, elapsed] = [clock.now(), clock.elapsed()];
      setBack(60_000);
      expect(clock.now()).toBeLessThan(now);
      expect(clock.elapsed()).toBeGreaterThanOrEqual(elapsed);
    });
  });
}

clockContract("the system", () => ({
  clock: systemClock,
  pass: () => Promise.resolve(),
  setBack: (ms) => {
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now - ms);
  },
}));

clockContract("the fake", () => {
  const clock = new FakeClock();
  return { clock, pass: (ms) => clock.advance(ms), setBack: (ms) => clock.jump(-ms) };
});

describe("the fake as a clock", () => {
  test("[CL3] time stands still until it is moved on, and what is woken may sleep again", async () => {
    const clock = new FakeClock(1000);
    const woken: number[] = [];
    const never = new AbortController().signal;
    const house = async () => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(10, never);
        woken.push(clock.now());
      }
    };
    const keeping = house();
    expect(clock.now()).toBe(1000);
    await clock.advance(25);
    expect([clock.now(), woken]).toEqual([1025, [1010, 1020]]);
    await clock.advance(5);
    await keeping;
  });
});
