import { expect, test } from "vitest";
import { laneFileShelf, shelvedFile } from "../../src/lanes/record.ts";
import { accepted, BOB } from "../workspace/harness.ts";
import { LaneMachine } from "./lane-machine.ts";

const REVIEWER = { ...BOB, role: "person" } as const;
const DEATHS = Array.from({ length: 24 }, (_, i) => [Math.floor(i / 3), i % 3] as const);

/** Makes a lane with a pending proposal of the line `mine`, where another line follows in the workspace. */
async function proposed(): Promise<LaneMachine> {
  const machine = await LaneMachine.with("one\ntwo\n", { propose: true });
  await machine.starts();
  machine.laneDisk.save("a.md", "one\ntwo\nmine\n");
  machine.hint("a.md");
  await machine.rests();
  machine.append("three\n");
  await machine.rests();
  return machine;
}

const pendingOf = async ({ proposals }: LaneMachine) =>
  accepted(await proposals.list(REVIEWER, { status: "pending" })).proposals;

test.each(DEATHS)(
  "[LV13, LV37] an approved line is there once, though the daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    const machine = await proposed();
    const [{ id } = { id: "" }] = await pendingOf(machine);
    void machine.proposals.approve(REVIEWER, { id });
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    await machine.starts();
    await machine.rests();
    for (const { id } of await pendingOf(machine)) void machine.proposals.approve(REVIEWER, { id });
    await machine.rests();
    expect(await pendingOf(machine)).toEqual([]);
    for (const text of await machine.texts())
      expect(text!.split("\n").sort()).toEqual(["", "mine", "one", "three", "two"]);
  },
);

test.each(DEATHS)(
  "[LV11, LV13] a rejected line is rejected or pending, though the daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    const machine = await proposed();
    const [{ id } = { id: "" }] = await pendingOf(machine);
    void machine.proposals.reject(REVIEWER, id, "too loud");
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    await machine.starts();
    await machine.rests();
    const isPending = (await pendingOf(machine)).length > 0;
    expect(await machine.waiting()).toMatchObject([
      { path: "a.md", status: isPending ? "proposed" : "rejected" },
    ]);
  },
);

test("[LV12] a text that waits is read again, if the daemon died after the note of its stamps", async () => {
  const machine = await proposed();
  await machine.dies();
  const [record] = [...machine.store.shelf(laneFileShelf)];
  void machine.store.shelve(shelvedFile({ ...record!, sha256: "0".repeat(64), proposal: undefined }));
  machine.store.flush();
  await machine.starts();
  await machine.rests();
  for (const { id } of await pendingOf(machine)) void machine.proposals.approve(REVIEWER, { id });
  await machine.rests();
  for (const text of await machine.texts())
    expect(text!.split("\n").sort()).toEqual(["", "mine", "one", "three", "two"]);
});

test("[LV12] a file with a text that waits is deleted in a proposal, if the agent deletes it while no daemon runs", async () => {
  const machine = await LaneMachine.with("one\ntwo\n", { propose: true });
  await machine.starts();
  machine.laneDisk.save("a.md", "one\ntwo\nmine\n");
  machine.hint("a.md");
  await machine.rests();
  await machine.dies();
  machine.laneDisk.remove("a.md");
  await machine.starts();
  await machine.rests();
  expect(await machine.waiting()).toMatchObject([{ path: "a.md", status: "proposed", deleted: true }]);
});

test.each([0, 1, 2, 3, 4, 5])(
  "[LV10, LV12] a text that waits stays the agent's, if it is read while others' text is stored (%i steps after a start)",
  async (steps) => {
    const machine = await proposed();
    await machine.dies();
    machine.laneDisk.append("a.md", "more\n");
    await machine.starts({
      gate: async (what) => {
        if (what === "read") await new Promise<void>((go) => void machine.clock.after(20, go));
      },
    });
    for (let i = 0; i < steps; i++) await machine.step(undefined, 1);
    machine.append("four\n");
    await machine.settled();
    for (let i = 0; i < 10; i++) await machine.step(0, 10);
    await machine.rests();
    for (const { id } of await pendingOf(machine)) void machine.proposals.approve(REVIEWER, { id });
    await machine.rests();
    for (const text of await machine.texts())
      expect(text!.split("\n").sort()).toEqual(["", "four", "mine", "more", "one", "three", "two"]);
  },
);
