import { describe, expect, test } from "vitest";
import { greeted } from "./talk.ts";

const TOML = "# who\n[personal]\nname = 'Alex' # n\n\n[academic]\ngpa = 3.85\n";

describe("edit.set", () => {
  test("[SD6] sets one field and returns an edit's result", async () => {
    const talk = await greeted({ "s.toml": TOML });
    const { result } = await talk.ask("edit.set", { path: "s.toml", key: ["academic", "gpa"], value: 4 });
    expect(result).toMatchObject({ splices: [{ insert: "4.0" }], mirrored: true, merged: false });
    expect(talk.bench.read("s.toml")).toBe(TOML.replace("3.85", "4.0"));
  });

  const WHOLE = [
    2n ** 53n,
    2n ** 53n + 1n,
    123456789012345678n,
    -(2n ** 63n),
    2n ** 63n - 1n,
    10n ** 22n + 1n,
  ];
  for (const [path, textOf] of [
    ["a.json", (n: bigint) => `{"id": ${n}, "more": 1}\n`],
    ["a.yaml", (n: bigint) => `id: ${n}\nmore: 1\n`],
    ["a.toml", (n: bigint) => `id = ${n}\nmore = 1\n`],
  ] as const)
    test(`[SD8] ${path} holds whole numbers beyond 2^53 exactly, or the edit is refused`, async () => {
      const talk = await greeted({ [path]: textOf(WHOLE[0]! + 2n) });
      let held = WHOLE[0]! + 2n;
      for (const value of WHOLE) {
        const { error } = await talk.ask("edit.set", { path, key: ["id"], value });
        const isTooLarge = path === "a.toml" && value === WHOLE.at(-1);
        expect(error?.message ?? "").toContain(isTooLarge ? "at most 64 bits" : "");
        if (!isTooLarge) held = value;
        expect(talk.bench.read(path)).toBe(textOf(held));
        await talk.ask("edit.set", { path, key: ["more"], value: 2 });
        await talk.ask("edit.set", { path, key: ["more"], value: 1 });
        expect(talk.bench.read(path)).toBe(textOf(held));
      }
    });

  test("[SD8] a number beyond all doubles, and a whole number that a float would round, are refused", async () => {
    const talk = await greeted({ "a.json": '{"n": 1}\n', "a.toml": "n = 1.5\n" });
    talk.session.receive(
      '{"jsonrpc":"2.0","id":900,"method":"edit.set","params":{"path":"a.json","key":["n"],"value":[1e400]}}',
    );
    await expect
      .poll(() => talk.sent.find(({ id }) => id === 900)?.error?.message)
      .toContain("beyond 1.7e308");
    const asked = { path: "a.toml", key: ["n"], value: 2n ** 53n + 1n };
    expect((await talk.ask("edit.set", asked)).error?.message).toContain("would round it");
    expect(talk.bench.read("a.json") + talk.bench.read("a.toml")).toBe('{"n": 1}\nn = 1.5\n');
  });

  for (const [path, text, line] of [
    ["a.toml", "a = 1\nb =\n", 2],
    ["a.json", '{\n  "a": 1,,\n}\n', 2],
    ["a.yaml", "a: 1\nb: [\n", 3],
  ] as const)
    test(`[SD15] of an invalid ${path} names the line and how to repair it`, async () => {
      const talk = await greeted({ [path]: text });
      const { error } = await talk.ask("edit.set", { path, key: ["n"], value: 3 });
      expect(error?.message).toContain(`line ${line}: this is not valid`);
      expect(error?.data.suggestion).toBe(
        `Read line ${line} and repair it with edit.replace or edit.patch, then send the request again.`,
      );
    });

  test("[SD7] against an older version is merged over the later changes", async () => {
    const talk = await greeted({ "a.json": '{\n  "a": 1,\n  "b": [1, 2]\n}\n' });
    const version = (await talk.ask("doc.open", { path: "a.json" })).result?.["version"];
    await talk.ask("edit.replace", { path: "a.json", old: '"a": 1', new: '"first": 1' });
    const set = await talk.ask("edit.set", { path: "a.json", version, key: ["b", 2], value: { c: null } });
    expect(set.result).toMatchObject({ merged: true, conflicts: [] });
    expect(talk.bench.read("a.json")).toBe('{\n  "first": 1,\n  "b": [1, 2, {"c": null}]\n}\n');
  });

  const refused: [what: string, params: object, code: string, message: string][] = [
    [
      "a format that it cannot set",
      { path: "a.md", key: ["a"], value: 1 },
      "INVALID_ARGUMENT",
      "a.md has no fields to set",
    ],
    [
      "a key that leads nowhere",
      { path: "s.toml", key: ["personal", 0], value: 1 },
      "NO_MATCH",
      "personal is an object",
    ],
    [
      "a value that TOML lacks",
      { path: "s.toml", key: ["x"], value: null },
      "INVALID_ARGUMENT",
      "TOML has no null",
    ],
    [
      "an invalid document",
      { path: "bad.json", key: ["x"], value: 1 },
      "INVALID_ARGUMENT",
      "line 2: this is not valid JSON",
    ],
    ["no value", { path: "s.toml", key: ["x"] }, "INVALID_ARGUMENT", "value"],
    ["no key", { path: "s.toml", key: [], value: 1 }, "INVALID_ARGUMENT", "key"],
    [
      "half a character",
      { path: "s.toml", key: ["x"], value: [{ y: "\ud800" }] },
      "INVALID_ARGUMENT",
      "lone surrogate",
    ],
  ];
  for (const [what, params, code, message] of refused)
    test(`[SD4] refuses ${what}`, async () => {
      const talk = await greeted({ "s.toml": TOML, "a.md": "x", "bad.json": '{\n"a" 1}' });
      const { error } = await talk.ask("edit.set", params);
      expect(error).toMatchObject({ data: { code }, message: expect.stringContaining(message) });
      expect(talk.bench.read("s.toml")).toBe(TOML);
    });
});

test("[SD6] an edit of a field, or of a view, is applied as its preview shows", async () => {
  const talk = await greeted({ "s.toml": TOML });
  const params = { path: "s.toml", key: ["personal", "name"], value: "Sam" };
  const shown = await talk.ask("preview.create", { method: "edit.set", params });
  expect(shown.result).toMatchObject({ files: [{ diff: expect.stringContaining("+name = 'Sam' # n") }] });
  const { patch_id, base_hash } = shown.result!;
  await talk.ask("preview.apply", { patch_id, base_hash });
  expect(talk.bench.read("s.toml")).toBe(TOML.replace("Alex", "Sam"));
});

describe("the Markdown view", () => {
  test("[MV9] is read, and written back with its changes", async () => {
    const talk = await greeted({ "s.toml": TOML });
    const read = await talk.ask("doc.read", { path: "s.toml", view: "markdown" });
    const text = String(read.result?.["text"]);
    expect(text).toContain("### Name\nAlex\n");
    await talk.ask("edit.append", { path: "s.toml", text: "year = 2026\n" });
    const written = await talk.ask("edit.write", {
      path: "s.toml",
      version: read.result?.["version"],
      view: "markdown",
      text: text.replace("Alex", "Alexa"),
    });
    expect(written.result).toMatchObject({ merged: true, splices: [{ insert: "a" }] });
    expect(talk.bench.read("s.toml")).toBe(`${TOML.replace("Alex", "Alexa")}year = 2026\n`);
  });

  const refused: [what: string, method: string, params: object, message: string][] = [
    ["a document of another kind", "doc.read", { path: "a.md" }, "only .toml documents have a Markdown view"],
    ["lines of it", "doc.read", { path: "s.toml", lines: [1, 2] }, "not to its Markdown view"],
    ["a range of it", "doc.read", { path: "s.toml", range: [1, 2] }, "not to its Markdown view"],
    ["where its lines start", "doc.read", { path: "s.toml", lineOffsets: true }, "not to its Markdown view"],
    ["to write another kind", "edit.write", { path: "a.md", text: "x" }, "only .toml documents"],
    [
      "what it cannot carry",
      "edit.write",
      { path: "s.toml", text: "## Academic\n\n### Gpa\nhigh\n" },
      "line 3: this field is a number",
    ],
  ];
  for (const [what, method, params, message] of refused)
    test(`[MV9] refuses ${what}`, async () => {
      const talk = await greeted({ "s.toml": TOML, "a.md": "x" });
      const { error } = await talk.ask(method, {
        ...params,
        view: "markdown",
        ...(method === "edit.write" && { version: "latest" }),
      });
      expect(error).toMatchObject({
        data: { code: "INVALID_ARGUMENT" },
        message: expect.stringContaining(message),
      });
      expect(error?.data.suggestion).toBeTruthy();
    });
});
