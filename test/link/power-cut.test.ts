import { expect, test } from "vitest";
import { contentOf } from "../../src/workspace/folder/file-changes.ts";
import type { Draws } from "../helpers/unsynced-names.ts";
import { ADA, type Machine, Machines } from "./machines.ts";

const SYNC_MS = 400;

/** A power cut that takes all that nobody synced: names, and of new files all but `left`. */
function all(left: string): Draws {
  return {
    int: () => 0,
    chance: () => true,
    pick: (items) => items.find((item) => item === left) ?? items[0]!,
  };
}

/** Two machines, of which bob's disk loses names in a power cut, and is slow to sync. */
async function twoMachines(): Promise<{ machines: Machines; a: Machine; b: Machine }> {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob", {}, { flushMs: 5, syncMs: SYNC_MS })];
  await machines.run(1_000);
  await a.create("a.md", "ada's\n");
  return { machines, a, b };
}

test("[MA220] a power cut that takes a received file, which the store already notes as there, deletes it nowhere", async () => {
  const { machines, a, b } = await twoMachines();
  while (b.store.documentAt("a.md")?.image === undefined) await machines.run(1);
  b.kill();
  b.disk.powerCut(all("whole"));
  b.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "ada's\n" });
  expect(b.files()).toEqual(a.files());
});

test.each(["empty", "cut short", "zeros"])(
  "[MA221] a received file that a power cut left %s before the store noted its place is written again",
  async (left) => {
    const { machines, a, b } = await twoMachines();
    while (!b.disk.exists("a.md")) await machines.run(1);
    b.kill();
    b.disk.powerCut({ ...all(left), int: (n) => n - 1 });
    b.start();
    await machines.run(10_000);
    expect(b.files()).toEqual({ "a.md": "ada's\n" });
    expect(a.files()).toEqual(b.files());
  },
);

test("[DC55] an acknowledged edit of a file that a power cut takes, because its creation was under way, stays with the file", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}, { flushMs: 5, syncMs: SYNC_MS }), machines.add("bob")];
  await machines.run(1_000);
  void a.workspace.create(ADA, "a.md", contentOf("one\n"));
  while (a.store.documentAt("a.md") === undefined) await machines.run(1);
  await a.append("a.md", "two\n");
  a.kill();
  a.disk.powerCut(all("whole"));
  expect(a.files()).toEqual({});
  a.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "one\ntwo\n" });
  expect(b.files()).toEqual(a.files());
});

test("[DC56] so does a restored file, and one that the power cut left torn is written again", async () => {
  for (const [left, count] of [
    ["whole", 0],
    ["cut short", 9],
  ] as const) {
    const machines = new Machines();
    const a = machines.add("ada", { "a.md": "one\ntwo\n" }, { flushMs: 5, syncMs: SYNC_MS });
    await machines.run(1_000);
    await a.append("a.md", "three\n");
    await a.remove("a.md");
    await machines.run(40_000);
    void a.workspace.restore(ADA, "a.md");
    while (a.store.documentAt("a.md")?.deletedAt !== undefined) await machines.run(1);
    a.kill();
    a.disk.powerCut({ ...all(left), int: () => count });
    a.start();
    await machines.run(10_000);
    expect([left, a.files()]).toEqual([left, { "a.md": "one\ntwo\nthree\n" }]);
  }
});

test.each(["empty", "cut short", "zeros"])(
  "[DC57] a file that a power cut gives its former name back, and leaves %s, is written again",
  async (left) => {
    const machines = new Machines();
    const a = machines.add("ada", {}, { flushMs: 5, syncMs: SYNC_MS });
    await a.create("a.md", "one\n");
    await machines.run(1_000);
    await a.append("a.md", "two\n");
    while (a.text("a.md") !== "one\ntwo\n") await machines.run(1);
    void a.rename("a.md", "b.md").catch(() => {});
    while (a.store.documentAt("b.md") === undefined) await machines.run(1);
    a.kill();
    a.disk.powerCut({ ...all(left), int: (n) => n - 2 });
    expect(a.paths()).toEqual(["a.md"]);
    a.start();
    await machines.run(10_000);
    expect(a.files()).toEqual({ "a.md": "one\ntwo\n" });
  },
);

test("[DC55] a file that somebody deleted while no daemon ran, once it was synced, stays deleted", async () => {
  const machines = new Machines();
  const a = machines.add("ada", {}, { syncMs: SYNC_MS });
  await a.create("a.md", "one\n");
  await machines.run(50);
  a.kill();
  a.disk.remove("a.md");
  a.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({});
});

/** A machine with a synced file `a.md`, whose disk loses names in a power cut. */
async function oneMachine(): Promise<{ machines: Machines; a: Machine }> {
  const machines = new Machines();
  const a = machines.add("ada", {}, { flushMs: 5, syncMs: SYNC_MS });
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  return { machines, a };
}

/** A machine whose power was cut: this took back the rename of a file to `b.md`, and the write before it. */
async function renamedInVain() {
  const { machines, a } = await oneMachine();
  await a.append("a.md", "two\n");
  while (a.text("a.md") !== "one\ntwo\n") await machines.run(1);
  void a.rename("a.md", "b.md").catch(() => {});
  while (a.store.documentAt("b.md") === undefined) await machines.run(1);
  a.kill();
  a.disk.powerCut(all("whole"));
  expect(a.files()).toEqual({ "a.md": "one\n" });
  a.start();
  return { machines, a };
}

test("[DC70] a file whose rename a power cut takes back, together with the write before it, is there once with all edits", async () => {
  const { machines, a } = await renamedInVain();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "one\ntwo\n" });
});

test("[DC70] so is one that a client edits right after the start", async () => {
  const { machines, a } = await renamedInVain();
  await a.append("a.md", "three\n");
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "one\ntwo\nthree\n" });
});

test("[DC70] so is one that a person renamed, and that the daemon wrote then", async () => {
  const { machines, a } = await oneMachine();
  a.disk.move("a.md", "b.md");
  while (a.store.documentAt("b.md") === undefined) await machines.run(1);
  await a.append("b.md", "two\n");
  while (a.store.documentAt("b.md")?.image?.size !== 8) await machines.run(1);
  a.kill();
  a.disk.powerCut(all("whole"));
  expect(a.files()).toEqual({ "a.md": "one\n" });
  a.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "one\ntwo\n" });
});

test.each(["empty", "cut short"])(
  "[DC72] a deleted file that a power cut brings back, and leaves %s, is removed again",
  async (left) => {
    const machines = new Machines();
    const [a, b] = [machines.add("ada", {}, { flushMs: 5, syncMs: SYNC_MS }), machines.add("bob")];
    await a.create("a.md", "one\n");
    await a.append("a.md", "two\n");
    while (a.text("a.md") !== "one\ntwo\n") await machines.run(1);
    void a.remove("a.md").catch(() => {});
    while (a.store.documents()[0]?.deletedAt === undefined) await machines.run(1);
    a.kill();
    a.disk.powerCut({ ...all(left), int: (n) => n - 2 });
    expect(a.paths()).toEqual(["a.md"]);
    a.start();
    await machines.run(10_000);
    expect([a.files(), b.files()]).toEqual([{}, {}]);
  },
);

test("[DC58] a renamed file is there once with all edits after a power cut, though another one has its former name since", async () => {
  const { machines, a } = await oneMachine();
  void a.rename("a.md", "b.md").catch(() => {});
  while (!a.disk.exists("b.md")) await machines.run(1);
  void a.create("a.md", "other\n").catch(() => {});
  while (a.store.documentAt("a.md") === undefined) await machines.run(1);
  await a.append("b.md", "two\n");
  while (a.text("b.md") !== "one\ntwo\n") await machines.run(1);
  a.kill();
  a.disk.powerCut(all("whole"));
  a.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "other\n", "b.md": "one\ntwo\n" });
});
