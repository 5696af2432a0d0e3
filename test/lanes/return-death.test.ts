import { expect, test } from "vitest";
import { LaneMachine } from "./lane-machine.ts";

const DEATHS = Array.from({ length: 45 }, (_, i) => [Math.floor(i / 3), i % 3] as const);

test.each(DEATHS)(
  "[LV13, LV14] a deleted file comes back once, though the daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    machine.laneDisk.remove("a.md");
    machine.hint("a.md");
    machine.append("three\n");
    for (let i = 0; i < 4; i++) await machine.step(undefined, 1);
    for (let i = 0; i < steps; i++) await machine.step(1, 20);
    await machine.dies(kept);
    // While no daemon runs, the agent writes to the file, if that is back.
    const back = machine.laneDisk.text("a.md");
    if (back !== undefined) machine.laneDisk.save("a.md", back.replace("three", "mine\nthree"));
    const mine = back === undefined ? [] : ["mine"];
    await machine.starts();
    await machine.rests();
    for (const text of await machine.texts())
      expect(text!.split("\n").sort()).toEqual(["", ...mine, "one", "three", "two"]);
  },
);
