import { expect, test } from "vitest";
import { laneFileShelf, shelvedFile } from "../../src/lanes/records/record.ts";
import type { ShownProposal } from "../../src/workspace/proposals/show.ts";
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

/** Returns the pending proposals, once the store has what the list waits for. */
async function pendingOf(machine: LaneMachine): Promise<readonly ShownProposal[]> {
  let listed: readonly ShownProposal[] | undefined;
  void machine.proposals.list(REVIEWER, { status: "pending" }).then((list) => {
    listed = accepted(list).proposals;
  });
  for (await machine.settled(); listed === undefined; ) await machine.step(1, 1);
  return listed;
}

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

/** A reviewer approves what is pending until nothing is; each line is in each text once. */
async function approvesAll(machine: LaneMachine, path: string, ...lines: readonly string[]): Promise<void> {
  for (let left = await pendingOf(machine); left.length > 0; left = await pendingOf(machine)) {
    for (const { id } of left) void machine.proposals.approve(REVIEWER, { id });
    await machine.rests();
  }
  expect(await machine.waiting()).toEqual([]);
  for (const text of await machine.texts(path))
    expect(text!.split("\n").sort()).toEqual(["", ...lines, "one", "three", "two"].sort());
}

const WAITS = Array.from({ length: 48 }, (_, i) => [Math.floor(i / 3), i % 3] as const);

test.each(WAITS)(
  "[LV9, LV13, LV37] so is one that the agent added to, though the daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    const machine = await proposed();
    machine.laneDisk.save("a.md", "one\ntwo\nmine\nmore\n");
    machine.hint("a.md");
    for (let i = 0; i < steps; i++) await machine.step(1, i < 3 ? 5 : 100);
    await machine.dies(kept);
    await machine.starts();
    await approvesAll(machine, "a.md", "mine", "more");
  },
);

test.each(WAITS)(
  "[LV9, LV13] a text that nobody reviewed stays proposed, though the daemon dies %i steps after a write of another file (%i)",
  async (steps, kept) => {
    const machine = await proposed();
    machine.laneDisk.save("b.md", "new\n");
    machine.hint("b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, i < 3 ? 5 : 100);
    await machine.dies(kept);
    await machine.starts();
    await machine.rests();
    const waiting = await machine.waiting();
    expect(waiting.map(({ path, status }) => [path, status])).toEqual([
      ["a.md", "proposed"],
      ["b.md", "proposed"],
    ]);
    expect(await pendingOf(machine)).toMatchObject([{ files: [{ path: "a.md" }, { path: "b.md" }] }]);
    await approvesAll(machine, "a.md", "mine");
  },
);

test.each([1, 2, 3, 4, 5, 6, 7])(
  "[LV9, LV30] a text that the agent added to is one proposal once the store has room, after %i refused writes",
  async (refused) => {
    const machine = await proposed();
    machine.laneDisk.save("a.md", "one\ntwo\nmine\nmore\n");
    machine.hint("a.md");
    await machine.step(undefined, 5);
    await machine.step(undefined, 5);
    machine.store.failNext("full", refused);
    for (let waited = 0; waited < 160_000; waited += 1_000) await machine.step(undefined, 1_000);
    expect(await machine.waiting()).toMatchObject([{ path: "a.md", status: "proposed" }]);
    expect(await pendingOf(machine)).toHaveLength(1);
    await approvesAll(machine, "a.md", "mine", "more");
  },
);

test.each([false, true])(
  "[LV37, LV48] a line is there once that is approved as the lane proposes its file anew (with a death: %s)",
  async (isDeath) => {
    const machine = await proposed();
    machine.laneDisk.move("a.md", "c.md");
    machine.hint("a.md", "c.md");
    await machine.rests();
    const [{ id } = { id: "" }] = await pendingOf(machine);
    const { proposals } = machine;
    const make = proposals.createOfFiles.bind(proposals);
    let approved: ReturnType<typeof proposals.approve> | undefined;
    proposals.createOfFiles = async (...asked) => {
      approved ??= proposals.approve(REVIEWER, { id });
      await approved;
      return make(...asked);
    };
    machine.laneDisk.save("b.md", "new\n");
    machine.hint("b.md");
    if (isDeath) {
      for (let isRefused = false; !isRefused; await machine.step(1, 5))
        isRefused = (await machine.waiting()).some(({ status }) => status === "refused");
      await machine.dies();
      await machine.starts();
    }
    await machine.rests();
    await approvesAll(machine, "c.md", "mine");
  },
);

test.each(WAITS.flatMap((death) => [0, 405, 410].map((pause) => [...death, pause] as const)))(
  "[LV9, LV13, LV37] so is one that is approved while it is replaced, though the daemon dies after %i steps and %i more writes (%i ms)",
  async (steps, kept, pause) => {
    const machine = await proposed();
    const [{ id } = { id: "" }] = await pendingOf(machine);
    machine.laneDisk.save("a.md", "one\ntwo\nmine\nmore\n");
    machine.laneDisk.save("b.md", "new\n");
    machine.hint("a.md", "b.md");
    for (let waited = 0; waited < pause; waited += 5) await machine.step(undefined, 5);
    void machine.proposals.approve(REVIEWER, { id });
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    await machine.starts();
    await machine.rests();
    await approvesAll(machine, "a.md", "mine", "more");
  },
);

test("[LV9, LV13] a text is proposed anew, if the daemon died after it had withdrawn its proposal", async () => {
  const machine = await proposed();
  const [{ id } = { id: "" }] = await pendingOf(machine);
  void machine.proposals.replaced(id, undefined);
  await machine.settled();
  machine.store.flush(1);
  await machine.dies();
  await machine.starts();
  await machine.rests();
  expect(await machine.waiting()).toMatchObject([{ path: "a.md", status: "proposed" }]);
  await approvesAll(machine, "a.md", "mine");
});

test("[LV10, LV12] a text to which the agent adds while no daemon runs waits at every step of the next start", async () => {
  const machine = await proposed();
  await machine.dies();
  machine.laneDisk.append("a.md", "more\n");
  await machine.starts();
  for (let i = 0; i < 20; i++) {
    expect(await machine.waiting()).toMatchObject([{ path: "a.md", status: "proposed" }]);
    await machine.step(1, 1);
  }
  await machine.rests();
  await approvesAll(machine, "a.md", "mine", "more");
});

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

test("[LV8] an agent that writes without a pause has a proposal after five seconds, and a newer one five seconds later", async () => {
  const machine = await LaneMachine.with("one\n", { propose: true });
  await machine.starts();
  const proposed: string[] = [];
  for (let n = 0; n < 60; n++) {
    machine.laneDisk.save("a.md", `one\n${n}\n`);
    machine.hint("a.md");
    for (let i = 0; i < 10; i++) await machine.step();
    proposed.push((await pendingOf(machine))[0]?.id ?? "none");
  }
  const ids = [...new Set(proposed)];
  expect(ids).toHaveLength(3);
  expect(proposed.indexOf(ids[1]!)).toBeGreaterThan(20);
});
