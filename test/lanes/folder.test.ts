import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeFolder, removeRemains } from "../../src/lanes/disk/folder.ts";

function makeLane(): { around: string; lane: string } {
  const around = mkdtempSync(join(tmpdir(), "spliced-lanes-"));
  onTestFinished(() => rmSync(around, { recursive: true, force: true }));
  const lane = join(around, "notes.lanes/ann");
  mkdirSync(join(lane, ".spliced"), { recursive: true });
  writeFileSync(join(lane, ".spliced/lane.json"), "{}");
  writeFileSync(join(lane, ".spliced/.gitignore"), "*\n");
  return { around, lane };
}

test("[LV34] what a killed removal leaves without a mark is removed, and nothing that has a file", () => {
  for (const left of ["", ".spliced"]) {
    const { around, lane } = makeLane();
    rmSync(left === "" ? join(lane, ".spliced") : join(lane, ".spliced/lane.json"), { recursive: true });
    if (left !== "") rmSync(join(lane, ".spliced/.gitignore"));
    removeRemains(lane);
    expect(existsSync(join(around, "notes.lanes"))).toBe(false);
    expect(existsSync(around)).toBe(true);
  }
  const { lane } = makeLane();
  writeFileSync(join(lane, "mine.md"), "mine\n");
  removeRemains(lane);
  expect(existsSync(join(lane, "mine.md"))).toBe(true);
});

test("[LV34] a removal takes the lane's folder with the folder of lanes, and leaves other lanes", async () => {
  const { lane } = makeLane();
  writeFileSync(join(lane, "a.md"), "a\n");
  const other = join(lane, "../bob");
  mkdirSync(other);
  await removeFolder(lane, { keeps: () => false, mayKeepIn: () => false });
  expect(existsSync(lane)).toBe(false);
  expect(existsSync(other)).toBe(true);
  rmSync(other, { recursive: true });
});

test("[LV69] a removal names what a program writes behind it", async () => {
  const { lane } = makeLane();
  writeFileSync(join(lane, "a.md"), "a\n");
  mkdirSync(join(lane, "sub"));
  const keeps = () => false;
  const mayKeepIn = () => {
    writeFileSync(join(lane, "late.md"), "late\n"); // after the names were listed
    return true;
  };
  expect(await removeFolder(lane, { keeps, mayKeepIn })).toEqual(["late.md"]);
  expect(existsSync(join(lane, "late.md"))).toBe(true);
});
