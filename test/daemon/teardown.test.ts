import { expect, test } from "vitest";
import { runInReverse } from "../../src/daemon/process/teardown.ts";

test("[LT4] each step runs once, the last one first, also where others fail; the first error is the result", async () => {
  const ran: string[] = [];
  const step = (name: string, error?: string) => async () => {
    ran.push(name);
    if (error !== undefined) throw new Error(error);
  };
  const steps = [step("lock"), step("store", "no space"), step("watcher", "no watch"), step("page")];
  await expect(runInReverse(steps)).rejects.toThrow("no watch");
  expect(ran).toEqual(["page", "watcher", "store", "lock"]);
  await runInReverse(steps);
  expect(ran).toHaveLength(4);
});
