import { beforeEach, describe, expect, test, vi } from "vitest";
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
let displaced: DisplacedFiles;
let reported: string[];

const late: Parameters<DisplacedFiles["sweep"]>[0] = (known, content) =>
  void reported.push(`${known.text.toString()} → ${content.text.toString()}`);

/** Lets time pass, with sweeps as often as the daemon's. */
async function wait(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) {
    clock.step(250);
    await displaced.sweep(late);
    await drained();
  }
}

/** Replaces the file, and returns the displaced one with its image. */
async function displace() {
  const files = new FakeFiles(disk);
  const image = files.look(PATH);
  if (isFileProblem(image)) throw new Error(image.message);
  const staged = await files.stage([bytes("new")], image);
  if (isFileProblem(staged)) throw new Error(staged.message);
  const swapped = staged.swap(PATH, image);
  if (isFileProblem(swapped)) throw new Error(swapped.message);
  return { file: swapped.displaced!, image };
}

/** Replaces the file, and returns the displaced one as it was then. */
async function displaceRead() {
  const { bytes } = disk.inode(PATH)!;
  const { file, image } = await displace();
  return { file, reading: { image, bytes } };
}

/** Replaces the file, whose content is `old`, and adds the displaced one. */
async function replace(old: string): Promise<void> {
  const { file, image } = await displace();
  displaced.add(file, image, text(old));
}

beforeEach(() => {
  clock = new FakeClock();
  disk = new FakeDisk(clock);
  displaced = new DisplacedFiles(clock, 1000);
  reported = [];
  disk.write(PATH, "old");
});

describe("a displaced file", () => {
  test("[I3] is discarded after a while when no process writes to it", async () => {
    await replace("old");
    expect(displaced.none).toBe(false);
    await wait(1000);
    expect([displaced.none, reported]).toEqual([true, []]);
  });

  test("[I3] each write by a process that had it open is reported, from the content before", async () => {
    const inode = disk.inode(PATH)!;
    const close = disk.openForWriting(PATH);
    await replace("old");
    await wait(2000);
    disk.writeInto(inode, bytes("old, late"));
    await wait(2000);
    disk.writeInto(inode, bytes("old, late, later"));
    close();
    await wait(2000);
    expect(reported).toEqual(["old → old, late", "old, late → old, late, later"]);
    expect(displaced.none).toBe(true);
  });

  test("[I3j] what a process wrote through a mapping, with the stamp as it was, is reported once it is closed", async () => {
    const inode = disk.inode(PATH)!;
    const close = disk.openForWriting(PATH);
    await replace("old");
    await wait(1000);
    inode.bytes = bytes("odd");
    close();
    await wait(1000);
    expect([displaced.none, reported]).toEqual([true, ["old → odd"]]);
  });

  test("[I3j] what a process wrote through a mapping and closed before the swap is reported", async () => {
    const inode = disk.inode(PATH)!;
    const { file, image } = await displace();
    inode.bytes = bytes("odd");
    displaced.add(file, image, text("old"), true);
    await displaced.close(late);
    expect([displaced.none, reported]).toEqual([true, ["old → odd"]]);
  });

  test("[I3j] what a process writes through a mapping for long is reported meanwhile", async () => {
    const inode = disk.inode(PATH)!;
    const close = disk.openForWriting(PATH);
    await replace("old");
    await wait(1000);
    inode.bytes = bytes("odd");
    await wait(3000);
    expect(reported).toEqual(["old → odd"]);
    inode.bytes = bytes("own");
    close();
    await wait(1000);
    expect([displaced.none, reported]).toEqual([true, ["old → odd", "odd → own"]]);
  });

  test("[CL4] is discarded in time although the clock is set back meanwhile", async () => {
    await replace("old");
    clock.jump(-365 * 24 * 60 * 60 * 1000);
    await wait(1000);
    expect(displaced.none).toBe(true);
  });

  test("[I3] is not read while it is empty before a new write", async () => {
    const inode = disk.inode(PATH)!;
    const close = disk.openForWriting(PATH);
    await replace("old");
    disk.writeInto(inode, bytes(""));
    await wait(3000);
    disk.writeInto(inode, bytes("anew"));
    close();
    await wait(1000);
    expect(reported).toEqual(["old → anew"]);
  });

  test("[I3] of a crowd only those with a writer stay, and their writes are reported at the end", async () => {
    const inode = disk.inode(PATH)!;
    disk.openForWriting(PATH);
    await replace("old");
    for (let i = 0; i < 400; i++) await replace("new");
    disk.writeInto(inode, bytes("old, late"));
    await displaced.close(late);
    expect(reported).toEqual(["old → old, late"]);
    expect(displaced.none).toBe(true);
  });

  test("[I3g] stays while the system refuses to show it, and a write into it is reported afterwards", async () => {
    const inode = disk.inode(PATH)!;
    const { file, image } = await displace();
    let isRefused = true;
    const problem = { kind: "io", message: "no descriptor left" } as const;
    displaced.add({ ...file, look: () => (isRefused ? problem : file.look()) }, image, text("old"));
    await wait(2000);
    expect([displaced.none, reported]).toEqual([false, []]);
    disk.writeInto(inode, bytes("old, late"));
    isRefused = false;
    await wait(1000);
    expect([displaced.none, reported]).toEqual([true, ["old → old, late"]]);
  });

  test("[I3g] whose write the document refuses until its end is reported to the next object of the document", async () => {
    const inode = disk.inode(PATH)!;
    disk.openForWriting(PATH);
    await replace("old");
    disk.writeInto(inode, bytes("old, late"));
    clock.step(1000);
    await displaced.sweep(() => Promise.reject(new Error("no space left")));
    inode.writers = 0;
    await displaced.close(() => Promise.reject(new Error("no space left")));
    await drained();
    const next = new DisplacedFiles(clock, 1000);
    next.adopt(displaced.unmerged);
    displaced = next;
    await wait(1000);
    expect([displaced.none, reported]).toEqual([true, ["old → old, late"]]);
  });

  test("[I3g] that the system refuses to show at the end stays for the next process", async () => {
    const { file, image } = await displace();
    const discard = vi.fn(file.discard);
    const look = () => ({ kind: "denied", message: "not now" }) as const;
    displaced.add({ ...file, look, discard }, image, text("old"));
    await displaced.close(late);
    expect(discard).not.toHaveBeenCalled();
  });

  test("[I3g] whose write the document refuses is reported again, also after a defect", async () => {
    const inode = disk.inode(PATH)!;
    await replace("old");
    disk.openForWriting(PATH);
    disk.writeInto(inode, bytes("old, late"));
    clock.step(1000);
    const defect = () => {
      throw new Error("a defect");
    };
    await expect(displaced.sweep(defect)).rejects.toThrow("a defect");
    await displaced.sweep(() => Promise.reject(new Error("the document is broken")));
    await drained();
    expect(displaced.none).toBe(false);
    await wait(2000);
    expect([displaced.none, reported]).toEqual([true, ["old → old, late"]]);
  });

  test("[I3e] with a save that its program still writes is reported whole, once it is whole", async () => {
    const finish = disk.tear(PATH, "new and longer", 3);
    displaced.addUnseen(await displaceRead(), text("old text"), undefined, late);
    await wait(2000);
    expect([displaced.none, reported]).toEqual([false, []]);
    finish();
    await wait(1000);
    expect([displaced.none, reported]).toEqual([true, ["old text → new and longer"]]);
  });

  test("[I3e] with such a save stays for the next process when this one stops before the program is done", async () => {
    disk.tear(PATH, "new and longer", 3);
    const left = await displaceRead();
    displaced.addUnseen(left, text("old text"), undefined, late);
    await displaced.close(late);
    expect([isFileProblem(left.file.look()), reported]).toEqual([false, []]);
    expect(displaced.unmerged.map(({ file }) => file)).toEqual([left.file]);
  });

  test("[I3e] with such a save is reported whole also if its program ended after the daemon had read the file", async () => {
    const finish = disk.tear(PATH, "new and longer", 3);
    const left = await displaceRead();
    finish();
    displaced.addUnseen(left, text("old text"), undefined, late);
    await wait(1000);
    expect([displaced.none, reported]).toEqual([true, ["old text → new and longer"]]);
  });

  test.each([
    ["is durable", true, 1],
    ["is durable, and the merge is made again when the store refuses it,", false, 2],
  ])("[I3e] stays until the merge of it %s", async (_, isDurable, merges) => {
    const left = await displaceRead();
    let end = () => {};
    const merging = new Promise<void>((resolve, refuse) => {
      end = () => (isDurable ? resolve() : refuse(new Error("no space left")));
    });
    const merge: typeof late = (known, content) => {
      late(known, content);
      return merging;
    };
    displaced.addUnseen(left, text("before"), undefined, merge);
    await wait(2000);
    expect(isFileProblem(left.file.look())).toBe(false);
    end();
    await drained();
    await wait(2000);
    expect(isFileProblem(left.file.look())).toBe(true);
    expect(reported).toEqual(Array(merges).fill("before → old"));
  });

  test("[I3g] that still has a save to merge stays, though a look and the end of its document come at once", async () => {
    const held = await displace();
    displaced.add(held.file, held.image, text("odd"), true);
    disk.write(PATH, "older");
    await replace("older");
    disk.tear(PATH, "new and longer", 3);
    const left = await displaceRead();
    displaced.addUnseen(left, text("old text"), undefined, late);
    clock.step(1000);
    // While the end reads the first file, the look finds that nobody writes to the second.
    await Promise.all([displaced.close(late), displaced.sweep(late)]);
    await drained();
    expect(displaced.unmerged.map(({ file }) => file)).toEqual([left.file]);
  });

  test("[I3g] whose merge is on its way into the store when its document ends does not keep the next object busy", async () => {
    const left = await displaceRead();
    let end = () => {};
    const merging = new Promise<void>((resolve) => {
      end = resolve;
    });
    displaced.addUnseen(left, text("before"), undefined, () => merging);
    const next = new DisplacedFiles(clock, 1000);
    const adopted = displaced.close(late).then(() => next.adopt([...displaced.unmerged]));
    await drained();
    end();
    await adopted;
    await drained();
    displaced = next;
    await wait(2000);
    expect(displaced.none).toBe(true);
  });
});
