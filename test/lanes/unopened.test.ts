import { expect, onTestFinished, test, vi } from "vitest";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { Workspace } from "../../src/workspace/folder/workspace.ts";
import { Refusal } from "../../src/workspace/outcome/refusal.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { ALICE } from "../workspace/harness.ts";
import { LaneMachine } from "./lane-machine.ts";

/** Refuses to open any document, as with a full store, until the returned function is called. */
function failsToOpen(): () => void {
  const refusal = new Refusal("STORAGE_FULL", "the disk is full");
  const spies = (["opened", "openedById"] as const).map((way) =>
    vi.spyOn(Workspace.prototype, way).mockImplementation(async () => refusal),
  );
  const again = () => {
    for (const spy of spies) spy.mockRestore();
  };
  onTestFinished(again);
  return again;
}

/** Edits the document for Alice. */
async function edit(machine: LaneMachine, old: string, updated: string): Promise<void> {
  const request = { kind: "replace", path: "a.md", plan: planReplace(old, updated, "unique") } as const;
  void new Editor(machine.workspace).edit(ALICE, request);
  await machine.rests();
}

/** Lets more time pass than the lane waits before it tries again. */
async function waits(machine: LaneMachine): Promise<void> {
  for (let seconds = 0; seconds < 32; seconds++) await machine.step(undefined, 1000);
}

test("[LV61] a write in a file whose document cannot be opened is made once it can, beside what others wrote", async () => {
  const machine = await LaneMachine.with("one\n");
  const again = failsToOpen();
  await machine.starts();
  await machine.rests();
  machine.laneDisk.save("a.md", "one\nmine\n");
  machine.hint("a.md");
  await machine.workspace.open("a.md");
  await machine.rests();
  const why = expect.stringContaining("the disk is full");
  expect(await machine.waiting()).toMatchObject([{ path: "a.md", status: "blocked", why }]);
  await edit(machine, "one", "theirs\none");
  again();
  await waits(machine);
  expect(await machine.texts()).toEqual(Array(3).fill("theirs\none\nmine\n"));
  expect(await machine.waiting()).toEqual([]);
});

test("[LV61] so is a change of the workspace for which the document cannot be opened", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  await waits(machine);
  const again = failsToOpen();
  machine.append("theirs\n");
  await machine.rests();
  again();
  await waits(machine);
  expect(await machine.texts()).toEqual(Array(3).fill("one\ntheirs\n"));
  expect(await machine.waiting()).toEqual([]);
});

test("[LV62] a changed file that is no text comes back in no form after the workspace deleted it", async () => {
  const machine = await LaneMachine.with("no text\0");
  await machine.starts();
  await waits(machine);
  machine.laneDisk.save("a.md", "no text either\0");
  machine.hint("a.md");
  await machine.rests();
  expect(await machine.waiting()).toMatchObject([{ path: "a.md" }]);
  machine.disk.remove("a.md");
  await waits(machine);
  expect(machine.disk.exists("a.md")).toBe(false);
  expect(machine.laneDisk.text("a.md")).toBe("no text either\0");
  expect(await machine.waiting()).toMatchObject([{ path: "a.md" }]);
});

test("[LV72] a file that is no text waits only while it has other bytes than the workspace's", async () => {
  const machine = await LaneMachine.with("no text\0");
  await machine.starts();
  await waits(machine);
  machine.laneDisk.save("a.md", "no text\0");
  machine.hint("a.md");
  await machine.rests();
  expect(await machine.waiting()).toEqual([]);
  machine.laneDisk.save("a.md", "another\0");
  machine.hint("a.md");
  await machine.rests();
  expect(await machine.waiting()).toMatchObject([{ path: "a.md", status: "blocked" }]);
});
