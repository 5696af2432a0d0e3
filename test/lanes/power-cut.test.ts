import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { laneDisk } from "../../src/lanes/disk/disk.ts";
import { sinceRestart } from "../../src/lanes/power-cut.ts";
import { laneFileShelf, laneShelf } from "../../src/lanes/records/record.ts";
import { openSandbox } from "../../src/mirror/disk/sandbox.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted } from "../workspace/harness.ts";
import { LanesBench } from "./lanes-bench.ts";

const NAMES = ["missing", "empty", "cut", "earlier", "written", "moved"].map((name) => `${name}.md`);
const TEXT = "one\ntwo\n";

/** Writes a file as the disk has it after a power cut: with a time that is not later than before. */
function fall(file: string, text: string): void {
  const { mtime } = statSync(file);
  writeFileSync(file, text);
  utimesSync(file, mtime, new Date(mtime.getTime() - 1_000));
}

/** What a lane's folder has after a power cut, and what the agent did in it since. */
function afterCut(lane: string): void {
  rmSync(join(lane, "missing.md"));
  fall(join(lane, "empty.md"), "");
  fall(join(lane, "cut.md"), "one\ntw");
  fall(join(lane, "earlier.md"), "one\n");
  writeFileSync(join(lane, "written.md"), `${TEXT}three\n`);
  renameSync(join(lane, "moved.md"), join(lane, "named.md"));
}

/** Returns a lane whose files have an agent's edit of the workspace. */
async function begun() {
  const at = new LanesBench(Object.fromEntries(NAMES.map((name) => [name, "one\n"])));
  at.ports.disk = { ...laneDisk, bootId: () => "first" };
  await at.restart(() => {});
  const lane = await at.add("a");
  for (const path of NAMES) accepted(await at.bench.edit(ALICE, { path, plan: planAppend("two\n") }));
  const inLane = (path: string) => readFileSync(join(lane, path), "utf8");
  await expect.poll(() => NAMES.map(inLane)).toEqual(NAMES.map(() => TEXT));
  return { at, lane, inLane };
}

test("[LV86] what a power cut takes back in a lane is no write of the agent, and comes again", async () => {
  const { at, lane, inLane } = await begun();
  await at.restart(() => {
    afterCut(lane);
    at.ports.disk = { ...laneDisk, bootId: () => "second" };
  });
  const kept = ["missing.md", "empty.md", "cut.md", "earlier.md"];
  await expect.poll(() => at.bench.text("written.md")).toBe(`${TEXT}three\n`);
  await expect.poll(() => at.bench.text("named.md")).toBe(TEXT);
  await expect.poll(() => kept.map(inLane)).toEqual(kept.map(() => TEXT));
  for (const path of kept) expect([path, await at.bench.text(path)]).toEqual([path, TEXT]);
});

/** Returns what the next daemon needs after a restart of the machine, and the records of a lane. */
async function restarted() {
  const { at, lane } = await begun();
  await at.lanes.close();
  afterCut(lane);
  const { workspace } = at.bench;
  const { store } = workspace.ports;
  const of = { workspace, openFiles: () => openSandbox(lane, () => {}), boot: "second" };
  return { lane, of, record: [...store.shelf(laneShelf)][0]!, files: [...store.shelf(laneFileShelf)] };
}

test("[LV86] the lane forgets them, and knows the files that the agent wrote or moved since", async () => {
  const { lane, of, record, files } = await restarted();
  const [noted, found] = await sinceRestart(of, record, files);
  expect(found.map(({ path }) => path).sort()).toEqual(["moved.md", "written.md"]);
  expect(existsSync(join(lane, "empty.md"))).toBe(false);
  expect(await sinceRestart(of, noted, found)).toEqual([noted, found]);
});

test("[LV86] so it does with a file that has an earlier name again, because a rename was taken back", async () => {
  const { lane, of, record, files } = await restarted();
  const LATER_NS = 3_600_000_000_000n; // an hour: on a busy machine seconds pass before the rename
  const renamed = files.map(({ image, ...one }) => ({
    ...one,
    image: image && { ...image, ctimeNs: image.ctimeNs + LATER_NS },
  }));
  const [, found] = await sinceRestart(of, record, renamed);
  expect(found.map(({ path }) => path)).toEqual(["written.md"]);
  expect(existsSync(join(lane, "named.md"))).toBe(false);
});

test("[LV86] without a restart of the machine they are the agent's", async () => {
  const { at, lane } = await begun();
  await at.restart(() => afterCut(lane));
  await expect.poll(() => at.bench.text("earlier.md")).toBe("one\n");
  await expect.poll(() => existsSync(at.bench.path("missing.md"))).toBe(false);
});
