import { expect, test } from "vitest";
import { LaneMachine } from "./lane-machine.ts";

test("[LV89] a lane that starts gets a file that came after the last list of all files, before the lane heard", async () => {
  const machine = await LaneMachine.with("one\n");
  await machine.starts({}, async (workspace) => {
    await workspace.recent.get(); // as another lane that starts before
    machine.disk.save("b.md", "two\n");
  });
  await machine.rests();
  expect(machine.laneDisk.text("b.md")).toBe("two\n");
});
