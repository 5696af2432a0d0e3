import { expect, test } from "vitest";
import { Text } from "../../src/text/text.ts";
import { ALICE } from "../workspace/harness.ts";
import { LaneMachine } from "./lane-machine.ts";

const STEPS = Array.from({ length: 12 }, (_, steps) => steps);
const DEATHS = STEPS.flatMap((steps) => [0, 1, 3].map((kept) => [steps, kept] as const));

/** The files of people and agents in a folder. */
const filesIn = (disk: LaneMachine["disk"]): string[] =>
  disk.entries("").filter((name) => name.endsWith(".md"));

/** Makes a file of the workspace for Alice, as soon as the store lets that through. */
function creates(machine: LaneMachine, path: string, text: string): void {
  void machine.workspace.create(ALICE, path, { bom: false, text: Text.of(text) });
}

const MOVES = {
  "the agent moves": ({ laneDisk }: LaneMachine) => laneDisk.move("b.md", "c.md"),
  "the agent replaces and moves": ({ laneDisk }: LaneMachine) => {
    laneDisk.save("b.md", "three\nfour\nfive\n");
    laneDisk.move("b.md", "c.md");
  },
  "a person moves": ({ disk }: LaneMachine) => disk.move("b.md", "c.md"),
} as const;
type Move = keyof typeof MOVES;

test.each(Object.keys(MOVES).flatMap((move) => DEATHS.map((death) => [move as Move, ...death] as const)))(
  "[LV82] a new file of the workspace that %s while no daemon runs is there once, after a death %i steps and %i more writes later",
  async (move, steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    await machine.rests();
    creates(machine, "b.md", "three\nfour\n");
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    const isThere = machine.disk.exists("b.md") && machine.laneDisk.exists("b.md");
    if (isThere) MOVES[move](machine);
    await machine.starts();
    await machine.rests();
    const [, path, ...others] = filesIn(machine.disk);
    expect(others).toEqual([]);
    expect(filesIn(machine.laneDisk)).toEqual(filesIn(machine.disk));
    const lines = isThere && move.includes("replaces") ? "three\nfour\nfive\n" : "three\nfour\n";
    if (path !== undefined) for (const text of await machine.texts(path)) expect(text).toBe(lines);
  },
);

test("[LV82] a new file that its daemon's death took from the lane, as a power cut can, is no deletion", async () => {
  const machine = await LaneMachine.with("one\ntwo\n");
  await machine.starts();
  await machine.rests();
  creates(machine, "b.md", "three\n");
  while (!machine.laneDisk.exists("b.md")) await machine.step(1, 1);
  await machine.dies();
  machine.laneDisk.remove("b.md");
  await machine.starts();
  await machine.rests();
  for (const text of await machine.texts("b.md")) expect(text).toBe("three\n");
});

test("[LV82] a file that the agent deletes after a new daemon has seen it is deleted", async () => {
  const machine = await LaneMachine.with("one\ntwo\n");
  await machine.starts();
  await machine.rests();
  creates(machine, "b.md", "three\n");
  while (!machine.laneDisk.exists("b.md")) await machine.step(1, 1);
  await machine.dies();
  await machine.starts();
  await machine.rests();
  machine.laneDisk.remove("b.md");
  machine.hint("b.md");
  await machine.rests();
  expect([filesIn(machine.disk), filesIn(machine.laneDisk)]).toEqual([["a.md"], ["a.md"]]);
});

const THERE = {
  "a person moves": (_: LaneMachine["disk"]) => {},
  "a person moves and changes": (disk: LaneMachine["disk"]) => disk.append("c.md", "five\n"),
} as const;
type There = keyof typeof THERE;

test.each(Object.keys(THERE).flatMap((how) => DEATHS.map((death) => [how as There, ...death] as const)))(
  "[LV84] the agent's new file that %s in the workspace while no daemon runs is there once, after a death %i steps and %i more writes later",
  async (how, steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    await machine.rests();
    machine.laneDisk.save("b.md", "three\nfour\n");
    machine.hint("b.md");
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    const isThere = machine.disk.exists("b.md");
    if (isThere) machine.disk.move("b.md", "c.md");
    if (isThere) THERE[how](machine.disk);
    await machine.starts();
    await machine.rests();
    const path = isThere ? "c.md" : "b.md";
    expect([filesIn(machine.disk), filesIn(machine.laneDisk)]).toEqual([
      ["a.md", path],
      ["a.md", path],
    ]);
    const changed = isThere && how.includes("changes") ? "five\n" : "";
    for (const text of await machine.texts(path)) expect(text).toBe(`three\nfour\n${changed}`);
  },
);
