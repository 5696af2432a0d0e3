import { expect, test } from "vitest";
import { ALICE, accepted } from "../workspace/harness.ts";
import { LaneMachine } from "./lane-machine.ts";

/** More than the time between two attempts to remove a file; milliseconds. */
const AGAIN_MS = 35_000;

async function running(): Promise<LaneMachine> {
  const machine = await LaneMachine.with("one\n");
  await machine.starts();
  await machine.rests();
  return machine;
}

/** Deletes the document for Alice, and lets the lane follow. */
async function deletes(machine: LaneMachine): Promise<void> {
  const { workspace } = machine;
  void workspace.open("a.md").then((document) => workspace.remove(ALICE, accepted(document)));
  await machine.rests();
  expect(machine.disk.exists("a.md")).toBe(false);
}

async function waits(machine: LaneMachine): Promise<void> {
  for (let waited = 0; waited < AGAIN_MS; waited += 1_000) await machine.step(undefined, 1_000);
}

test("[LV83] what a program writes into a file that it has open, as others delete the document, is not lost", async () => {
  const machine = await running();
  const close = machine.laneDisk.openForWriting("a.md");
  await deletes(machine);
  await waits(machine);
  expect(machine.laneDisk.exists("a.md")).toBe(true);
  machine.laneDisk.append("a.md", "mine\n");
  close();
  machine.hint("a.md");
  await machine.rests();
  for (const text of await machine.texts()) expect(text).toBe("one\nmine\n");
});

test("[LV83] such a file goes once the program has closed it, if it wrote nothing", async () => {
  const machine = await running();
  const close = machine.laneDisk.openForWriting("a.md");
  await deletes(machine);
  close();
  await waits(machine);
  expect([machine.laneDisk.exists("a.md"), await machine.waiting()]).toEqual([false, []]);
});

test("[LV83] so it does after a restart", async () => {
  const machine = await running();
  const close = machine.laneDisk.openForWriting("a.md");
  await deletes(machine);
  await machine.dies();
  await machine.starts();
  await machine.rests();
  expect(machine.laneDisk.exists("a.md")).toBe(true);
  close();
  await waits(machine);
  expect(machine.laneDisk.exists("a.md")).toBe(false);
});
