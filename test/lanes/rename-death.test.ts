import { expect, test } from "vitest";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { ALICE, accepted, BOB } from "../workspace/harness.ts";
import { LaneMachine } from "./lane-machine.ts";

/** Renames the document for Alice, as soon as the store lets that through. */
function renames(machine: LaneMachine, path: string, to: string): void {
  const { workspace } = machine;
  void workspace.open(path).then((document) => {
    if (!isRefusal(document)) void workspace.rename(ALICE, document, to);
  });
}

const REVIEWER = { ...BOB, role: "person" } as const;
const linesOf = (text: string | undefined) => text?.split("\n").sort();
const DEATHS = Array.from({ length: 45 }, (_, i) => [Math.floor(i / 3), i % 3] as const);

test.each(DEATHS)(
  "[LV6, LV13] a write that the daemon has not read stays as others rename the file, though the daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n", { propose: kept === 1 });
    let isWritten = false;
    await machine.starts({
      before: (what) => {
        if (what === "rename" && !isWritten) machine.laneDisk.append("a.md", "mine\n");
        isWritten ||= what === "rename";
      },
    });
    await machine.rests();
    renames(machine, "a.md", "b.md");
    for (let i = 0; i < steps || !isWritten; i++) await machine.step(1, 1);
    await machine.dies(kept);
    await machine.starts();
    await machine.rests();
    const { proposals } = accepted(await machine.proposals.list(REVIEWER, { status: "pending" }));
    for (const { id } of proposals) void machine.proposals.approve(REVIEWER, { id });
    await machine.rests();
    const [path] = ["b.md", "a.md"].filter((at) => machine.disk.exists(at));
    accepted(await machine.workspace.open(path!)); // its file gets what it lacks
    await machine.rests();
    for (const text of await machine.texts(path)) expect(linesOf(text)).toEqual(["", "mine", "one", "two"]);
  },
);

test.each(DEATHS)(
  "[LV12, LV13] a write is there once in a file that others rename, though the daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    machine.laneDisk.save("c.md", "three\n");
    machine.hint("c.md");
    await machine.rests();
    machine.laneDisk.append("c.md", "four\n");
    machine.hint("c.md");
    renames(machine, "c.md", "d.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    machine.laneDisk.append(machine.laneDisk.exists("d.md") ? "d.md" : "c.md", "five\n");
    await machine.starts();
    await machine.rests();
    const [path] = ["d.md", "c.md"].filter((at) => machine.disk.exists(at));
    accepted(await machine.workspace.open(path!));
    await machine.rests();
    const lines = ["", "five", "four", "three"];
    for (const text of await machine.texts(path)) expect(linesOf(text)).toEqual(lines);
    expect(machine.laneDisk.entries("").filter((name) => /^[cd]\.md$/.test(name))).toEqual([path]);
  },
);

/** The names of the files of a machine's workspace that its lane lacks. */
const lackedBy = ({ disk, laneDisk }: LaneMachine): string[] =>
  disk.entries("").filter((name) => !name.startsWith(".") && !laneDisk.exists(name));

test("[LV4, LV6] a lane gets a document under its new name, if the agent makes the former file anew meanwhile", async () => {
  const machine = await LaneMachine.with("one\ntwo\n", { propose: true });
  await machine.starts();
  await machine.rests();
  renames(machine, "a.md", "b.md");
  for (let i = 0; i < 3; i++) await machine.step(1);
  machine.laneDisk.append("a.md", "mine\n");
  machine.hint("a.md");
  await machine.rests();
  expect(lackedBy(machine)).toEqual([]);
});

test.each(DEATHS)(
  "[LV4, LV12] a lane gets every file after two renames of one file, though the daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    machine.laneDisk.append("a.md", "mine\n");
    machine.hint("a.md");
    renames(machine, "a.md", "b.md");
    await machine.step(2);
    machine.laneDisk.move("a.md", "c.md");
    machine.hint("a.md", "c.md");
    for (let i = 0; i < steps; i++) await machine.step(1);
    await machine.dies(kept);
    await machine.starts();
    await machine.rests();
    expect(lackedBy(machine)).toEqual([]);
  },
);

test("[LV6] a file is removed as its document is, though a look finds it again", async () => {
  const machine = await LaneMachine.with("one\ntwo\n");
  await machine.starts();
  await machine.rests();
  machine.laneDisk.save("c.md", "three\n");
  machine.hint("c.md");
  while (!machine.disk.exists("c.md")) await machine.step(1, 1);
  await machine.dies(2);
  await machine.starts();
  const { workspace } = machine;
  void workspace.open("c.md").then((document) => workspace.remove(ALICE, accepted(document)));
  for (let i = 0; i < 3; i++) await machine.step(3);
  await machine.rests();
  expect(machine.laneDisk.exists("c.md")).toBe(false);
});

const STEPS = Array.from({ length: 12 }, (_, steps) => steps);

test.each(STEPS.flatMap((steps) => [0, 1, 2].map((more) => [steps, more] as const)))(
  "[LV6, LV47] a file has its document's new name, though it is missing as others rename the document, and the agent returns it changed after %i steps and %i more",
  async (steps, more) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    await machine.rests();
    renames(machine, "a.md", "b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    const path = machine.laneDisk.exists("a.md") ? "a.md" : "b.md";
    machine.laneDisk.remove(path);
    machine.hint(path);
    for (let i = 0; i < more; i++) await machine.step(1, 1);
    machine.laneDisk.save(path, "one\ntwo\nmine\n");
    machine.hint(path);
    await machine.rests();
    const names = (disk: LaneMachine["disk"]) => disk.entries("").filter((name) => name.endsWith(".md"));
    expect(names(machine.laneDisk)).toEqual(names(machine.disk));
    for (const text of await machine.texts("b.md")) expect(text).toBe("one\ntwo\nmine\n");
  },
);

const CATCH_UPS = Array.from({ length: 35 }, (_, i) => [Math.floor(i / 5), i % 5] as const);

test.each(CATCH_UPS)(
  "[LV74] a file goes with its document that is deleted as the next daemon catches up with its rename: death after %i steps of the store, deletion after %i",
  async (kept, steps) => {
    const machine = await LaneMachine.with("one\n");
    await machine.starts();
    await machine.rests();
    accepted(await machine.workspace.open("a.md"));
    await machine.rests();
    machine.disk.move("a.md", "b.md");
    void machine.workspace.open("b.md");
    await machine.settled();
    for (let i = 0; i < kept; i++) await machine.step(1, 0);
    await machine.dies(kept);
    await machine.starts();
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    const removed = machine.workspace.open("b.md").then((document) => {
      if (!isRefusal(document)) void machine.workspace.remove(ALICE, document);
    });
    await machine.rests();
    await removed;
    await machine.rests();
    expect([machine.disk.paths(), machine.laneDisk.paths()]).toEqual([[], []]);
  },
);
