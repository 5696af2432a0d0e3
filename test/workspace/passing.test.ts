import { expect, test } from "vitest";
import { maintain } from "../../src/workspace/folder/maintenance.ts";
import { Bench } from "./harness.ts";

test("[MY3] the process hears when a pass over all files begins and when it ended", async () => {
  const bench = new Bench({ "a.md": "a\n", "b.md": "b\n" });
  const { workspace } = bench;
  const heard: (readonly [boolean, string])[] = [];
  Object.assign(workspace.ports, {
    passing: (isUnderWay: boolean) => heard.push([isUnderWay, workspace.cover.status.stage]),
  });
  const ending = new AbortController();
  const house = maintain(workspace, ending.signal);
  await expect.poll(() => heard.length, { timeout: 20_000 }).toBeGreaterThan(1);
  ending.abort();
  await house;
  expect(heard.slice(0, 2)).toEqual([
    [true, "waiting"],
    [false, "covered"],
  ]);
});

test.each([
  [true, []],
  [false, ["housekeeping.failed"]],
])("[CV52] a pass that fails is reported, but not where the daemon stops: %j", async (stops, reports) => {
  const bench = new Bench({ "a.md": "a\n" });
  const { workspace } = bench;
  const reported: string[] = [];
  const ending = new AbortController();
  const ended = new Promise<void>((resolve) => {
    Object.assign(workspace.ports, {
      report: (event: string) => reported.push(event),
      passing: (isUnderWay: boolean) => isUnderWay || resolve(),
    });
  });
  workspace.cover.pass = () => {
    if (stops) ending.abort();
    return Promise.reject(new Error("the pool is closed"));
  };
  const house = maintain(workspace, ending.signal);
  await ended;
  ending.abort();
  await house;
  expect(reported).toEqual(reports);
});
