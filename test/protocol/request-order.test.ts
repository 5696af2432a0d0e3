import { expect, test } from "vitest";
import { RequestOrder } from "../../src/protocol/request-order.ts";
import { greeted, type Message } from "./talk.ts";

const ROUNDS = 20;

const refusals = (answers: readonly Message[]) =>
  answers.flatMap(({ error }) => (error ? [error.message] : []));

test("[SE30] an edit sent after a creation or a rename, without waiting for it, finds the document", async () => {
  const talk = await greeted({});
  for (let i = 0; i < ROUNDS; i++) {
    const [path, to] = [`a${i}.md`, `b${i}.md`];
    const answers = await talk.askAll([
      ["doc.create", { path, text: "one\n" }],
      ["edit.append", { path, text: "two\n" }],
      ["doc.rename", { path, to }],
      ["edit.append", { path: to, text: "three\n" }],
      ["doc.read", { path: to }],
    ]);
    expect(refusals(answers)).toEqual([]);
    expect(answers.at(-1)!.result).toMatchObject({ text: "one\ntwo\nthree\n" });
  }
});

test("[SE30] an undo sent after an edit, without waiting for it, takes back that edit", async () => {
  const talk = await greeted({ "a.md": "one\n" });
  for (let i = 0; i < ROUNDS; i++) {
    const answers = await talk.askAll([
      ["edit.append", { path: "a.md", text: `${i}\n` }],
      ["undo", {}],
      ["doc.read", { path: "a.md" }],
      ["redo", {}],
    ]);
    expect(refusals(answers)).toEqual([]);
    expect(answers[2]!.result).toMatchObject({
      text: `one\n${[...Array(i).keys()].map((n) => `${n}\n`).join("")}`,
    });
  }
});

test("[SE30] a deletion, an approval, a batch and a restored checkpoint come after the edits sent before them", async () => {
  const talk = await greeted({ "a.md": "one\n", "b.md": "b\n" });
  const proposed = { operation: "append", proposed_value: "three\n", reasoning: "" };
  const { result } = await talk.ask("proposal.create", { path: "a.md", ...proposed });
  const answers = await talk.askAll([
    ["edit.append", { path: "a.md", text: "two\n" }],
    ["proposal.approve", { id: result!["id"] }],
    ["edit.append", { path: "a.md", text: "four\n" }],
    ["checkpoint.create", { name: "now" }],
    ["batch.apply", { batchLabel: "x", files: [{ docPath: "a.md", text: "all new\n" }] }],
    ["edit.append", { path: "b.md", text: "more\n" }],
    ["doc.delete", { path: "b.md" }],
    ["doc.create", { path: "b.md", text: "again\n" }],
    ["edit.append", { path: "b.md", text: "and again\n" }],
    ["checkpoint.restore", { name: "now" }],
    ["doc.read", { path: "a.md" }],
  ]);
  expect(refusals(answers)).toEqual([]);
  expect(answers.at(-1)!.result).toMatchObject({ text: "one\ntwo\nthree\nfour\n" });
});

test("[SE30] requests on other documents, and edits of one, do not wait for each other", async () => {
  const order = new RequestOrder();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (method: string, params: object) =>
    order.run({ id: 1, method, params }, () => {
      begun.push(`${method} ${Object.values(params).join()}`);
      return new Promise<void>((end) => ends.push(end));
    });
  void run("edit.append", { path: "a" });
  void run("edit.append", { path: "a" });
  void run("doc.create", { path: "b" });
  void run("edit.append", { path: "a" });
  const waiting = run("edit.append", { path: "b" });
  void run("doc.read", { path: "c" });
  expect(begun).toEqual(["edit.append a", "edit.append a", "doc.create b", "edit.append a", "doc.read c"]);
  ends[2]!();
  await expect.poll(() => begun.at(-1)).toBe("edit.append b");
  ends[5]!();
  await waiting;
});
