import { beforeEach, describe, expect, test } from "vitest";
import { DisplacedFiles } from "../../src/mirror/displaced-files.ts";
import { isFileProblem } from "../../src/mirror/files.ts";
import { decode } from "../../src/mirror/format.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";

const PATH = "a.md" as DocPath;
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (content: string) => decode(bytes(content))!;

let clock: FakeClock;
let disk: FakeDisk;
let strays: DisplacedFiles;
let told: string[];

const late: Parameters<DisplacedFiles["sweep"]>[0] = (known, content) =>
  void told.push(`${known.text.toString()} → ${content.text.toString()}`);

/** Lets time pass, and has them looked at as often as the daemon does. */
async function wait(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) {
    clock.step(250);
    await strays.sweep(late);
    await drained();
  }
}

/** Replaces the file, which holds `old`; what it was is a stray from then on. */
async function replace(old: string): Promise<void> {
  const files = new FakeFiles(disk);
  const image = files.look(PATH);
  if (isFileProblem(image)) throw new Error(image.message);
  const staged = await files.stage([bytes("new")], image);
  if (isFileProblem(staged)) throw new Error(staged.message);
  const swapped = staged.swap(PATH, image);
  if (isFileProblem(swapped)) throw new Error(swapped.message);
  strays.add(swapped.displaced!, image, text(old));
}

beforeEach(() => {
  clock = new FakeClock();
  disk = new FakeDisk(clock);
  strays = new DisplacedFiles(clock, 1000);
  told = [];
  disk.write(PATH, "old");
});

describe("a file that was replaced", () => {
  test("[I3] is let go of after a while when nobody writes to it", async () => {
    await replace("old");
    expect(strays.none).toBe(false);
    await wait(1000);
    expect([strays.none, told]).toEqual([true, []]);
  });

  test("[I3] what somebody writes who had it open is told of, from what it held, as often as that is", async () => {
    const inode = disk.inode(PATH)!;
    const close = disk.openForWriting(PATH);
    await replace("old");
    await wait(2000);
    disk.writeInto(inode, bytes("old, late"));
    await wait(2000);
    disk.writeInto(inode, bytes("old, late, later"));
    close();
    await wait(2000);
    expect(told).toEqual(["old → old, late", "old, late → old, late, later"]);
    expect(strays.none).toBe(true);
  });

  test("[CL4] is let go of in time although the clock is set back meanwhile", async () => {
    await replace("old");
    clock.jump(-365 * 24 * 60 * 60 * 1000);
    await wait(1000);
    expect(strays.none).toBe(true);
  });

  test("[I3] what was emptied to be written anew is waited for", async () => {
    const inode = disk.inode(PATH)!;
    const close = disk.openForWriting(PATH);
    await replace("old");
    disk.writeInto(inode, bytes(""));
    await wait(3000);
    disk.writeInto(inode, bytes("anew"));
    close();
    await wait(1000);
    expect(told).toEqual(["old → anew"]);
  });

  test("[I3] of a crowd only those stay that somebody has open, and what is written to them is told of at the end", async () => {
    const inode = disk.inode(PATH)!;
    disk.openForWriting(PATH);
    await replace("old");
    for (let i = 0; i < 400; i++) await replace("new");
    disk.writeInto(inode, bytes("old, late"));
    await strays.close(late);
    expect(told).toEqual(["old → old, late"]);
    expect(strays.none).toBe(true);
  });
});
