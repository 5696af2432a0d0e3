import { expect, test } from "vitest";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { Machine } from "./machine.ts";

const passes = async (machine: Machine) => {
  for (let waited = 0; waited < 1_000; waited += 100) {
    await machine.flush();
    await machine.clock.advance(100);
  }
};

test("[I6h] a save after a crash that returns to the first text is named, though edits waited beside the save before", async () => {
  const machine = new Machine("one\n");
  const document = await machine.appended("alice's\n");
  // The second edit waits for the store, and so is not in the file that a person saves.
  void machine.append("waiting\n");
  await machine.settled();
  machine.disk.save("a.md", "saved\none\nalice's\n");
  const taking = document.mirror.fresh();
  await machine.clock.advance(100);
  await taking;
  expect(document.head).toMatchObject({ origin: "disk", beside: { authors: ["alice"] } });
  await machine.killed(machine.store.waiting);
  machine.disk.save("a.md", "one\n");
  const events: WorkspaceEvent[] = [];
  machine.workspace.listen((event) => events.push(event));
  await machine.document();
  await passes(machine);
  expect(machine.disk.text("a.md")).toBe("one\nwaiting\n");
  expect(events).toContainEqual(expect.objectContaining({ type: "superseded", authors: ["alice"] }));
});
