import { expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { ALICE, accepted, refused } from "./harness.ts";
import { Machine } from "./machine.ts";

test("[DC19] a save of a file that a refused restoration wrote is a save of its document", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  await machine.flushed(machine.workspace.remove(ALICE, document));
  machine.store.refuseAppends(1);
  const restoring = machine.workspace.restoreAt(ALICE, document, "a.md" as DocPath);
  await machine.settled();
  expect(machine.disk.text("a.md")).toBe("one\n");
  machine.disk.save("a.md", "one\ntwo\n");
  expect(refused(await machine.flushed(restoring)).code).toBe("STORAGE_FULL");
  const again = accepted((await machine.flushed(machine.workspace.openedById(document.id)))!);
  expect([again.path, again.text.toString()]).toEqual(["a.md", "one\ntwo\n"]);
  expect(machine.store.documents().length).toBe(1);
});
