import { expect, test } from "vitest";
import { accepted } from "../workspace/harness.ts";
import { LaneMachine } from "./lane-machine.ts";

const STEPS = Array.from({ length: 12 }, (_, steps) => steps);
/** The times that a reading takes; milliseconds. */
const SLOW = [1, 50, 150, 400];

const filesIn = (disk: LaneMachine["disk"]): string[] =>
  disk.entries("").filter((name) => name.endsWith(".md"));

test.each(STEPS.flatMap((steps) => SLOW.map((ms) => [steps, ms] as const)))(
  "[LV85] a file that the agent replaces, moves and replaces again keeps its document, as others change it, %i steps later, with reads of %i ms",
  async (steps, ms) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    let isSlow = false;
    await machine.starts({
      gate: async (what) =>
        void (isSlow && what === "read" && (await machine.clock.sleep(ms, new AbortController().signal))),
    });
    await machine.rests();
    machine.laneDisk.save("a.md", "mine\none\ntwo\n");
    machine.hint("a.md");
    machine.append("three\n");
    for (let i = 0; i < steps; i++) await machine.step(1, 5);
    isSlow = true;
    const text = machine.laneDisk.text("a.md");
    machine.laneDisk.move("a.md", "b.md");
    machine.laneDisk.save("b.md", `more\n${text}`);
    machine.hint("a.md", "b.md");
    await machine.rests();
    expect([filesIn(machine.disk), filesIn(machine.laneDisk)]).toEqual([["b.md"], ["b.md"]]);
    accepted(await machine.workspace.open("b.md"));
    for (const one of await machine.texts("b.md"))
      expect(one?.split("\n").sort()).toEqual(["", "mine", "more", "one", "three", "two"]);
  },
);
