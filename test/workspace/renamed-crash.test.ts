import { describe, expect, test } from "vitest";
import type { Document } from "../../src/workspace/document/document.ts";
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

describe("[DC41] the file of a save that the store has", () => {
  /** Takes in a save that makes another file; the store gets what follows from it at once, and no more. */
  async function saved(): Promise<{ machine: Machine; document: Document }> {
    const machine = new Machine("one\n");
    const document = await machine.appended("two\n");
    machine.disk.save("a.md", "one\ntwo\nthree\n");
    void document.mirror.fresh();
    await machine.flush();
    return { machine, document };
  }

  /** Returns where a daemon finds the document, and with which text. */
  async function found(machine: Machine, { id }: Document): Promise<readonly unknown[]> {
    const opening = machine.workspace.openedById(id);
    for (let waited = 0; waited < GRACE_MS; waited += 100) {
      await machine.flush();
      await machine.clock.advance(100);
    }
    const { path, deleted, text } = accepted((await machine.flushed(opening))!);
    return [path, deleted, text.toString()];
  }

  test("is found where it was renamed, though the store refused each note of that", async () => {
    const { machine, document } = await saved();
    machine.store.failNext("full", 100);
    accepted(await machine.flushed(machine.workspace.rename(ALICE, document, "b.md")));
    await machine.killed();
    expect(await found(machine, document)).toEqual(["b.md", false, "one\ntwo\nthree\n"]);
  });

  test("is found where somebody moved it after a crash", async () => {
    const { machine, document } = await saved();
    await machine.killed();
    machine.disk.move("a.md", "b.md");
    expect(await found(machine, document)).toEqual(["b.md", false, "one\ntwo\nthree\n"]);
  });

  test("is read again where the store refused a change before the save", async () => {
    const machine = new Machine("one\n");
    const document = await machine.document();
    await machine.flush();
    machine.store.refuseAppends(1);
    void machine.append("two\n");
    await machine.settled();
    machine.disk.save("a.md", "one\nsaved\n");
    void document.mirror.fresh();
    await machine.settled();
    machine.store.flush();
    await machine.killed();
    expect(await found(machine, document)).toEqual(["a.md", false, "one\nsaved\n"]);
  });
});

describe("[DC43] a path from which a document was renamed, and which the store still has for it,", () => {
  /** Renames `a.md` to `b.md` while the store refuses every note of that; `c.md` is another document. */
  async function renamed() {
    const machine = new Machine("one\n");
    const document = await machine.document();
    machine.disk.save("c.md", "another\n");
    const other = await machine.document("c.md");
    await machine.flush();
    machine.store.failNext("full", 100);
    accepted(await machine.flushed(machine.workspace.rename(ALICE, document, "b.md")));
    return { machine, document, other };
  }

  test("becomes another one's once the store has the rename, and both are found after a crash", async () => {
    const { machine, document, other } = await renamed();
    machine.store.failNone();
    accepted(await machine.flushed(machine.workspace.rename(ALICE, other, "a.md")));
    await machine.killed();
    expect((await machine.document("b.md")).id).toBe(document.id);
    expect((await machine.document("a.md")).id).toBe(other.id);
  });

  test("becomes nobody's before", async () => {
    const { machine, other } = await renamed();
    const renaming = machine.workspace.rename(ALICE, other, "a.md");
    expect(await machine.flushed(renaming)).toMatchObject({ code: "STORAGE_FULL" });
    expect(machine.disk.paths()).toEqual(["b.md", "c.md"]);
  });
});
