import { expect, test } from "vitest";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { isRefused } from "../../src/workspace/edits/request.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import { ALICE, accepted, BOB, EXPIRE_DAYS } from "./harness.ts";
import { Machine } from "./machine.ts";

test("[DC47] an edit of a document that was deleted once it had opened is refused", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  const editor = new Editor(machine.workspace);
  const request = { kind: "append", path: "a.md", plan: planAppend("two\n") } as const;
  const opened = await machine.flushed(editor.open(ALICE, [request]));
  expect(await machine.flushed(machine.workspace.remove(ALICE, document))).toBeUndefined();
  const prepared = editor.prepare(opened);
  expect(isRefused(prepared) && prepared.refused.map(({ refusal }) => refusal.code)).toEqual(["DELETED"]);
});

/** Returns a machine with a proposal of an edit, and the calls that create and approve proposals. */
async function proposed() {
  const machine = new Machine("one\n");
  const document = await machine.document();
  const { workspace } = machine;
  const editor = new Editor(workspace);
  const proposals = new Proposals(workspace, editor, new FileBatches(workspace), EXPIRE_DAYS);
  const wish = { path: "a.md", operation: "append", proposedValue: "two" } as const;
  const { id } = accepted(await machine.flushed(proposals.create(ALICE, wish)));
  return { machine, document, editor, proposals, id };
}

test("[DC47] so is an approval of a document that was deleted as it opened, and it stays pending", async () => {
  const { machine, document, editor, proposals, id } = await proposed();
  const open = editor.open.bind(editor);
  editor.open = async (...args) => {
    const opened = await open(...args);
    expect(await machine.workspace.remove(ALICE, document)).toBeUndefined();
    return opened;
  };
  expect(await machine.flushed(proposals.approve(BOB, { id }))).toMatchObject({ code: "DELETED" });
  expect(accepted(await machine.flushed(proposals.get(ALICE, id))).status).toBe("pending");
});

test("[DC49] a deletion that waits for the store comes before an approval's check or after its edit", async () => {
  const { machine, document, proposals, id } = await proposed();
  machine.disk.save("a.md", "saved\none\n");
  void document.mirror.fresh();
  await machine.clock.advance(300);
  const removing = machine.workspace.remove(ALICE, document);
  await machine.flushed(Promise.all([proposals.approve(BOB, { id }), removing]));
  const changes = machine.store.everyChangeOf(document.id);
  expect(changes.map(({ file, origin }) => file?.kind ?? origin).slice(2)).toEqual(["proposal", "delete"]);
});
