import { expect, test } from "vitest";
import { laneFileShelf } from "../../src/lanes/records/record.ts";
import type { Inode } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { LaneMachine } from "./lane-machine.ts";

const BEGUN = "one\ntwo\n";

/** A machine with a running daemon, whose lane has a line of Alice's. */
async function begun(): Promise<LaneMachine> {
  const machine = await LaneMachine.with(BEGUN);
  await machine.starts();
  machine.append("three\n");
  await machine.rests();
  expect(machine.laneDisk.text("a.md")).toBe("one\ntwo\nthree\n");
  return machine;
}

/** Gives the file of the lane the bytes that a power cut left: no program has written them. */
function leaves({ laneDisk }: LaneMachine, file: Inode, bytes: Uint8Array): void {
  laneDisk.name("a.md", { ...file, bytes });
  Object.assign(laneDisk.inode("a.md")!, { ctimeNs: file.ctimeNs });
}

test("[LV87] zeros of a power cut are no file of the lane, though its size and times are the known ones", async () => {
  const machine = await begun();
  const file = { ...machine.laneDisk.inode("a.md")! };
  await machine.losesPower(() => leaves(machine, file, new Uint8Array(file.bytes.length)));
  await machine.rests();
  expect(await machine.texts()).toEqual(Array(3).fill("one\ntwo\nthree\n"));
});

test("[LV87] so are zeros in a part of a copy whose document nobody has opened", async () => {
  const machine = await LaneMachine.with(BEGUN);
  const file = { ...machine.laneDisk.inode("a.md")! };
  const bytes = Uint8Array.from(file.bytes, (byte, i) => (i < 4 ? 0 : byte));
  await machine.losesPower(() => leaves(machine, file, bytes));
  await machine.rests();
  expect(await machine.texts()).toEqual(Array(3).fill(BEGUN));
});

test("[LV88] a text that the agent wrote before others' text came into it is no later write of the agent", async () => {
  const machine = await LaneMachine.with(BEGUN);
  await machine.starts();
  await machine.workspace.open("a.md");
  machine.disk.save("a.md", "one\nothers\n");
  machine.laneDisk.append("a.md", "mine\n");
  const written = { ...machine.laneDisk.inode("a.md")! };
  machine.workspace.hint(`${machine.disk.root}/a.md`);
  machine.hint("a.md");
  await machine.rests();
  const merged = "one\nothers\nmine\n";
  expect(machine.laneDisk.text("a.md")).toBe(merged);
  await machine.losesPower(() => leaves(machine, written, written.bytes));
  await machine.rests();
  expect(await machine.texts()).toEqual(Array(3).fill(merged));
});

test("[LV90] a file that a power cut took away comes again, though the agent's next file has its inode number", async () => {
  const machine = await LaneMachine.with(BEGUN);
  machine.disk.save("b.md", "two\n");
  await machine.starts();
  await machine.rests();
  expect(machine.laneDisk.text("b.md")).toBe("two\n");
  await machine.losesPower(() => {
    const { ino } = machine.laneDisk.inode("b.md")!;
    machine.laneDisk.remove("b.md");
    machine.laneDisk.save("a.md", `mine\n${BEGUN}`);
    expect(machine.laneDisk.inode("a.md")!.ino).toBe(ino);
  });
  await machine.rests();
  expect([machine.disk.text("b.md"), machine.laneDisk.text("b.md")]).toEqual(["two\n", "two\n"]);
  expect(await machine.texts()).toEqual(Array(3).fill(`mine\n${BEGUN}`));
});

test("[LV91] a text that no daemon has seen is no later write of the agent if the newest text only adds to it", async () => {
  const machine = await begun();
  machine.laneDisk.save("a.md", "mine\none\ntwo\nthree\n");
  const unseen = { ...machine.laneDisk.inode("a.md")! };
  machine.laneDisk.save("a.md", "more\nmine\none\ntwo\nthree\n");
  machine.hint("a.md");
  await machine.rests();
  await machine.losesPower(() => leaves(machine, unseen, unseen.bytes));
  await machine.rests();
  expect(await machine.texts()).toEqual(Array(3).fill("more\nmine\none\ntwo\nthree\n"));
});

test("[LV92] a file that the agent saved as another one, and moved, right before a power cut is there once", async () => {
  const machine = await begun();
  await machine.losesPower(() => {
    machine.laneDisk.save("a.md", "one\nmine\nthree\n");
    machine.laneDisk.move("a.md", "b.md");
  });
  await machine.rests();
  expect([machine.disk.paths(), machine.laneDisk.paths()]).toEqual([["b.md"], ["b.md"]]);
  expect(await machine.texts("b.md")).toEqual(Array(3).fill("one\nmine\nthree\n"));
});

test("[LV95] a file that the agent moved and wrote is the agent's, though the daemon prepared others' text for it then", async () => {
  const machine = await LaneMachine.with(BEGUN);
  const { laneDisk } = machine;
  const before = (what: string) => {
    if (what !== "stage" || !laneDisk.exists("a.md")) return;
    laneDisk.move("a.md", "b.md");
    laneDisk.append("b.md", "mine\n");
  };
  await machine.starts({ before });
  machine.append("three\n");
  const isNoted = () => [...machine.store.shelf(laneFileShelf)].some(({ staged }) => staged !== undefined);
  while (!isNoted()) await machine.step(undefined, 5);
  await machine.losesPower(() => {});
  await machine.rests();
  expect([machine.disk.paths(), laneDisk.paths()]).toEqual([["b.md"], ["b.md"]]);
  for (const text of await machine.texts("b.md"))
    expect(text!.split("\n").sort()).toEqual(["", "mine", "one", "three", "two"]);
});

test("[LV92] it is so, too, if the power goes again before the daemon has read the file", async () => {
  const machine = await begun();
  await machine.losesPower(() => {
    machine.laneDisk.save("a.md", "one\nmine\nthree\n");
    machine.laneDisk.move("a.md", "b.md");
  });
  await machine.losesPower(() => {});
  await machine.rests();
  expect([machine.disk.paths(), machine.laneDisk.paths()]).toEqual([["b.md"], ["b.md"]]);
  expect(await machine.texts("b.md")).toEqual(Array(3).fill("one\nmine\nthree\n"));
});

test("[LV92] it keeps others' text that was on its way into the file, though the agent wrote at the same place", async () => {
  const begun = "the first line\nthe second line\n";
  const machine = await LaneMachine.with(begun);
  const { laneDisk } = machine;
  const before = (what: string) => {
    if (what !== "swap" || !laneDisk.exists("a.md")) return;
    laneDisk.save("a.md", `${begun}line 3 of claude\n`);
    laneDisk.move("a.md", "b.md");
  };
  await machine.starts({ before });
  machine.append("line 3 of alice\n");
  while (laneDisk.exists("a.md")) await machine.step(undefined, 5);
  await machine.losesPower(() => void new FakeFiles(laneDisk).clearLeftBehind([], 0)); // the staged version is gone, too
  await machine.rests();
  expect([machine.disk.paths(), laneDisk.paths()]).toEqual([["b.md"], ["b.md"]]);
  expect(await machine.texts("b.md")).toEqual(Array(3).fill(`${begun}line 3 of alice\nline 3 of claude\n`));
});
