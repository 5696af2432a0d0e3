import { expect, test } from "vitest";
import type { Document } from "../../src/workspace/document/document.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { contentOf } from "../../src/workspace/folder/file-changes.ts";
import { History } from "../../src/workspace/history/history.ts";
import { Undo } from "../../src/workspace/history/undo.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, BOB, refused } from "./harness.ts";
import { Machine } from "./machine.ts";

test("[DC44] a file is removed only once the store has the save that the daemon read from it", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  machine.disk.save("a.md", "one\nwritten by a person\n");
  await document.mirror.fresh();
  const removing = machine.workspace.remove(ALICE, document);
  await machine.settled();
  expect(machine.disk.text("a.md")).toBe("one\nwritten by a person\n");
  accepted(await machine.flushed(removing));
  expect(machine.disk.exists("a.md")).toBe(false);
});

test("[DC44] a kill before that leaves the file with the save", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  machine.disk.save("a.md", "one\nwritten by a person\n");
  await document.mirror.fresh();
  void machine.workspace.remove(ALICE, document);
  await machine.settled();
  await machine.killed();
  expect(await machine.text()).toBe("one\nwritten by a person\n");
});

test("[DC44] a store that refuses the save leaves the file", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  machine.disk.save("a.md", "one\nwritten by a person\n");
  machine.store.failNext("full", 3);
  await document.mirror.fresh();
  expect(refused(await machine.flushed(machine.workspace.remove(ALICE, document))).code).toBe("STORAGE_FULL");
  expect(machine.disk.text("a.md")).toBe("one\nwritten by a person\n");
});

test("[DC44] an edit that comes meanwhile keeps an undo of the creation from removing the file", async () => {
  const machine = new Machine("");
  const creating = machine.workspace.create(ALICE, "b.md", contentOf("one\n"));
  const document = accepted(await machine.flushed(creating));
  const { workspace } = machine;
  const [editor, history] = [new Editor(workspace), new History(workspace)];
  const undoing = new Undo(workspace, editor, history, new FileBatches(workspace));
  const change = document.head.id;
  const own = machine.append("two\n", { path: "b.md" });
  await machine.settled();
  const undone = undoing.undo(ALICE, { changeId: change });
  await machine.settled();
  const other = editor.edit(BOB, {
    kind: "append",
    path: "b.md",
    ack: "durable",
    plan: planAppend("three\n"),
  });
  await machine.settled();
  const outcome = await machine.flushed(undone);
  expect(refused(outcome).message).toContain("bob");
  accepted(await machine.flushed(own));
  accepted(await machine.flushed(other));
  expect(await machine.text("b.md")).toBe("one\ntwo\nthree\n");
});

test("[DC45] a file that a program has open for writing is not removed", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  const close = machine.disk.openForWriting("a.md");
  const { code, suggestion } = refused(await machine.flushed(machine.workspace.remove(ALICE, document)));
  expect([code, suggestion]).toEqual([
    "MIRROR_BLOCKED",
    "Another program is writing to the file. Send the request again.",
  ]);
  machine.disk.append("a.md", "written by a person\n");
  close();
  expect(refused(await machine.flushed(machine.workspace.remove(ALICE, document))).code).toBe(
    "MIRROR_BLOCKED",
  );
  await document.mirror.fresh();
  accepted(await machine.flushed(machine.workspace.remove(ALICE, document)));
  expect(machine.disk.exists("a.md")).toBe(false);
});

/** Lets the daemon notice what is at the path of a document now. */
async function noticed(machine: Machine, document: Document): Promise<void> {
  for (let i = 0; i < 20; i++) {
    void document.mirror.fresh();
    await machine.clock.advance(500);
    await machine.settled();
  }
}

test("[DC46] a restoration brings back the text that the document has when its file comes", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  const edited = machine.append("two\n");
  await machine.settled(); // the edit is staged, and waits for the store
  machine.disk.remove("a.md");
  await noticed(machine, document);
  expect(document.deleted).toBe(true);
  const restoring = machine.workspace.restore(ALICE, "a.md");
  await machine.settled();
  machine.disk.save("a.md", "zero\none\n");
  const opening = machine.workspace.open("a.md");
  await noticed(machine, document);
  expect(document.deleted).toBe(false);
  machine.disk.remove("a.md");
  await noticed(machine, document);
  expect(document.deleted).toBe(true);
  const texts: (string | undefined)[] = [];
  machine.disk.onChange = (path) => texts.push(machine.disk.text(path));
  await machine.flushed(Promise.all([edited, opening]));
  accepted(await machine.flushed(restoring));
  expect(texts).toEqual(["zero\none\ntwo\n"]);
});
