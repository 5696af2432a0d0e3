import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import type { Image } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { contentOf } from "../../src/store/content.ts";
import { StoreError } from "../../src/store/store.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted, refused } from "./harness.ts";
import { Machine } from "./machine.ts";

/** Opens a workspace that ends with the test, or before the next one on the same disk. */
function start(disk: FakeDisk, store: MemoryStore) {
  const reports: string[] = [];
  const { files, workspace } = onFakes(disk, store, (event) => reports.push(event));
  onTestFinished(() => workspace.close());
  return {
    workspace,
    reports,
    dies() {
      files.crash();
      return store.crash();
    },
  };
}

/** What a store without space refuses: the next record of a file alone, or the event before it, too. */
type Refused = "record" | "event and record";

/** A workspace with a document open, whose store has no space for what becomes of its file. */
async function withoutSpace(refused: Refused = "record") {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\n");
  const store = new MemoryStore();
  const first = start(disk, store);
  const document = accepted(await first.workspace.open("a.md"));
  const { saveDocument, append } = store;
  store.saveDocument = (record) => {
    store.failNext("full");
    store.saveDocument = saveDocument;
    return store.saveDocument(record);
  };
  if (refused === "event and record")
    store.append = (...parts) => {
      store.failNext("full");
      store.append = append;
      return store.append(...parts);
    };
  return { disk, store, first, document };
}

const REFUSED: [Refused, string[]][] = [
  ["record", ["document.unnoted"]],
  ["event and record", ["document.failed", "document.unnoted"]],
];

test.each(REFUSED)(
  "[DC13] a file is deleted though the store refuses the %s, and the next start sees that it is",
  async (which, reports) => {
    const { disk, first, document } = await withoutSpace(which);
    accepted(await first.workspace.remove(ALICE, document));
    expect(disk.text("a.md")).toBeUndefined();
    expect(first.reports).toEqual(reports);
    await expect.poll(async () => refused(await first.workspace.open("a.md")).code).toBe("DELETED");
    const second = start(disk, first.dies());
    await expect.poll(async () => refused(await second.workspace.open("a.md")).code).toBe("DELETED");
  },
);

test.each(REFUSED)(
  "[DC13] a file is renamed though the store refuses the %s, and the next start knows it by what it is",
  async (which, reports) => {
    const { disk, first, document } = await withoutSpace(which);
    accepted(await first.workspace.rename(ALICE, document, "b.md"));
    expect(first.reports).toEqual(reports);
    const second = start(disk, first.dies());
    await second.workspace.opened("a.md"); // as the daemon does at a start with a document whose file has changed
    const moved = accepted(await second.workspace.open("b.md"));
    expect([moved.id, moved.text.toString()]).toEqual([document.id, "one\n"]);
  },
);

test("[DC13] and it is known there after the store refused an edit of it, too", async () => {
  const { first, document, store } = await withoutSpace();
  accepted(await first.workspace.rename(ALICE, document, "b.md"));
  store.failNext("full", 100);
  document.commit(ALICE, document.draft(ALICE, [{ from: 0, to: 0, insert: "two" }], { origin: "agent" }));
  await expect(document.durable).rejects.toThrow();
  await first.workspace.drop(document);
  store.failNone();
  expect(accepted(await first.workspace.open("b.md")).id).toBe(document.id);
});

test("[DC13] and it is known there after it was dropped from memory, for as long as nobody else has the place", async () => {
  const { disk, first, document, store } = await withoutSpace();
  store.failNext("full", 100);
  accepted(await first.workspace.rename(ALICE, document, "b.md"));
  await first.workspace.drop(document);
  store.failNone();
  const again = accepted(await first.workspace.open("b.md"));
  expect(again.id).toBe(document.id);
  accepted(await first.workspace.rename(ALICE, again, "c.md"));
  await first.workspace.drop(again);
  disk.save("b.md", "another\n");
  const another = accepted(await first.workspace.open("b.md"));
  expect([another.id === document.id, another.text.toString()]).toEqual([false, "another\n"]);
  expect(accepted(await first.workspace.open("c.md")).id).toBe(document.id);
});

test("[DC13] and another file there is none of it once it left that place", async () => {
  const { disk, first, document, store } = await withoutSpace();
  store.failNext("full", 100);
  accepted(await first.workspace.rename(ALICE, document, "b.md"));
  await first.workspace.drop(document);
  store.failNone();
  const moved = accepted(await first.workspace.open("b.md"));
  accepted(await first.workspace.rename(ALICE, moved, "a.md"));
  await moved.saveRecord();
  disk.save("b.md", "another\n");
  const another = accepted(await first.workspace.open("b.md"));
  expect([another.id === document.id, another.text.toString()]).toEqual([false, "another\n"]);
});

test("[DC13] and it is deleted there, not unknown, once its file is gone, too", async () => {
  const { disk, first, document, store } = await withoutSpace();
  store.failNext("full", 100);
  accepted(await first.workspace.rename(ALICE, document, "b.md"));
  accepted(await first.workspace.remove(ALICE, document));
  await first.workspace.drop(document);
  store.failNone();
  expect(disk.exists("b.md")).toBe(false);
  await expect.poll(async () => refused(await first.workspace.open("b.md")).code).toBe("DELETED");
  expect(accepted(await first.workspace.opened("b.md")).id).toBe(document.id);
});

test("[DC42] and it can be opened and restored, once another document has come to where it was renamed", async () => {
  const { disk, first, document, store } = await withoutSpace();
  store.failNext("full", 100);
  accepted(await first.workspace.rename(ALICE, document, "b.md"));
  accepted(await first.workspace.remove(ALICE, document));
  await first.workspace.drop(document);
  store.failNone();
  disk.save("c.md", "another\n");
  const { id } = accepted(await first.workspace.open("c.md"));
  disk.move("c.md", "b.md");
  expect(accepted(await first.workspace.open("b.md")).id).toBe(id);
  const opened = accepted((await first.workspace.openedById(document.id))!);
  expect([opened.id, opened.deleted, opened.text.toString()]).toEqual([document.id, true, "one\n"]);
  const restored = accepted(await first.workspace.restoreAt(ALICE, opened, "a.md" as DocPath));
  expect([restored.id, disk.text("a.md"), disk.text("b.md")]).toEqual([document.id, "one\n", "another\n"]);
});

/** Until the returned call, the store takes no record of a file that is stored by itself. */
function withoutRecords(store: MemoryStore): () => void {
  const waiting: (() => void)[] = [];
  store.saveDocument = () =>
    new Promise((_, refuse) => waiting.push(() => refuse(new StoreError("failed", "the process is gone"))));
  return () => {
    for (const refuse of waiting) refuse();
    store.saveDocument = () => Promise.reject(new StoreError("failed", "the process is gone"));
  };
}

test("[DC21] after a crash the history and the place of a file agree, whatever else the crash takes", async () => {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\n");
  const store = new MemoryStore();
  const first = start(disk, store);
  const { id } = accepted(await first.workspace.open("a.md"));
  const crash = withoutRecords(store);
  disk.save("a.md", "one two\n");
  accepted(await first.workspace.open("a.md"));
  disk.move("a.md", "b.md");
  const moving = first.workspace.open("b.md");
  const loaded = () => first.workspace.loadedAt("b.md" as DocPath);
  await expect.poll(() => loaded()?.kept && loaded()?.id).toBe(id);
  const kept = first.dies();
  crash();
  await moving;
  const second = start(disk, kept);
  const again = accepted(await second.workspace.open("b.md"));
  expect([again.id, again.text.toString()]).toEqual([id, "one two\n"]);
  expect(refused(await second.workspace.open("a.md")).code).toBe("NOT_FOUND");
  const crashAgain = withoutRecords(kept);
  const removing = second.workspace.remove(ALICE, again);
  await again.durable;
  expect(second.dies().document(id)?.deletedAt).toBeDefined();
  crashAgain();
  await removing;
});

test("[DC13] and it is known at its former place once it is back there", async () => {
  const { first, document, store } = await withoutSpace();
  store.failNext("full", 100);
  accepted(await first.workspace.rename(ALICE, document, "b.md"));
  await first.workspace.drop(document);
  const moved = accepted(await first.workspace.open("b.md"));
  accepted(await first.workspace.rename(ALICE, moved, "a.md"));
  await first.workspace.drop(moved);
  store.failNone();
  const back = accepted(await first.workspace.open("a.md"));
  expect([back.id, back.path]).toEqual([document.id, "a.md"]);
});

/** Opens a file that the daemon has read before, and moves it before the store shows its document. */
async function movedEarly(store: MemoryStore) {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\n");
  let flushes = false;
  const flushing = setInterval(() => flushes && store.flush(), 1);
  onTestFinished(() => clearInterval(flushing));
  const { workspace } = start(disk, store);
  const image = workspace.ports.files.look("a.md" as DocPath) as Image;
  const content = contentOf(Buffer.from("one\n"));
  const saved = store.baselines.save([{ path: "a.md", image, sha256: content.sha256 }], [content]);
  store.flush();
  await saved;
  const document = accepted(await workspace.open("a.md"));
  disk.move("a.md", "b.md");
  const moving = workspace.open("b.md");
  await expect.poll(() => workspace.loadedAt("b.md" as DocPath)).toBe(document);
  const asking = workspace.open("a.md");
  flushes = true;
  return { workspace, document, moved: accepted(await moving), asked: await asking };
}

test("[DC5] a document that moves before the store shows it does not leave its former file's baseline to another", async () => {
  const store = new MemoryStore({ atOnce: false });
  const { workspace, document, asked } = await movedEarly(store);
  expect(refused(asked).code).toBe("NOT_FOUND");
  expect([...workspace.loaded]).toEqual([document]);
  expect(store.documents().map(({ path }) => path)).toEqual(["b.md"]);
});

test("[DC36] one whose beginning the store then refuses begins again where its file is, once", async () => {
  const store = new MemoryStore({ atOnce: false });
  const { create } = store;
  store.create = (...beginning) => {
    store.failNext("full");
    store.create = create;
    return store.create(...beginning);
  };
  const { workspace, moved } = await movedEarly(store);
  await moved.durable;
  expect([...workspace.loaded]).toEqual([moved]);
  expect(store.documentAt("b.md")?.id).toBe(moved.id);
});

test("[DC5] who asks under the old path while the move is being stored does not get the document a second time", async () => {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\n");
  const store = new MemoryStore({ atOnce: false });
  const flushing = setInterval(() => store.flush(), 1);
  onTestFinished(() => clearInterval(flushing));
  const { workspace } = start(disk, store);
  const document = accepted(await workspace.open("a.md"));
  const renaming = workspace.rename(ALICE, document, "b.md");
  await expect.poll(() => disk.exists("b.md")).toBe(true);
  expect(refused(await workspace.open("a.md")).code).toBe("NOT_FOUND");
  accepted(await renaming);
  expect([...workspace.loaded]).toEqual([document]);
  expect(store.documents().map(({ path }) => path)).toEqual(["b.md"]);
});

test("[DC27] an edit outlasts a rename for which the store has no space, while a version with the edit is being noted", async () => {
  const machine = new Machine("one\n");
  await machine.document();
  const edited = machine.append("two\n");
  await machine.settled();
  const { documents } = machine.store.durable;
  while ([...documents.values()][0]?.staged === undefined && machine.store.waiting > 0) {
    if (machine.store.waiting === 1) {
      // The last write is the note. The event of the rename follows it, the note once more, and the record of the place.
      machine.disk.move("a.md", "b.md");
      machine.store.failNext("full", 3);
      void machine.workspace.open("b.md");
      await machine.settled();
    }
    machine.store.flush(1);
    await machine.settled();
  }
  accepted(await edited);
  await machine.flush();
  const document = await machine.document("b.md");
  for (let waited = 0; waited < 1_000; waited += 100) {
    await machine.flush();
    await machine.clock.advance(100);
  }
  expect([document.text.toString(), machine.disk.text("b.md")]).toEqual(["one\ntwo\n", "one\ntwo\n"]);
});
