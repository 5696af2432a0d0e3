import { expect, test } from "vitest";
import { RequestOrder } from "../../src/protocol/frames/request-order.ts";
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

/** Requests that end when the test ends them, and turns that begin when the test says so. */
class Stage {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly #turns: (() => void)[] = [];
  readonly #order = new RequestOrder(async (begin) => {
    await new Promise<void>((turn) => this.#turns.push(turn));
    return begin();
  });

  run(name: string, method: string, params: object): void {
    void this.#order.run({ id: 1, method, params }, () => {
      this.begun.push(name);
      return new Promise((end) => this.#ends.set(name, end));
    });
  }

  /** Ends requests; those that wait for them may begin. */
  async end(...names: string[]): Promise<void> {
    for (const name of names) this.#ends.get(name)!();
    await new Promise(setImmediate);
  }

  async turn(): Promise<void> {
    this.#turns.shift()!();
    await new Promise(setImmediate);
  }
}

test("[SE30] requests on other documents, and edits of one, do not wait for each other", async () => {
  const stage = new Stage();
  stage.run("edit a", "edit.append", { path: "a" });
  stage.run("edit a again", "edit.append", { path: "./a" });
  stage.run("create b", "doc.create", { path: "b" });
  stage.run("edit b", "edit.append", { path: "./b" });
  stage.run("read c", "doc.read", { path: "c" });
  stage.run("presence", "presence.list", {});
  const atOnce = ["edit a", "edit a again", "create b", "read c", "presence"];
  expect(stage.begun).toEqual(atOnce);
  await stage.end("create b");
  await stage.turn();
  expect(stage.begun).toEqual([...atOnce, "edit b"]);
});

test("[SE30] edits that waited begin before later ones of their document", async () => {
  const stage = new Stage();
  stage.run("create a", "doc.create", { path: "a" });
  stage.run("first", "edit.append", { path: "a" });
  await stage.end("create a");
  stage.run("second", "edit.append", { path: "a" });
  stage.run("of another", "edit.append", { path: "b" });
  expect(stage.begun).toEqual(["create a", "of another"]);
  await stage.turn();
  await stage.turn();
  expect(stage.begun).toEqual(["create a", "of another", "first", "second"]);
});

test("[SE30] an undo waits for the changes of all documents, whatever it names", async () => {
  const stage = new Stage();
  stage.run("edit b", "edit.append", { path: "b" });
  stage.run("undo", "undo", { path: "a" });
  stage.run("edit c", "edit.append", { path: "c" });
  expect(stage.begun).toEqual(["edit b"]);
  await stage.end("edit b");
  await stage.turn();
  await stage.end("undo");
  await stage.turn();
  expect(stage.begun).toEqual(["edit b", "undo", "edit c"]);
});

test("[SE30, I14] a request that names more files than a batch may have waits for all, and none of its names is compared", async () => {
  const stage = new Stage();
  const files = Array.from({ length: 1_000_000 }, () => ({
    get path(): string {
      throw new Error("a name was read");
    },
  }));
  stage.run("edit a", "edit.append", { path: "a" });
  stage.run("batch", "batch.apply", { files });
  expect(stage.begun).toEqual(["edit a"]);
});
