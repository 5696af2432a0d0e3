import { expect, test } from "vitest";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { ALICE, accepted } from "../workspace/harness.ts";
import { LaneMachine } from "./lane-machine.ts";

const STEPS = Array.from({ length: 16 }, (_, steps) => steps);
const DEATHS = STEPS.flatMap((steps) => [0, 1, 3].map((kept) => [steps, kept] as const));

/** The files of people and agents in a folder. */
const filesIn = (disk: LaneMachine["disk"]): string[] =>
  disk.entries("").filter((name) => name.endsWith(".md"));

/** Checks that the workspace and the lane have one file, with the same lines. */
async function haveOneFile(machine: LaneMachine, lines: readonly string[]): Promise<void> {
  const [path, ...others] = filesIn(machine.disk);
  expect(others).toEqual([]);
  accepted(await machine.workspace.open(path!)); // its file gets what it lacks
  await machine.rests();
  expect(filesIn(machine.laneDisk)).toEqual([path]);
  for (const text of await machine.texts(path)) expect(text?.split("\n").sort()).toEqual(["", ...lines]);
  expect(await machine.waiting()).toEqual([]);
}

function moves(machine: LaneMachine, path: string, to: string): void {
  machine.laneDisk.move(path, to);
  machine.hint(path, to);
}

/** Renames the document for Alice, as soon as the store lets that through. */
function renames(machine: LaneMachine, path: string, to: string): void {
  const { workspace } = machine;
  void workspace.open(path).then((document) => {
    if (!isRefusal(document)) void workspace.rename(ALICE, document, to);
  });
}

const WRITES = {
  "writes to": (machine: LaneMachine, path: string) => machine.laneDisk.append(path, "mine\n"),
  replaces: (machine: LaneMachine, path: string) => machine.laneDisk.save(path, "mine\none\ntwo\n"),
} as const;
type How = keyof typeof WRITES;
const HOW = Object.keys(WRITES) as How[];

test.each(HOW.flatMap((how) => STEPS.map((steps) => [how, steps] as const)))(
  "[LV41, LV42] a file keeps its document if the agent %s it and moves it again, %i steps after its first move",
  async (how, steps) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    await machine.rests();
    moves(machine, "a.md", "b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 3);
    WRITES[how](machine, "b.md");
    machine.hint("b.md");
    moves(machine, "b.md", "c.md");
    await machine.rests();
    await haveOneFile(machine, ["mine", "one", "two"]);
    expect(filesIn(machine.disk)).toEqual(["c.md"]);
  },
);

test.each(STEPS)(
  "[LV57] a file that the agent makes much longer, and moves, keeps its document, %i steps after others' edit of it",
  async (steps) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    machine.append("three\n");
    for (let i = 0; i < steps; i++) await machine.step(1, 3);
    const written = ["four", "five", "six", "seven and more"];
    machine.laneDisk.save("a.md", `${machine.laneDisk.read("a.md")}${written.join("\n")}\n`);
    machine.append("eight\n");
    moves(machine, "a.md", "b.md");
    await machine.rests();
    await haveOneFile(machine, ["one", "two", "three", "eight", ...written].sort());
    expect(filesIn(machine.disk)).toEqual(["b.md"]);
  },
);

test.each([1, 3])(
  "[LV58] a file that the agent replaces and moves keeps its document, though the agent replaces it as the daemon reads it, %i times",
  async (times) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    const lines: string[] = [];
    let isMoved = false;
    await machine.starts({
      gate: async (what) => {
        if (!isMoved || what !== "read" || lines.length === times) return;
        lines.push(`more ${lines.length}`);
        machine.laneDisk.save("b.md", `${["mine", "one", "two", ...lines].join("\n")}\n`);
        machine.hint("b.md");
      },
    });
    await machine.rests();
    WRITES.replaces(machine, "a.md");
    machine.append("three\n");
    isMoved = true;
    moves(machine, "a.md", "b.md");
    await machine.rests();
    await haveOneFile(machine, ["mine", ...lines, "one", "three", "two"]);
    expect(lines).toHaveLength(times);
    expect(filesIn(machine.disk)).toEqual(["b.md"]);
  },
);

test.each(STEPS)(
  "[LV42] a replaced file keeps its document through two moves, as others change it, after %i steps",
  async (steps) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    WRITES.replaces(machine, "a.md");
    machine.hint("a.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 3);
    machine.append("three\n");
    moves(machine, "a.md", "b.md");
    await machine.step(0, 1);
    moves(machine, "b.md", "c.md");
    await machine.rests();
    await haveOneFile(machine, ["mine", "one", "three", "two"]);
  },
);

test.each(DEATHS)(
  "[LV13, LV42] a moved file is there once, though the daemon dies after %i steps of its store and %i more writes, and the agent moves it again",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    moves(machine, "a.md", "b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 3);
    await machine.dies(kept);
    machine.laneDisk.append("b.md", "mine\n");
    await machine.starts();
    moves(machine, "b.md", "c.md");
    await machine.step(1, 40);
    moves(machine, "c.md", "d.md");
    await machine.rests();
    await haveOneFile(machine, ["mine", "one", "two"]);
  },
);

test.each(STEPS)(
  "[LV43] a copy has its document as others rename that, and the agent moves the copy after %i steps",
  async (steps) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    renames(machine, "a.md", "b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    moves(machine, machine.laneDisk.exists("a.md") ? "a.md" : "b.md", "c.md");
    await machine.rests();
    await haveOneFile(machine, ["one", "two"]);
  },
);

test.each(DEATHS)(
  "[LV12, LV43] a copy has its document, though the daemon dies after %i steps and %i more writes as others rename it",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    renames(machine, "a.md", "b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    machine.laneDisk.append(machine.laneDisk.exists("a.md") ? "a.md" : "b.md", "mine\n");
    await machine.starts();
    await machine.rests();
    await haveOneFile(machine, ["mine", "one", "two"]);
  },
);

test.each(DEATHS)(
  "[LV43] so has it if a person writes the renamed file while no daemon runs, after a death %i steps later and %i more writes",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n", { propose: true });
    await machine.starts();
    void machine.workspace.open("a.md");
    await machine.rests();
    machine.laneDisk.save("new.md", "a proposal delays the next start\n");
    machine.hint("new.md");
    await machine.rests();
    renames(machine, "a.md", "b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    const path = machine.disk.exists("b.md") ? "b.md" : "a.md";
    machine.disk.save(path, "one\ntwo\nthree\n");
    const starting = machine.starts();
    void machine.workspace.open(path);
    await starting;
    await machine.rests();
    accepted(await machine.workspace.open(path));
    await machine.rests();
    expect(filesIn(machine.laneDisk)).toEqual([...filesIn(machine.disk), "new.md"]);
    for (const text of await machine.texts(path)) expect(text).toBe("one\ntwo\nthree\n");
  },
);

test.each(STEPS)(
  "[LV44] a file that is missing for the time of a move is not reported as one of many, after %i steps",
  async (steps) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    await machine.rests();
    machine.laneDisk.append("a.md", "mine\n");
    machine.laneDisk.move("a.md", "b.md");
    machine.hint("a.md", "b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 3);
    machine.laneDisk.remove("b.md");
    machine.hint("b.md");
    const seen = new Set<string>();
    for (let i = 0; i < 60; i++) {
      await machine.step(1, 25);
      for (const { status, why } of await machine.waiting()) seen.add(`${status}: ${why}`);
    }
    expect([...seen]).toEqual([]);
  },
);

test.each(DEATHS)(
  "[LV6, LV13] a file that the agent moves as others delete it is no refused write, though the daemon dies after %i steps and %i more writes",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    machine.append("three\n");
    await machine.rests();
    machine.laneDisk.move("a.md", "b.md");
    machine.hint("a.md", "b.md");
    const { workspace } = machine;
    void workspace.open("a.md").then((document) => {
      if (!isRefusal(document)) void workspace.remove(ALICE, document);
    });
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    await machine.starts();
    await machine.rests();
    expect(await machine.waiting()).toEqual([]);
    expect(machine.laneDisk.exists("b.md")).toBe(machine.disk.exists("b.md"));
  },
);

test.each(STEPS)("[LV42] a new file is there once if the agent moves it after %i steps", async (steps) => {
  const machine = await LaneMachine.with("one\ntwo\n");
  await machine.starts();
  await machine.rests();
  machine.laneDisk.save("b.md", "three\n");
  machine.hint("b.md");
  for (let i = 0; i < steps; i++) await machine.step(1, 2);
  moves(machine, "b.md", "c.md");
  await machine.rests();
  expect(filesIn(machine.disk)).toEqual(["a.md", "c.md"]);
  expect(filesIn(machine.laneDisk)).toEqual(["a.md", "c.md"]);
});

test.each(DEATHS)(
  "[LV13, LV46] a new file is there once, though the daemon dies after %i steps and %i more writes, and the agent moves it then",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    await machine.rests();
    machine.laneDisk.save("b.md", "three\nfour\n");
    machine.hint("b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    machine.laneDisk.move("b.md", "c.md");
    machine.laneDisk.append("c.md", "five\n");
    await machine.starts();
    await machine.rests();
    expect(filesIn(machine.disk)).toEqual(["a.md", "c.md"]);
    expect(filesIn(machine.laneDisk)).toEqual(["a.md", "c.md"]);
    for (const text of await machine.texts("c.md")) expect(text).toBe("three\nfour\nfive\n");
  },
);
