import { expect, test } from "vitest";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { isRefused } from "../../src/workspace/edits/request.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE } from "./harness.ts";
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
