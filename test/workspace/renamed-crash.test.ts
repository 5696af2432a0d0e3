import { describe, expect, test } from "vitest";
import { ALICE, accepted } from "./harness.ts";
import { Machine } from "./machine.ts";

/** A rename takes fewer steps of the store than this, and fewer writes wait at each. */
const STEPS = 8;
const WRITES = 4;
/** The time until a missing file is looked for elsewhere, in milliseconds. */
const GRACE_MS = 5_000;

/** Kills a daemon that renames `a.md`, whose file the store knows from before an edit; returns it started again. */
async function killed(step: number, kept: number): Promise<{ machine: Machine; docId: string }> {
  const machine = new Machine("one\n");
  const document = await machine.appended("two\n");
  // A person saves the file in place, so that the store has older stamps of it.
  machine.disk.save("a.md", "one\ntwo\nthree\n");
  const renaming = machine.workspace.rename(ALICE, document, "b.md");
  for (let i = 0; i < step; i++) {
    await machine.settled();
    machine.store.flush(1);
  }
  await machine.settled();
  await machine.killed(kept);
  void renaming;
  return { machine, docId: document.id };
}

describe("[DC17, DC18] a daemon that dies while it renames a file", () => {
  const cases = Array.from({ length: STEPS * WRITES }, (_, i) => [Math.floor(i / WRITES), i % WRITES]);

  test.each(cases)("after %i steps of the store and %i more writes", async (step, kept) => {
    const { machine, docId } = await killed(step!, kept!);
    const path = machine.disk.exists("b.md") ? "b.md" : "a.md";
    const opening = machine.workspace.openedById(docId);
    for (let waited = 0; waited < GRACE_MS; waited += 100) {
      await machine.flush();
      await machine.clock.advance(100);
    }
    const document = accepted((await machine.flushed(opening))!);
    expect([document.path, document.text.toString()]).toEqual([path, "one\ntwo\nthree\n"]);
    expect(machine.store.documents().map(({ id }) => id)).toEqual([docId]);
    await machine.flush();
    const renames = machine.store.everyChangeOf(docId).filter(({ file }) => file?.kind === "rename");
    expect(renames.length).toBe(path === "b.md" ? 1 : 0);
  });

  test("and one that opens the new path first has the same document", async () => {
    for (let step = 0; step < STEPS; step++) {
      const { machine, docId } = await killed(step, 0);
      const path = machine.disk.exists("b.md") ? "b.md" : "a.md";
      expect((await machine.document(path)).id).toBe(docId);
    }
  });
});

test("[DC17] a note of a rename that was refused names no other file later", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  machine.disk.save("b.md", "another\n");
  const refused = await machine.flushed(machine.workspace.rename(ALICE, document, "b.md"));
  expect(refused).toMatchObject({ code: "ALREADY_EXISTS" });
  await machine.flush();
  machine.disk.remove("a.md");
  machine.disk.remove("b.md");
  await machine.killed();
  machine.disk.save("b.md", "new\n");
  const made = await machine.document("b.md");
  expect([made.id === document.id, made.text.toString()]).toEqual([false, "new\n"]);
});

test("[DC17, DC18] the history has a rename once, also where a record of an earlier version lacks it", async () => {
  const machine = new Machine("one\n");
  const document = await machine.appended("two\n");
  accepted(await machine.flushed(machine.workspace.rename(ALICE, document, "b.md")));
  await machine.flushed(document.saveRecord());
  const record = machine.store.document(document.id)!;
  await machine.flushed(machine.store.saveDocument({ ...record, path: "a.md" }));
  await machine.killed();
  const opening = machine.workspace.openedById(document.id);
  for (let waited = 0; waited < GRACE_MS; waited += 100) {
    await machine.flush();
    await machine.clock.advance(100);
  }
  expect(accepted((await machine.flushed(opening))!).path).toBe("b.md");
  await machine.flush();
  const events = machine.store.everyChangeOf(document.id).flatMap(({ file }) => file ?? []);
  expect(events).toEqual([{ kind: "rename", from: "a.md", to: "b.md" }]);
});

test("[DC29] a file that the daemon wrote before a crash is found where it is, though the store refused each note of its rename", async () => {
  const machine = new Machine("one\n");
  const document = await machine.appended("two\n");
  machine.store.failNext("full", 100);
  accepted(await machine.flushed(machine.workspace.rename(ALICE, document, "b.md")));
  await machine.killed();
  const opening = machine.workspace.openedById(document.id);
  for (let waited = 0; waited < GRACE_MS; waited += 100) {
    await machine.flush();
    await machine.clock.advance(100);
  }
  const found = accepted((await machine.flushed(opening))!);
  expect([found.path, found.deleted, found.text.toString()]).toEqual(["b.md", false, "one\ntwo\n"]);
});
