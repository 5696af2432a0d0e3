import { describe, expect, test } from "vitest";
import { times } from "../e2e/long.ts";
import { simulateLanes } from "./lanes.ts";
import type { Run } from "./simulate.ts";

/** `.ci/run` plays hundreds of other seeds each day, and `npm run sim -- --lanes` any. */
const RUNS = times(30, 10_000);

/** The hashes of the first runs, by their seeds, which a later test compares with those of second runs. */
const hashes = new Map<number, string>();
const COMPARED = 5;

/** Returns the first failing run of `runs` seeds, which begin at 1; undefined if each run keeps the promises. */
async function firstFailure(runs: number): Promise<Run | undefined> {
  for (let seed = 1; seed <= runs; seed++) {
    const run = await simulateLanes(seed);
    if (seed <= COMPARED) hashes.set(seed, run.hash);
    if (run.problems.length > 0) return run;
  }
  return undefined;
}

describe("a workspace and a lane of it, with their people and agents", () => {
  test(
    `[SM13] ${RUNS} seeds agree in the end, and lose and double nothing`,
    async () => {
      expect(await firstFailure(RUNS)).toBeUndefined();
    },
    300_000 + RUNS * 1_000,
  );

  test("[SM2] the same seed leaves the same trace and the same files", async () => {
    for (let seed = 1; seed <= COMPARED; seed++) {
      const first = hashes.get(seed) ?? (await simulateLanes(seed)).hash;
      expect((await simulateLanes(seed)).hash).toBe(first);
    }
  });
});
