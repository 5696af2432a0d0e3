import { describe, expect, test } from "vitest";
import { maintain } from "../../src/workspace/folder/maintenance.ts";
import { ALICE, accepted, refused } from "./harness.ts";
import { Machine } from "./machine.ts";

/**
 * A machine whose daemon has opened the document and stored it, and on which Alice has edited it once, some time ago: it
 * writes the file at once.
 */
async function edited(): Promise<Machine> {
  const machine = new Machine("");
  accepted(await machine.flushed(machine.append("one\n", { ack: "mirrored" })));
  await machine.flush();
  await machine.clock.advance(1000);
  return machine;
}

describe("an edit on its way", () => {
  test("[ED1, I2] is answered once the store has it, and no earlier", async () => {
    const machine = await edited();
    let answered = false;
    const edit = machine.append("two\n").finally(() => {
      answered = true;
    });
    await machine.settled();
    expect([machine.store.waiting > 0, answered]).toEqual([true, false]);
    accepted(await machine.flushed(edit));
  });

  test("[I2] is in no file before the store has it, also when the store then refuses it", async () => {
    const machine = await edited();
    machine.store.refuseAppends(1);
    const edit = machine.append("two\n");
    await machine.settled();
    expect(machine.disk.text("a.md")).toBe("one\n");
    expect(refused(await machine.flushed(edit)).code).toBe("STORAGE_FULL");
    await machine.flush();
    expect(machine.disk.text("a.md")).toBe("one\n");
  });

  test("[I1] is in no file before the store has noted the staged version, by which a restart tells", async () => {
    const machine = await edited();
    const edit = machine.append("two\n", { ack: "mirrored" });
    await machine.settled();
    machine.store.flush(machine.store.waiting - 1);
    await machine.settled();
    expect([machine.store.waiting, machine.disk.text("a.md")]).toEqual([1, "one\n"]);
    accepted(await machine.flushed(edit));
    expect(machine.disk.text("a.md")).toBe("one\ntwo\n");
  });

  test("[ED19] is stored together with the note of its staged version, also while the file rests from a write", async () => {
    const machine = await edited();
    accepted(await machine.flushed(machine.append("two\n", { ack: "mirrored" })));
    const edit = machine.append("three\n", { ack: "mirrored" });
    await machine.settled();
    expect(machine.store.waiting).toBe(2);
    accepted(await machine.flushed(edit));
  });

  test("[I1] reaches the file after a crash that left its staged version where it was", async () => {
    const machine = await edited();
    void machine.append("two\n");
    await machine.settled();
    machine.store.flush();
    await machine.killed(); // before the swap
    machine.disk.save("a.md", "one\n"); // an editor saves what it has
    const ended = new AbortController();
    const house = maintain(machine.workspace, ended.signal);
    await machine.flush();
    expect(machine.disk.text("a.md")).toBe("one\ntwo\n");
    ended.abort();
    await machine.flushed(house);
  });

  test("[I1] was in the file before a crash, so that a save without it removes it", async () => {
    const machine = await edited();
    void machine.append("two\n");
    await machine.settled();
    machine.store.flush();
    await machine.settled();
    expect(machine.disk.text("a.md")).toBe("one\ntwo\n");
    await machine.killed(); // before the record says that the edit landed
    machine.disk.save("a.md", "one\n");
    const text = machine.text();
    await machine.settled();
    await machine.clock.advance(1_000); // the save has the inode of the displaced file, and so has to settle
    expect(await text).toBe("one\n");
    await machine.flush();
    expect(machine.disk.text("a.md")).toBe("one\n");
  });
});

/** A machine whose store kept a second edit, but not the one that it stood on; both were refused. */
async function halfRefused(): Promise<Machine> {
  const machine = await edited();
  machine.store.refuseAppends(1);
  const first = machine.append("two\n");
  await machine.settled();
  const second = machine.append("three\n", { opId: "op-1" });
  await machine.settled();
  const outcomes = await machine.flushed(Promise.all([first, second]));
  expect(outcomes.map((outcome) => refused(outcome).code)).toEqual(["STORAGE_FULL", "STORAGE_FULL"]);
  return machine;
}

describe("an edit that stood on a refused one", () => {
  test("[ED10, I13] is in the store no more, nor after a restart", async () => {
    const machine = await halfRefused();
    const { id } = await machine.document();
    expect([...machine.store.changes(id)].map(({ seq }) => seq)).toEqual([1, 0]);
    accepted(await machine.flushed(machine.append("four\n")));
    await machine.killed(machine.store.waiting);
    expect(await machine.text()).toBe("one\nfour\n");
  });

  test("[ED10, ED5] is made when it is sent again, and not answered as done", async () => {
    const machine = await halfRefused();
    accepted(await machine.flushed(machine.append("three\n", { opId: "op-1" })));
    expect(await machine.text()).toBe("one\nthree\n");
  });

  test("[ED10, ED5] is made when it is sent again after another edit took its number", async () => {
    const machine = await halfRefused();
    for (const text of ["four\n", "five\n"]) accepted(await machine.flushed(machine.append(text)));
    accepted(await machine.flushed(machine.append("three\n", { opId: "op-1" })));
    expect(await machine.text()).toBe("one\nfour\nfive\nthree\n");
  });

  test("[ED10, ED5] is not answered as done while the store cannot take it back either", async () => {
    const machine = await edited();
    machine.store.refuseAppends(1);
    const first = machine.append("two\n");
    await machine.settled();
    const second = machine.append("three\n", { opId: "op-1" });
    await machine.settled();
    machine.store.failNext("full", 100);
    const again = () => machine.flushed(machine.append("three\n", { opId: "op-1" }));
    for (const outcome of [await machine.flushed(first), await machine.flushed(second), await again()])
      expect(refused(outcome).code).toBe("STORAGE_FULL");
    machine.store.failNone();
    accepted(await again());
    expect(await machine.text()).toBe("one\nthree\n");
  });
});

describe("an edit that was answered", () => {
  test("[ED5] is answered again though the clock was set ahead by a year", async () => {
    const machine = await edited();
    const edit = () => machine.flushed(machine.append("two\n", { opId: "op-1" }));
    const { changeId } = accepted(await edit());
    machine.clock.jump(365 * 24 * 60 * 60 * 1000);
    const ended = new AbortController();
    const house = maintain(machine.workspace, ended.signal);
    await machine.flush();
    expect(accepted(await edit()).changeId).toBe(changeId);
    ended.abort();
    await machine.flushed(house);
  });
});

describe("an edit that its file cannot hold yet", () => {
  test("[ED5, ED12] is answered again as not mirrored, before and after a crash", async () => {
    const machine = await edited();
    machine.disk.full = true;
    const edit = () => machine.flushed(machine.append("two\n", { opId: "op-1" }));
    expect(accepted(await edit()).mirrored).toBe(false);
    expect(accepted(await edit()).mirrored).toBe(false);
    await machine.killed();
    expect(accepted(await edit()).mirrored).toBe(false);
    expect(machine.disk.text("a.md")).toBe("one\n");
  });
});

describe("a file that is moved", () => {
  test("[DC5] is one document to who asks under its old name before the store has the new one", async () => {
    const machine = await edited();
    const document = await machine.document();
    await machine.flushed(document.saveRecord());
    const renaming = machine.workspace.rename(ALICE, document, "b.md");
    await machine.settled();
    machine.store.flush(1); // the note of the rename
    await machine.settled();
    expect(machine.disk.exists("b.md")).toBe(true);
    const asking = machine.workspace.open("a.md");
    await machine.settled();
    expect([...machine.workspace.loaded]).toEqual([document]);
    accepted(await machine.flushed(renaming));
    expect(refused(await machine.flushed(asking)).code).toBe("NOT_FOUND");
  });
});

describe("a file that is moved while the store refuses", () => {
  test("[DC5] the edit that notices the move, is the same document, which is edited", async () => {
    const machine = await edited();
    const { id } = await machine.document();
    machine.disk.move("a.md", "b.md");
    machine.store.failNext("full");
    const edit = machine.flushed(machine.append("two\n", { path: "b.md" }));
    expect(await edit.catch((error: unknown) => error)).toMatchObject({ durable: true });
    expect([(await machine.document("b.md")).id, await machine.text("b.md")]).toEqual([id, "one\ntwo\n"]);
  });

  test("[DC5] an edit before that, is the same document", async () => {
    const machine = await edited();
    const { id } = await machine.document();
    machine.store.refuseAppends(1);
    expect(refused(await machine.flushed(machine.append("two\n"))).code).toBe("STORAGE_FULL");
    machine.disk.move("a.md", "b.md");
    expect((await machine.document("b.md")).id).toBe(id);
  });

  test("[DC5] a save before that, is the same document, which takes the save in again", async () => {
    const machine = await edited();
    const document = await machine.document();
    machine.store.refuseAppends(1);
    machine.disk.save("a.md", "one\nsaved\n");
    expect(await machine.text()).toBe("one\nsaved\n");
    await machine.flushed(machine.workspace.drop(document));
    machine.disk.move("a.md", "b.md");
    const moved = await machine.document("b.md");
    expect([moved.id, moved.text.toString()]).toEqual([document.id, "one\nsaved\n"]);
  });

  test("[DC12] a save before that, and then crashes, takes the save in at the next start", async () => {
    const machine = await edited();
    machine.store.refuseAppends(1);
    machine.disk.save("a.md", "one\nsaved\n");
    accepted(await machine.workspace.open("a.md"));
    machine.disk.move("a.md", "b.md");
    const moving = machine.workspace.open("b.md");
    await machine.settled();
    await machine.killed(machine.store.waiting);
    await moving; // with the refusal of a daemon that ends
    expect(await machine.text("b.md")).toBe("one\nsaved\n");
  });

  test("[DC12, I1] the move itself, gets the edit that takes the place of the move in the history", async () => {
    const machine = await withMoveLost();
    await machine.document("b.md");
    await machine.flush();
    void machine.append("two\n", { path: "b.md" });
    await machine.settled();
    await machine.killed(machine.store.waiting - 1); // with the edit in the store, and not in the file
    machine.disk.save("b.md", "one\n"); // an editor saves what it has
    expect(await machine.text("b.md")).toBe("one\ntwo\n");
    await machine.flush();
    expect(machine.disk.text("b.md")).toBe("one\ntwo\n");
  });

  test("[DC12, I1] the move, whose record it takes, gets the edit that has the number of the move", async () => {
    const machine = await edited();
    const document = await machine.document();
    machine.store.refuseAppends(1);
    machine.disk.move("a.md", "b.md");
    const moving = machine.workspace.open("b.md");
    await machine.settled();
    await machine.flushed(document.saveRecord());
    accepted((await machine.flushed(moving))!);
    await machine.killed();
    void machine.append("two\n", { path: "b.md" });
    await machine.settled();
    await machine.killed(machine.store.waiting - 1); // with the edit in the store, and not in the file
    machine.disk.save("b.md", "one\n"); // an editor saves what it has
    expect(await machine.text("b.md")).toBe("one\ntwo\n");
  });

  test("[DC12, I2] the move itself, is synced once it holds what takes the place of the move", async () => {
    const machine = await withMoveLost();
    accepted(await machine.flushed(machine.append("two\n", { path: "b.md", ack: "mirrored" })));
    expect(machine.disk.isSynced("b.md")).toBe(false);
    await (await machine.document("b.md")).sync();
    expect(machine.disk.isSynced("b.md")).toBe(true);
  });
});

/**
 * A machine whose daemon moved `a.md` to `b.md`, and was killed. The store has a record of the new path, and not the move's
 * change, as a daemon of an earlier version may leave it.
 */
async function withMoveLost(): Promise<Machine> {
  const machine = await edited();
  const { id } = await machine.document();
  await machine.killed(machine.store.waiting);
  machine.disk.move("a.md", "b.md");
  await machine.flushed(machine.store.saveDocument({ ...machine.store.document(id)!, path: "b.md" }));
  return machine;
}
