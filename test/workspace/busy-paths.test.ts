import { expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { BusyPaths } from "../../src/workspace/folder/busy-paths.ts";
import { drained } from "../helpers/drained.ts";

const [A, B] = ["a.md", "b.md"] as [DocPath, DocPath];

test("[DC38] a path is busy until all work there has ended, in any order, also with an error", async () => {
  const busy = new BusyPaths();
  const ends: (() => void)[] = [];
  const work = (paths: DocPath[]) => busy.during(paths, new Promise<void>((end) => ends.push(end)));
  const works = [work([A, B]), work([A])];
  const failed = busy.during([A], Promise.reject(new Error("as the test wants it")));
  await expect(failed).rejects.toThrow("as the test wants it");
  let isSettled = false;
  const settled = busy.settled(A).then(() => {
    isSettled = true;
  });
  ends[0]!();
  await drained();
  expect([busy.has(A), busy.has(B), isSettled]).toEqual([true, false, false]);
  ends[1]!();
  await Promise.all([...works, settled]);
  expect([busy.has(A), busy.ended(A)]).toEqual([false, undefined]);
});
