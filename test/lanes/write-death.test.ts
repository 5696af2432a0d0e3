import { expect, test } from "vitest";
import { LaneMachine } from "./lane-machine.ts";

const DEATHS = Array.from({ length: 24 }, (_, i) => [Math.floor(i / 4), i % 4] as const);

test.each(DEATHS)(
  "[LV13] a write is there once that a look finds again while the store keeps it, if the daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    await machine.rests();
    machine.laneDisk.append("a.md", "three\n");
    machine.hint("a.md");
    await machine.settled();
    machine.append("others\n");
    for (let i = 0; i < steps; i++) await machine.step(1);
    await machine.dies(kept);
    machine.laneDisk.append("a.md", "four\n");
    await machine.starts();
    await machine.rests();
    const lines = (await machine.texts()).map((text) =>
      text!
        .split("\n")
        .filter((line) => line !== "others")
        .sort(),
    );
    const all = ["", "four", "one", "three", "two"];
    expect(lines).toEqual([all, all, all]);
  },
);

test.each(DEATHS)(
  "[LV13] so is a write that the daemon reads while it stages another version, after %i steps and %i more writes",
  async (steps, kept) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    let isWritten = false;
    await machine.starts({
      gate: async (what) => {
        if (what === "stage") await new Promise<void>((go) => void machine.clock.after(100, go));
      },
      before: (what) => {
        if (what !== "stage" || isWritten) return;
        isWritten = true;
        machine.laneDisk.append("a.md", "three\n");
        machine.hint("a.md");
      },
    });
    await machine.rests();
    machine.append("others\n");
    for (let i = 0; i < 60 && !isWritten; i++) await machine.step(undefined, 5);
    for (let waited = 0; waited < 200; waited += 10) {
      await machine.clock.advance(10);
      await machine.settled();
    }
    for (let i = 0; i < steps; i++) await machine.step(1, 1);
    await machine.dies(kept);
    machine.laneDisk.append("a.md", "four\n");
    await machine.starts();
    await machine.rests();
    const all = ["", "four", "one", "others", "three", "two"];
    for (const text of await machine.texts()) expect(text!.split("\n").sort()).toEqual(all);
  },
);
