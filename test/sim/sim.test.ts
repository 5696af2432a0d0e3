import { describe, expect, test } from "vitest";
import { PINNED } from "./pinned.ts";
import { printer } from "./replay.ts";
import { type Options, type Run, simulate } from "./simulate.ts";
import type { Defect } from "./world.ts";

/** `SIM_SEED=n` replays one seed and prints it; `SIM_RUNS` and `SIM_FROM` say how many others, from where. */
const env = process.env;
const SEED = env["SIM_SEED"];
const RUNS = Number(env["SIM_RUNS"] ?? 2000);
const FROM = Number(env["SIM_FROM"] ?? 1);
const COARSE = env["SIM_COARSE"] === "1";
/** After so many failures the rest is left out. */
const ENOUGH = 20;

const shown = ({ seed, problems }: Run) => `SIM_SEED=${seed}: ${problems.join("; ")}`;

/** The runs that break a promise, of so many seeds. */
async function failures(from: number, runs: number, options: Options, enough = ENOUGH): Promise<string[]> {
  const failed: string[] = [];
  for (let seed = from; seed < from + runs && failed.length < enough; seed++) {
    const run = await simulate(seed, options);
    if (run.problems.length > 0) failed.push(shown(run));
  }
  return failed;
}

describe.runIf(SEED !== undefined)("one seed", () => {
  test(`[SM1] ${SEED} keeps every promise`, async () => {
    const run = await simulate(Number(SEED), { coarse: COARSE, watch: printer() });
    expect(run.problems, run.trace.slice(-3).join("\n")).toEqual([]);
  });
});

describe.runIf(SEED === undefined)("agents, a person, crashes and a failing store", () => {
  test(
    `[SM1] ${RUNS} seeds from ${FROM} lose nothing, double nothing, and come to rest`,
    async () => {
      expect(await failures(FROM, RUNS, { coarse: COARSE })).toEqual([]);
    },
    60_000 + RUNS * 50,
  );

  for (const { seed, coarse, found } of PINNED)
    test(`[SM1] ${seed}: ${found}`, async () => {
      expect((await simulate(seed, { coarse })).problems).toEqual([]);
    });

  test("[SM2] the same seed leaves the same trace and the same text", async () => {
    for (let seed = FROM; seed < FROM + 20; seed++)
      expect((await simulate(seed)).hash).toBe((await simulate(seed)).hash);
  });

  test.each<Defect>(["acknowledges early", "swaps blindly", "reuses peers"])(
    "[SM3] a planted defect is found: a daemon that %s",
    async (defect) => {
      expect(await failures(1, 4000, { defect }, 1)).toHaveLength(1);
    },
  );
});
