import { expect, onTestFinished, test, vi } from "vitest";
import { Text } from "../../src/text/text.ts";
import { Workspace } from "../../src/workspace/folder/workspace.ts";
import { PolicyEditor } from "../../src/workspace/proposals/policy-editor.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { ALICE, accepted } from "../workspace/harness.ts";
import { LaneMachine } from "./lane-machine.ts";

/** Makes the system fail to list all files from now on, until the returned function is called. */
function failsToList(): () => void {
  const walk = vi.spyOn(FakeFiles.prototype, "walk").mockImplementation(() => {
    throw new Error("EMFILE");
  });
  onTestFinished(() => walk.mockRestore());
  return () => walk.mockRestore();
}

test("[LV51] a look at all files that fails stops no later look", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  await machine.rests();
  const again = failsToList();
  machine.laneDisk.save("b.md", "two\n"); // no hint
  for (let seconds = 0; seconds < 70; seconds++) await machine.step(undefined, 1000);
  expect(machine.disk.text("b.md")).toBeUndefined();
  again();
  for (let seconds = 0; seconds < 7; seconds++) await machine.step(undefined, 1000);
  expect(machine.disk.text("b.md")).toBe("two\n");
});

test("[LV51] hints that fail lose no change, and stop no later hint", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  await machine.rests();
  const again = failsToList();
  machine.laneDisk.save("b.md", "two\n");
  machine.hint("b.md", ...Array.from({ length: 60 }, (_, i) => `${i}.md`)); // so many that it looks at all
  await machine.rests();
  machine.laneDisk.save("c.md", "three\n");
  machine.hint("c.md");
  await machine.rests();
  expect(["b.md", "c.md"].map((path) => machine.disk.text(path))).toEqual([undefined, "three\n"]);
  again();
  for (let seconds = 0; seconds < 7; seconds++) await machine.step(undefined, 1000);
  expect(machine.disk.text("b.md")).toBe("two\n");
});

/** Lets each look at all files wait, after it has seen the files, until the returned function is called. */
function pausesLooks(): () => void {
  const { walk } = FakeFiles.prototype;
  let goOn: () => void = () => {};
  const paused = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const spy = vi.spyOn(FakeFiles.prototype, "walk").mockImplementation(async function* (
    this: FakeFiles,
    skip,
  ) {
    for await (const listed of walk.call(this, skip)) yield listed;
    await paused;
  });
  onTestFinished(() => spy.mockRestore());
  return goOn;
}

test("[LV64] so many hints that they mean a look at all files find what changed behind the one under way", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  await machine.rests();
  const goOn = pausesLooks();
  for (let seconds = 0; seconds < 70; seconds++) await machine.step(undefined, 1000);
  machine.laneDisk.save("b.md", "two\n");
  machine.hint("b.md", ...Array.from({ length: 60 }, (_, i) => `${i}.md`));
  await machine.settled();
  goOn();
  await machine.rests();
  expect(machine.disk.text("b.md")).toBe("two\n");
});

test("[LV64] a look at all files takes in every write until then, also behind another one under way", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  await machine.rests();
  const goOn = pausesLooks();
  for (let seconds = 0; seconds < 70; seconds++) await machine.step(undefined, 1000);
  machine.laneDisk.save("b.md", "two\n"); // no hint
  const looked = machine.looksAtAll();
  await machine.settled();
  goOn();
  await machine.rests();
  await looked;
  expect(machine.disk.text("b.md")).toBe("two\n");
});

/** Lets more time pass than the lane waits before it tries again. */
async function waits(machine: LaneMachine): Promise<void> {
  for (let seconds = 0; seconds < 32; seconds++) await machine.step(undefined, 1000);
}

test("[LV52] a write that the daemon fails to take in stays in the lane, and is taken in later", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  await waits(machine);
  vi.spyOn(PolicyEditor.prototype, "edit").mockRejectedValueOnce(new Error("the worker died"));
  machine.laneDisk.save("a.md", "one\nmine\n");
  machine.hint("a.md");
  await machine.rests();
  const why = expect.stringContaining("the worker died");
  expect(await machine.waiting()).toMatchObject([{ path: "a.md", status: "refused", why }]);
  expect(await machine.texts()).toEqual(["one\n", "one\n", "one\nmine\n"]);
  await waits(machine);
  expect(await machine.texts()).toEqual(Array(3).fill("one\nmine\n"));
  expect(await machine.waiting()).toEqual([]);
});

test("[LV52] so does a deletion", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  await waits(machine);
  vi.spyOn(Workspace.prototype, "remove").mockRejectedValueOnce(new Error("the worker died"));
  machine.laneDisk.remove("a.md");
  machine.hint("a.md");
  await machine.rests();
  expect(await machine.waiting()).toMatchObject([{ path: "a.md", status: "refused", deleted: true }]);
  await waits(machine);
  expect(machine.disk.exists("a.md")).toBe(false);
  expect(await machine.waiting()).toEqual([]);
});

/** Makes a file for which the lane has no space. */
async function unplaced(): Promise<LaneMachine> {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  await waits(machine);
  machine.laneDisk.full = true;
  void machine.workspace.create(ALICE, "b.md", { bom: false, text: Text.of("two\n") });
  await machine.rests();
  expect(machine.disk.text("b.md")).toBe("two\n");
  const why = expect.stringContaining("no space left");
  expect(await machine.waiting()).toMatchObject([{ path: "b.md", status: "blocked", why }]);
  return machine;
}

test("[LV53] a file for which the lane has no space is named, and comes once there is space", async () => {
  const machine = await unplaced();
  machine.laneDisk.full = false;
  await waits(machine);
  expect(machine.laneDisk.text("b.md")).toBe("two\n");
  expect(await machine.waiting()).toEqual([]);
});

test("[LV53] it is no longer named once the workspace has deleted it", async () => {
  const machine = await unplaced();
  void machine.workspace.remove(ALICE, accepted(await machine.workspace.open("b.md")));
  await waits(machine);
  expect(machine.disk.exists("b.md")).toBe(false);
  expect(await machine.waiting()).toEqual([]);
});

test("[LV53] so is one in whose place the lane has a folder, which comes once that is gone", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  machine.laneDisk.makeFolder("b.md");
  void machine.workspace.create(ALICE, "b.md", { bom: false, text: Text.of("two\n") });
  await machine.rests();
  const why = "b.md is a folder";
  expect(await machine.waiting()).toMatchObject([{ path: "b.md", status: "blocked", why }]);
  machine.laneDisk.removeFolder("b.md");
  await waits(machine);
  expect(machine.laneDisk.text("b.md")).toBe("two\n");
  expect(await machine.waiting()).toEqual([]);
});

test("[LV65] a folder that is moved out of the lane takes its files with it", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  machine.laneDisk.save("d/b.md", "two\n");
  machine.hint("d");
  await machine.rests();
  expect(machine.disk.text("d/b.md")).toBe("two\n");
  for (let seconds = 0; seconds < 90; seconds++) await machine.step(undefined, 1000); // the file leaves memory
  machine.laneDisk.remove("d/b.md");
  machine.laneDisk.removeFolder("d");
  machine.hint("d"); // the system tells of the folder alone
  await machine.rests();
  expect(machine.disk.exists("d/b.md")).toBe(false);
});

test.for([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  "[LV66] a file that the agent makes again as its deletion is taken in is there once: after %i writes of the store",
  async (kept) => {
    const machine = await LaneMachine.with("one\n");
    await machine.starts();
    await machine.rests();
    machine.laneDisk.remove("a.md");
    machine.hint("a.md");
    for (let i = 0; i < kept; i++) await machine.step(1, 200);
    for (let i = 0; i < 8; i++) await machine.step(0, 100);
    machine.laneDisk.save("a.md", "two\n");
    machine.hint("a.md");
    await machine.settled();
    await machine.step(undefined, 1); // the store takes the rest before the file has settled
    await machine.rests();
    expect(machine.disk.text("a.md")).toBe("two\n");
  },
);

test("[LV53] a file in whose place the agent made a folder is no longer named once the workspace has deleted it", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  machine.laneDisk.remove("a.md");
  machine.laneDisk.save("a.md/b.md", "two\n");
  machine.hint("a.md");
  await machine.rests();
  expect((await machine.waiting())[0]).toMatchObject({ path: "a.md", why: "a.md is a folder" });
  void machine.workspace.remove(ALICE, accepted(await machine.workspace.open("a.md")));
  await waits(machine);
  expect(await machine.waiting()).toEqual([]);
  expect(machine.disk.text("a.md/b.md")).toBe("two\n");
});
