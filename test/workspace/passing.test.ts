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
