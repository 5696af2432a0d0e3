import { expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { contentOf } from "../../src/workspace/folder/file-changes.ts";
import { ALICE, accepted, refused } from "./harness.ts";
import { Machine } from "./machine.ts";

/** A restoration writes less often to the store than this. */
const WRITES = 10;
/** The time until a missing file is looked for elsewhere, in milliseconds. */
const GRACE_MS = 5_000;

/** Keeps one write of the store after the other until `a.md` is there. */
async function untilThere(machine: Machine): Promise<void> {
  await machine.settled();
  for (let writes = 0; !machine.disk.exists("a.md") && writes < WRITES; writes++) {
    machine.store.flush(1);
    await machine.settled();
  }
}

test("[DC19] a save of a file that a refused restoration wrote is a save of its document", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  await machine.flushed(machine.workspace.remove(ALICE, document));
  machine.store.refuseAppends(1);
  const restoring = machine.workspace.restoreAt(ALICE, document, "a.md" as DocPath);
  await untilThere(machine);
  expect(machine.disk.text("a.md")).toBe("one\n");
  machine.disk.save("a.md", "one\ntwo\n");
  expect(refused(await machine.flushed(restoring)).code).toBe("STORAGE_FULL");
  const again = accepted((await machine.flushed(machine.workspace.openedById(document.id)))!);
  expect([again.path, again.text.toString()]).toEqual(["a.md", "one\ntwo\n"]);
  expect(machine.store.documents().length).toBe(1);
});

/** Returns a machine with a deleted document whose file never had its edit. */
async function removed(): Promise<Machine> {
  const machine = new Machine("one\n");
  const document = await machine.document();
  machine.disk.full = true;
  const edited = machine.append("two\n");
  await machine.settled();
  accepted(await machine.flushed(edited));
  accepted(await machine.flushed(machine.workspace.remove(ALICE, document)));
  await machine.flush();
  machine.disk.full = false;
  return machine;
}

test("[DC37] a save of a restored file has no text twice, though a crash came before the store had its return", async () => {
  const machine = await removed();
  void machine.workspace.restore(ALICE, "a.md");
  await untilThere(machine);
  expect(machine.disk.text("a.md")).toBe("one\ntwo\n");
  machine.disk.save("a.md", "one\ntwo\nthree\n");
  await machine.killed();
  expect(await machine.text()).toBe("one\ntwo\nthree\n");
});

/** Returns a machine that was killed just after it restored the file, which somebody then moved and wrote to. */
async function movedSince(): Promise<Machine> {
  const machine = await removed();
  void machine.workspace.restore(ALICE, "a.md");
  await untilThere(machine);
  machine.disk.move("a.md", "b.md");
  machine.disk.append("b.md", "three\n");
  await machine.killed();
  return machine;
}

test("[DC29] a restored file is found where somebody moved it, though a crash came before the store had its return", async () => {
  const machine = await movedSince();
  expect(await machine.text("b.md")).toBe("one\ntwo\nthree\n");
  const [document, ...others] = machine.store.documents();
  await machine.flush();
  const events = machine.store.everyChangeOf(document!.id).flatMap(({ file }) => file ?? []);
  expect(events.map(({ kind }) => kind)).toEqual(["delete", "create", "rename"]);
  expect(others).toEqual([]);
});

test("[DC29] also by who asks for its document first", async () => {
  const machine = await movedSince();
  const opening = machine.workspace.openedById(machine.store.documents()[0]!.id);
  for (let waited = 0; waited < GRACE_MS; waited += 100) {
    await machine.flush();
    await machine.clock.advance(100);
  }
  const found = accepted((await machine.flushed(opening))!);
  expect([found.path, found.deleted, found.text.toString()]).toEqual(["b.md", false, "one\ntwo\nthree\n"]);
});

/** Returns a machine with a deleted document whose file had its edit. */
async function removedWhole(): Promise<Machine> {
  const machine = new Machine("one\n");
  const document = await machine.appended("two\n");
  accepted(await machine.flushed(machine.workspace.remove(ALICE, document)));
  await machine.flush();
  return machine;
}

test.each(["restore", "restoreAt"] as const)(
  "[MA152] of two restorations at once one makes the file, and a later %s stages no version of it",
  async (later) => {
    const machine = await removedWhole();
    const { workspace } = machine;
    const document = accepted(await machine.flushed(workspace.opened("a.md")));
    const first = workspace.restore(ALICE, "a.md");
    await machine.settled();
    const second =
      later === "restore"
        ? workspace.restore(ALICE, "a.md")
        : workspace.restoreAt(ALICE, document, "a.md" as DocPath);
    accepted(await machine.flushed(first));
    expect(refused(await machine.flushed(second)).code).toBe("ALREADY_EXISTS");
    const { staged } = machine.store.document(document.id)!;
    expect(staged?.image.ino).toBe(machine.disk.inode("a.md")!.ino);
  },
);

test.each([0, 1, 2, 3])(
  "[MA152] a file that was restored twice at once is one document after a crash that keeps %i writes",
  async (kept) => {
    const machine = await removedWhole();
    void machine.workspace.restore(ALICE, "a.md");
    void machine.workspace.restore(ALICE, "a.md");
    await untilThere(machine);
    await machine.settled();
    await machine.killed(kept);
    expect(await machine.text()).toBe("one\ntwo\n");
    expect(machine.store.documents().map(({ path }) => path)).toEqual(["a.md"]);
  },
);

test("[MA152] a file that was made during a restoration is its document's, though a crash came before the store had that", async () => {
  const machine = await removedWhole();
  void machine.workspace.restore(ALICE, "a.md");
  await machine.settled();
  void machine.workspace.create(ALICE, "a.md", contentOf("three\n"));
  await machine.settled();
  await machine.killed(3);
  const opening = machine.text();
  await machine.settled();
  await machine.clock.advance(1_000); // the file holds still
  expect(await opening).toBe("three\n");
  expect(machine.store.documents().map(({ path }) => path)).toEqual(["a.md"]);
});

test("[DC27] an edit that a restoration did not bring to the file is still to be written after a crash", async () => {
  const machine = await removed();
  const restoring = machine.workspace.restore(ALICE, "a.md");
  await machine.settled();
  machine.disk.save("a.md", "zero\none\n");
  expect(refused(await machine.flushed(restoring)).code).toBe("ALREADY_EXISTS");
  await machine.killed();
  const opening = machine.text();
  await machine.settled();
  await machine.clock.advance(1_000); // the file holds still
  expect(await opening).toBe("zero\none\ntwo\n");
});

test("[DC37] a restoration that the store cannot note makes no file", async () => {
  const machine = await removed();
  machine.store.failNext("full");
  const restoring = machine.workspace.restore(ALICE, "a.md");
  expect(refused(await machine.flushed(restoring)).code).toBe("STORAGE_FULL");
  expect(machine.disk.exists("a.md")).toBe(false);
  const restored = accepted(await machine.flushed(machine.workspace.restore(ALICE, "a.md")));
  expect([restored.text.toString(), machine.disk.text("a.md")]).toEqual(["one\ntwo\n", "one\ntwo\n"]);
});
