import { expect, test, vi } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import type { Linked } from "../../src/workspace/document/linked.ts";
import { ALICE, accepted, Bench, refused } from "./harness.ts";

const A = "a.md" as DocPath;
const LINKED: Linked = { mirrorEveryMs: 0, isTold: () => true, originOf: () => undefined };

/** Renames the file of a document from a.md to b.md while no daemon runs. */
async function renamedAway(bench: Bench): Promise<string> {
  const { id } = await bench.document(A);
  await bench.restart(() => bench.rename(A, "b.md"));
  bench.workspace.linked = LINKED;
  return id;
}

test("[MA132] a document that is restored at the former path of a renamed file leaves that file its document", async () => {
  const bench = new Bench({ [A]: "bob's\n", "gone.md": "ada's\n" });
  const gone = await bench.document("gone.md");
  accepted(await bench.workspace.remove(ALICE, gone));
  const id = await renamedAway(bench);
  const document = accepted((await bench.workspace.openedById(gone.id))!);
  accepted(await bench.workspace.restoreAt(ALICE, document, A));
  expect([bench.read(A), bench.read("b.md")]).toEqual(["ada's\n", "bob's\n"]);
  expect((await bench.document("b.md")).id).toBe(id);
});

test("[MA132] so does a document that another machine sends", async () => {
  const other = new Bench({ [A]: "ada's\n" });
  const { id: docId } = await other.document(A);
  const { store } = other.workspace.ports;
  const changes = [...store.changes(docId)];
  const bench = new Bench({ [A]: "bob's\n" });
  const id = await renamedAway(bench);
  const received = { id: docId, path: A, bom: false, snapshot: store.snapshot(docId)!, changes };
  accepted(await bench.workspace.receive(received, () => false));
  expect([bench.read(A), bench.read("b.md")]).toEqual(["ada's\n", "bob's\n"]);
  expect((await bench.document("b.md")).id).toBe(id);
});

test("[MA151] a file that comes to the place of a restoration under way is none of its document", async () => {
  const bench = new Bench({ "gone.md": "ada's\n" });
  const gone = await bench.document("gone.md");
  accepted(await bench.workspace.remove(ALICE, gone));
  const { store } = bench.workspace.ports;
  const save = store.saveDocument.bind(store);
  vi.spyOn(store, "saveDocument").mockImplementation(async (record) => {
    await save(record);
    if (record.path === A) bench.write(A, "bob's\n");
  });
  const document = accepted((await bench.workspace.openedById(gone.id))!);
  expect(refused(await bench.workspace.restoreAt(ALICE, document, A)).code).toBe("ALREADY_EXISTS");
  const there = await bench.document(A);
  expect([there.id === gone.id, bench.read(A), there.text.toString()]).toEqual([false, "bob's\n", "bob's\n"]);
});
