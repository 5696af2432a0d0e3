import { LoroDoc } from "loro-crdt";
import { describe, expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { StoreError } from "../../src/store/store.ts";
import { Text } from "../../src/text/text.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { save } from "../../src/workspace/folder/documents.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { PeerClaims } from "../../src/workspace/sharing/peer-claims.ts";
import { SharedDocument } from "../../src/workspace/sharing/shared-document.ts";
import { DirectExamination } from "../helpers/direct-examination.ts";
import { drained } from "../helpers/drained.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import { ALICE, accepted, refused } from "./harness.ts";
import { opened as openedOnFakes } from "./opened.ts";

const INSERT = [{ from: 0, to: 0, insert: "zero\n" }];
const CONTENT = { bom: false, text: Text.of("new\n") };
const append = (path: string) => ({ kind: "test", path, plan: planAppend("two\n"), ack: "durable" as const });

/** A workspace with `a.md` open on fakes, and an editor of it. */
async function opened() {
  const stage = await openedOnFakes();
  return { ...stage, editor: new Editor(stage.workspace) };
}

/** Delays the store's writes of document records until the returned function is called, which refuses them. */
function holdNotes(store: MemoryStore): () => void {
  const real = store.saveDocument;
  let refuse = () => {};
  const held = new Promise<never>((_, reject) => {
    refuse = () => reject(new StoreError("full", "no space left"));
  });
  store.saveDocument = () => held;
  return () => {
    store.saveDocument = real;
    refuse();
  };
}

describe("a document that was dropped", () => {
  test("[DO1] refuses what would reach its replicas, and nothing changes", async () => {
    const { workspace, document, disk, store } = await opened();
    await workspace.drop(document);
    const before = store.durable.copy();
    const outcomes = [
      document.commit(ALICE, document.draft(ALICE, INSERT, { origin: "agent" })),
      document.receive(ALICE, [new Uint8Array()], { origin: "remote" }),
      document.shared(new Map()),
      document.knows("1"),
      document.recreate(ALICE, document.path, { content: CONTENT, image: document.mirror.image! }),
      await workspace.remove(ALICE, document),
      await workspace.rename(ALICE, document, "b.md"),
    ];
    expect(outcomes.map((outcome) => refused(outcome).code)).toEqual(outcomes.map(() => "OVERLOADED"));
    expect([disk.text("a.md"), disk.text("b.md"), store.durable]).toEqual(["one\n", undefined, before]);
  });

  test("[DO1] refuses from the moment on at which its end begins, and ends once", async () => {
    const { document } = await opened();
    const closing = document.close();
    expect(
      refused(document.commit(ALICE, document.draft(ALICE, INSERT, { origin: "agent" }))).message,
    ).toContain("the daemon unloaded a.md");
    expect(document.close()).toBe(closing);
    await closing;
  });

  test("[DO1] does not say that its file could not be written to who waits for that", async () => {
    const { workspace, document, disk } = await opened();
    disk.full = true;
    accepted(document.commit(ALICE, document.draft(ALICE, INSERT, { origin: "agent" })));
    const saving = save(document);
    await workspace.drop(document);
    expect(refused(await saving).code).toBe("OVERLOADED");
    disk.full = false;
  });

  test("[DO1] stores no note any more over those of the object that took its place", async () => {
    const { workspace, document, store, editor } = await opened();
    accepted(await editor.edit(ALICE, { ...append("a.md"), ack: "mirrored" }));
    store.failNext("full");
    await workspace.drop(document); // with a record that could not be stored
    const again = accepted(await workspace.open("a.md"));
    accepted(await workspace.rename(ALICE, again, "b.md"));
    await Promise.all([document.saveRecord(), document.compact({ leaving: true })]);
    expect(store.document(document.id)?.path).toBe("b.md");
  });

  test("[DO2] an edit that had opened it by its new name is made, on the object that took its place", async () => {
    const { disk, store, workspace, document, editor } = await opened();
    const refuse = holdNotes(store);
    disk.move("a.md", "b.md");
    const edit = editor.edit(ALICE, append("b.md")); // stores its move
    await drained();
    const dropping = workspace.drop(document);
    await drained();
    refuse();
    await dropping;
    accepted(await edit);
    const again = accepted(await workspace.open("b.md"));
    expect([again === document, again.id, again.text.toString()]).toEqual([false, document.id, "one\ntwo\n"]);
  });

  test("[DO2, DO7] it does not come back with its file, which is found elsewhere; the next object does", async () => {
    const { disk, workspace, document } = await opened();
    const events: string[] = [];
    workspace.listen(({ type }) => events.push(type));
    const { files } = workspace.ports;
    const walking = once(files, "walk");
    disk.move("a.md", "b.md");
    void workspace.verify();
    await walking; // the grace time is over, and the file is looked for
    await workspace.drop(document);
    expect(workspace.loadedAt("b.md" as DocPath)).toBeUndefined();
    const again = accepted(await workspace.open("b.md"));
    expect([again.id, again.closed, events]).toEqual([document.id, undefined, ["renamed"]]);
  });

  test("[DO2] it is found by its new name, too, when its file is moved while it is being closed", async () => {
    const { disk, workspace, document } = await opened();
    const dropping = workspace.drop(document);
    disk.move("a.md", "b.md");
    const again = accepted(await workspace.open("b.md"));
    await dropping;
    expect([again.id, again.path, again.closed]).toEqual([document.id, "b.md", undefined]);
  });

  test("[DO2] a deleted one is opened by its id, at whatever step of that it leaves memory", async () => {
    const { workspace, document } = await opened();
    accepted(await workspace.remove(ALICE, document));
    for (let steps = 0; steps < 30; steps++) {
      const loaded = accepted(await workspace.opened("a.md"));
      const opening = workspace.openedById(document.id);
      for (let step = 0; step < steps; step++) await Promise.resolve();
      await workspace.drop(loaded);
      expect([steps, accepted((await opening)!).id]).toEqual([steps, document.id]);
    }
  });

  test("[DO1] a file that was made for it, or again, is taken away when it cannot hold it", async () => {
    const { disk, workspace, document } = await opened();
    accepted(await workspace.remove(ALICE, document));
    const { files } = workspace.ports;
    const restore = () => workspace.restore(ALICE, "a.md");
    const create = () => workspace.create(ALICE, "a.md", CONTENT);
    for (const make of [restore, create]) {
      const staged = once(files, "stage");
      const making = make();
      await staged;
      void workspace.drop(workspace.loadedAt("a.md" as DocPath)!);
      expect(refused(await making).code).toBe("OVERLOADED");
      expect(disk.text("a.md")).toBeUndefined();
    }
  });

  test("[DO2] a Loro update that was being examined is examined anew, and made", async () => {
    const { workspace, document } = await opened();
    const examination = new DirectExamination();
    const claims = new PeerClaims(workspace.ports.store);
    const shared = new SharedDocument(document.id, { workspace, examination, claims });
    const member = { receive() {} };
    const { bytes } = accepted(await shared.join(member, document, new Map()));
    const theirs = new LoroDoc();
    theirs.import(bytes!);
    const from = theirs.version();
    theirs.getText("content").insert(0, "zero\n");
    theirs.commit();
    const real = examination.examine.bind(examination);
    examination.examine = async (...asked) => {
      examination.examine = real;
      const finding = await real(...asked);
      await workspace.drop(document);
      return finding;
    };
    const adopted = shared.adopt(member, ALICE, "a.md", [theirs.export({ mode: "update", from })]);
    expect(await adopted).toBeUndefined();
    expect(accepted(await workspace.open("a.md")).text.toString()).toBe("zero\none\n");
    await shared.close();
  });
});

describe("a document that is moved to the path of a deleted one", () => {
  test.each([
    ["in memory", false],
    ["being loaded", true],
  ])("[DO5] takes the place of one %s, which is closed", async (_, resting) => {
    const { disk, workspace, document } = await opened();
    disk.save("b.md", "b\n");
    const deleted = accepted(await workspace.open("b.md"));
    accepted(await workspace.remove(ALICE, deleted));
    if (resting) await workspace.drop(deleted);
    const opening = workspace.open("b.md");
    accepted(await workspace.rename(ALICE, document, "b.md"));
    await opening;
    expect([...workspace.loaded].map(({ id, path }) => [id, path])).toEqual([[document.id, "b.md"]]);
    expect(refused(deleted.closed).code).toBe("OVERLOADED");
    expect(accepted(await workspace.open("b.md"))).toBe(document);
  });
});

describe("a workspace that was closed", () => {
  test("[DO3] hands out no document, makes none, and leaves no file of it", async () => {
    const { disk, workspace, editor } = await opened();
    const making = workspace.create(ALICE, "new.md", CONTENT);
    disk.save("b.md", "b\n");
    const loading = workspace.open("b.md");
    await workspace.close();
    const outcomes = [making, loading, workspace.open("a.md"), editor.edit(ALICE, append("a.md"))];
    for (const outcome of outcomes) expect(refused(await outcome).code).toBe("OVERLOADED");
    expect(disk.text("new.md")).toBeUndefined();
    expect([...workspace.loaded]).toEqual([]);
  });
});

/** Resolves when a method of an object is called next. */
function once<K extends string>(object: { [key in K]: unknown }, name: K): Promise<void> {
  const methods = object as Record<K, (...args: never[]) => unknown>;
  const real = methods[name];
  return new Promise((called) => {
    methods[name] = (...args) => {
      methods[name] = real;
      called();
      return real.apply(object, args);
    };
  });
}
