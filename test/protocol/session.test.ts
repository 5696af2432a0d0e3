import { describe, expect, onTestFinished, test, vi } from "vitest";
import { lineStartsOutwards } from "../../src/protocol/base/units.ts";
import { EXAMPLES } from "../../src/protocol/reference/examples.ts";
import { AnswerPlace } from "../../src/protocol/service/traffic.ts";
import { Text } from "../../src/text/text.ts";
import { MOST_INSERTED } from "../../src/work/bounds.ts";
import { Bench } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

describe("a session", () => {
  test("[SE1] begins with hello, which returns the limits and the unit of positions", async () => {
    const talk = new Talk(new Bench({ "a.md": "x" }));
    expect((await talk.ask("doc.open", { path: "a.md" })).error?.data.code).toBe("UNAUTHENTICATED");
    expect((await talk.hello()).result).toMatchObject({
      protocol: 1,
      agent: { id: "owner/tester", name: "tester" },
      server: { name: "spliced" },
      positionEncoding: "utf-32",
      limits: { maxMessageBytes: 1000, maxInserted: MOST_INSERTED },
    });
    expect((await talk.hello()).error?.data.code).toBe("INVALID_ARGUMENT");
  });

  test("[SE1] refuses another protocol version", async () => {
    const talk = new Talk(new Bench({}));
    expect((await talk.ask("hello", { protocol: 2, agent: { name: "x" } })).error?.data.code).toBe(
      "INVALID_ARGUMENT",
    );
  });

  const frames: [frame: string, code: number, id: unknown][] = [
    ["not json", -32700, null],
    ["[]", -32600, null],
    ["42", -32600, null],
    ['{"id":1,"method":"doc.list"}', -32600, 1],
    ['{"jsonrpc":"2.0","id":{},"method":"doc.list"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1}', -32600, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"doc.list","params":[]}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"doc.open","params":["a.md"]}', -32602, 1],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"doc.list"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1e999,"method":"doc.list"}', -32600, null],
    ['{"jsonrpc":"2.0","id":"x","method":"doc.lits"}', -32601, "x"],
    ['{"jsonrpc":"2.0","id":"x","method":"constructor"}', -32601, "x"],
    ['{"jsonrpc":"2.0","id":"x","method":"doc.open","params":{"path":7}}', -32602, "x"],
    ['{"jsonrpc":"2.0","id":"x","method":"doc.open"}', -32602, "x"],
    [
      '{"jsonrpc":"2.0","id":"x","method":"edit.append","params":{"path":"a.md","text":"x","onstale":"reject"}}',
      -32602,
      "x",
    ],
    [
      '{"jsonrpc":"2.0","id":"x","method":"edit.append","params":{"path":"a.md","text":"\\ud800"}}',
      -32602,
      "x",
    ],
    [
      '{"jsonrpc":"2.0","id":"x","method":"edit.append","params":{"path":"a.md","text":"x","message":"' +
        "m".repeat(81) +
        '"}}',
      -32602,
      "x",
    ],
  ];
  const unions: [method: string, params: object, expected: string[]][] = [
    ["subscribe", {}, ["{ path: string }", "{ pattern: string }"]],
    ["doc.status", { path: 5 }, ["{ path?: string", "{ docId: string }"]],
    [
      "edit.replace",
      { path: "a.md", old: "x", new: "y", occurrence: "third" },
      ['"unique" | "first" | "all" | integer'],
    ],
    ["edit.set", { path: "a.json", key: [true], value: 1 }, ["key.0", "string | integer"]],
    [
      "edit.lines",
      { path: "a.md", changes: [{ operation: "move" }] },
      ["changes.0.operation", '"insert" | "replace" | "delete"'],
    ],
    [
      "preview.create",
      { method: "edit.replace", params: { path: "a.md", old: "x", new: "y", occurrence: "0" } },
      ["occurrence", '"first"'],
    ],
  ];
  for (const [method, params, expected] of unions)
    test(`[SE21] ${method} ${JSON.stringify(params)} is refused with what it takes`, async () => {
      const { error } = await (await greeted({ "a.md": "x" })).ask(method, params);
      expect(error?.code).toBe(-32602);
      for (const part of expected) expect(error?.message).toContain(part);
      expect(error?.message).not.toMatch(/Invalid input$|Invalid input;/);
    });

  const missing: [method: string, params: object, message: string][] = [
    ["edit.replace", { path: "a.md", old: "x" }, 'edit.replace: "new" is missing'],
    ["edit.replace", {}, 'edit.replace: "path" is missing; "old" is missing; "new" is missing'],
    ["edit.splice", { path: "a.md", splices: [{ from: 0, to: 0 }] }, 'splices.0: "insert" is missing'],
    ["preview.create", { method: "edit.append", params: { path: "a.md" } }, 'edit.append: "text" is missing'],
    ["preview.create", { params: {} }, 'preview.create: "method" is missing'],
    ["thread.append", { path: "a.md", text: "x" }, 'thread.append: "role" is missing'],
    ["thread.context", { thread: "thr_1" }, 'thread.context: "budget" is missing'],
    ["edit.set", { path: "a.json", key: ["a"] }, 'edit.set: "value" is missing'],
    ["edit.lines", { path: "a.md", changes: [{ afterLine: 0 }] }, 'changes.0: "operation" is missing'],
  ];
  for (const [method, params, message] of missing)
    test(`[SE28] ${method} ${JSON.stringify(params)} is refused with the parameter that is missing, and all`, async () => {
      const { error } = await (await greeted({ "a.md": "x" })).ask(method, params);
      expect(error?.message).toContain(message);
      expect(error?.data.suggestion).toMatch(/^The parameters are [a-z]+, [a-z]+\??(, .*)?\. rpc\.discover/);
    });

  test("[SE28] a refusal names the parameters that may be left out, and those of each form", async () => {
    const talk = await greeted({ "a.md": "x" });
    const suggestion = async (method: string) => (await talk.ask(method, { x: 1 })).error?.data.suggestion;
    expect(await suggestion("doc.list")).toContain("The parameters are pattern?, loaded?");
    expect(await suggestion("edit.append")).toContain("The parameters are path, text, version?");
    const wrong = await talk.ask("doc.read", { path: 7 });
    expect(wrong.error?.data.suggestion).toBe("rpc.discover describes the parameters.");
    expect(await suggestion("doc.status")).toMatch(/The parameters are path\?.*; or docId/);
  });

  const delete_ = { operation: "delete", startLine: 1, endLine: 1, expectedOriginalLines: ["x"] };
  const forms: [method: string, params: object, message: RegExp][] = [
    [
      "edit.lines",
      { path: "a.md", changes: [{ ...delete_, newLines: ["y"] }] },
      /: there is no "newLines" with operation "delete"; it takes [a-zA-Z, ]+, startLine, endLine, expectedOriginalLines$/,
    ],
    [
      "thread.append",
      { path: "a.md", role: "user", text: "x", anchor: 7 },
      /anchor: Invalid input: expected \{ path\?: string, from: .*\}, received number$/,
    ],
  ];
  for (const [method, params, message] of forms)
    test(`[SE25] ${method} ${JSON.stringify(params)} is refused with the form that it takes`, async () => {
      const { error } = await (await greeted({ "a.md": "x" })).ask(method, params);
      expect(error?.message).toMatch(message);
    });

  test("[SE22] a misspelled parameter is refused with the parameters that there are, and the nearest", async () => {
    const talk = await greeted({ "a.md": "x" });
    let asked = 0;
    for (const [method, example] of Object.entries(EXAMPLES))
      for (const name of Object.keys(example)) {
        if (method === "hello" || name.length < 4) continue;
        const { [name]: value, ...others } = example;
        const misspelled = name.slice(0, 2) + name.slice(3);
        const { error, result } = await talk.ask(method, { ...others, [misspelled]: value });
        const said = JSON.stringify(error ?? result);
        expect(said).toContain(method === "batch.apply" ? "files" : name);
        if (/expected \{/.test(said)) continue; // one of several forms, all of which it names
        expect(said.replaceAll("\\", "")).toContain(`(did you mean "${name}"?); it takes `);
        asked++;
      }
    expect(asked).toBeGreaterThan(80);
  });

  test("[SE22] a misspelled name inside a parameter, and a misspelled method, are refused with the nearest", async () => {
    const talk = await greeted({ "a.md": "x" });
    const refusals = [
      await talk.ask("edit.splice", {
        path: "a.md",
        version: "latest",
        splices: [{ from: 0, to: 0, inset: "x" }],
      }),
      await talk.ask("edit.lines", {
        path: "a.md",
        version: "latest",
        changes: [{ operation: "insert", afterLine: 0, newLine: ["x"] }],
      }),
      await talk.ask("preview.create", { method: "edit.append", params: { path: "a.md", tex: "x" } }),
      await talk.ask("doc.raed", {}),
    ];
    const nearest = ["insert", "newLines", "text", "doc.read"];
    for (const [i, { error }] of refusals.entries())
      expect(error?.message).toContain(`(did you mean "${nearest[i]}"?)`);
  });

  test("[SE23] every method answers where a number is larger than its type holds", async () => {
    const talk = await greeted({ "a.md": "x", "a.json": "1" });
    let asked = 0;
    for (const [method, example] of Object.entries(EXAMPLES)) {
      if (method === "hello") continue;
      for (const [name, value] of Object.entries({ op: "", ...example }))
        for (const number of [2n ** 70n, Number.NaN]) {
          const nested = Array.isArray(value) ? [number, { ...value[0], [method]: number }] : number;
          const { error } = await talk.ask(method, { ...example, [name]: nested });
          expect(error?.data.code).not.toBe("INTERNAL");
          asked++;
        }
    }
    expect(asked).toBeGreaterThan(300);
  });

  for (const [frame, code, id] of frames)
    test(`[SE2] answers ${frame.slice(0, 70)} with ${code}`, async () => {
      const talk = await greeted({ "a.md": "x" });
      talk.sent.length = 0;
      talk.session.receive(frame);
      await expect
        .poll(() => talk.sent)
        .toMatchObject([{ id, error: { code, data: { code: "INVALID_ARGUMENT" } } }]);
      expect(talk.bench.read("a.md")).toBe("x");
    });

  test("[SE3] carries every kind of edit", async () => {
    const talk = await greeted({ "a.md": "one\ntwo\n" });
    await talk.ask("doc.read", { path: "a.md" });
    await talk.ask("edit.replace", { path: "a.md", old: "one", new: "1" });
    await talk.ask("edit.splice", { path: "a.md", splices: [{ from: 0, to: 0, insert: ">" }] });
    await talk.ask("edit.lines", {
      path: "a.md",
      changes: [{ operation: "insert", afterLine: 2, newLines: ["three"] }],
    });
    await talk.ask("edit.append", { path: "a.md", text: "four\n" });
    await talk.ask("edit.patch", { path: "a.md", patch_lines: ["@@ -1,2 +1,2 @@", "->1", "+first", " two"] });
    expect(talk.bench.read("a.md")).toBe("first\ntwo\nthree\nfour\n");
    const written = await talk.ask("edit.write", { path: "a.md", text: "first\ntwo\n" });
    expect(written.result).toMatchObject({ path: "a.md", durable: true, mirrored: true, merged: false });
    expect(talk.bench.read("a.md")).toBe("first\ntwo\n");
  });

  test("[SE27] a refused hello says what to send", async () => {
    const talk = new Talk(new Bench({}));
    const other = await talk.ask("hello", { protocol: 2, agent: { name: "x" } });
    expect(other.error?.data.suggestion).toBe("Send hello with protocol: 1.");
    await talk.hello();
    expect((await talk.hello()).error?.data.suggestion).toMatch(/^Send the next request\./);
  });

  test("[SE4] uses the unit of hello for positions, in requests and answers", async () => {
    const talk = await greeted({ "a.md": "\u{1f600}b" }, { positionEncoding: "utf-16" });
    await talk.ask("subscribe", { path: "a.md" });
    await talk.ask("doc.read", { path: "a.md" });
    const splices = [{ from: 2, to: 3, insert: "c" }];
    expect((await talk.ask("edit.splice", { path: "a.md", splices })).result?.["splices"]).toEqual(splices);
    expect(talk.told("doc.changed")[0]?.params?.["splices"]).toEqual(splices);
    expect((await talk.ask("doc.read", { path: "a.md", range: [2, 3] })).result?.["text"]).toBe("c");
    const inside = await talk.ask("edit.splice", { path: "a.md", splices: [{ from: 1, to: 2, insert: "" }] });
    expect(inside.error?.data.code).toBe("INVALID_POSITION");
  });

  test("[SE5] reads the whole, lines, a range, and where lines start", async () => {
    const talk = await greeted({ "a.md": "one\ntwo\nthree" });
    const read = async (extra: object) => (await talk.ask("doc.read", { path: "a.md", ...extra })).result;
    expect(await read({ lineOffsets: true })).toMatchObject({
      text: "one\ntwo\nthree",
      lines: 3,
      lineOffsets: [0, 4, 8],
    });
    for (const [text, unit, lineOffsets] of [
      ["", "utf-32", [0]],
      ["\n", "utf-32", [0]],
      ["\n\n", "utf-32", [0, 1]],
      ["é\u{1f600}\r\nb\n", "utf-32", [0, 4]],
      ["é\u{1f600}\r\nb\n", "utf-16", [0, 5]],
      ["é\u{1f600}\r\nb\n", "utf-8", [0, 8]],
    ] as const) {
      const other = await greeted({ "a.md": text }, { positionEncoding: unit });
      const { result } = await other.ask("doc.read", { path: "a.md", lineOffsets: true });
      expect(result).toMatchObject({ lines: lineOffsets.length, lineOffsets });
    }
    expect((await read({ lines: [2, 3] }))?.["text"]).toBe("two\nthree");
    expect((await read({ lines: [2, 99] }))?.["text"]).toBe("two\nthree");
    expect((await read({ range: [1, 5] }))?.["text"]).toBe("ne\nt");
    expect((await talk.ask("doc.read", { path: "a.md", lines: [4, 5] })).error?.data.code).toBe(
      "INVALID_POSITION",
    );
  });

  test("[BD29] counts where the lines of a long document start in one pass, and pauses for others", async () => {
    const text = Text.of("\n".repeat(100_000));
    let pauses = 0;
    const starts = await lineStartsOutwards(text, "utf-32", () => void pauses++);
    expect(starts).toEqual(Array.from({ length: 100_000 }, (_, i) => i));
    expect(pauses).toBe([...text.pieces()].length);
  });

  test("[BD29] waits for room among the unread answers before it does so", async () => {
    const talk = await greeted({ "a.md": "\n".repeat(10_000) });
    await talk.ask("doc.open", { path: "a.md" });
    const reserve = vi.spyOn(AnswerPlace.prototype, "reserve");
    onTestFinished(() => reserve.mockRestore());
    await talk.ask("doc.read", { path: "a.md", lines: [1, 1], lineOffsets: true });
    expect(reserve.mock.calls[0]![0]).toBeGreaterThan(80_000);
  });

  const misplaced: [method: string, params: object, message: string, suggestion: string][] = [
    ["doc.read", { lines: [3, 2] }, "lines 3-2: the first line is after the last", "[2, 3]"],
    [
      "doc.read",
      { lines: [9, 10] },
      "lines 9-10 are past the end: the document has 3 lines",
      "The last line is 3.",
    ],
    ["doc.read", { range: [5, 2] }, "5..2: the range ends before its start", "[2, 5]"],
    [
      "doc.read",
      { range: [0, 99] },
      "0..99 ends past the end: the document has 10 characters",
      "from 0 to 10",
    ],
    ["doc.read", { range: [0, 9] }, "0..9 begins or ends inside a character", "positionEncoding"],
    ["doc.read", { range: [9, 10] }, "9..10 begins or ends inside a character", "positionEncoding"],
    ["blame", { lines: [3, 2] }, "lines 3-2: the first line is after the last", "[2, 3]"],
    [
      "blame",
      { lines: [4, 4] },
      "lines 4-4 are past the end: the document has 3 lines",
      "The last line is 3.",
    ],
    [
      "edit.lines",
      { version: "latest", changes: [{ operation: "insert", afterLine: 99, newLines: ["y"] }] },
      "change 0: afterLine 99 is past the last line (3)",
      "Lines are from 1 to 3",
    ],
    [
      "edit.splice",
      { version: "latest", splices: [{ from: 0, to: 99, insert: "" }] },
      "splice 0: 0..99 ends past the end: the document has 10 characters",
      "from 0 to 10",
    ],
    [
      "edit.splice",
      { version: "latest", splices: [{ from: 9, to: 10, insert: "" }] },
      "splice 0: 9..10 begins or ends inside a character",
      "positionEncoding",
    ],
    [
      "edit.splice",
      { version: "latest", splices: [{ from: 3, to: 1, insert: "" }] },
      "splice 0: 3..1: the range ends before its start",
      "[1, 3]",
    ],
    [
      "edit.splice",
      {
        version: "latest",
        splices: [
          { from: 8, to: 10, insert: "" },
          { from: 8, to: 10, insert: "" },
        ],
      },
      "splice 1: 8..10 overlaps the splice before it or comes before it",
      "Sort the splices",
    ],
    [
      "edit.legacy",
      { version: "latest", op: "delete", target_range: [0, 99] },
      "0..99 ends past the end: the document has 10 characters",
      "from 0 to 10",
    ],
    [
      "edit.legacy",
      { version: "latest", op: "insert", cursor: 9, content: "x" },
      "9..9 begins or ends inside a character",
      "positionEncoding",
    ],
  ];
  for (const [method, params, message, suggestion] of misplaced)
    test(`[SE26] ${method} ${JSON.stringify(params)} is refused with the length and what to send`, async () => {
      const talk = await greeted({ "a.md": "one\ntwo\n\u{1f600}" }, { positionEncoding: "utf-16" });
      expect((await talk.ask(method, { path: "a.md", ...params })).error).toMatchObject({
        message,
        data: { code: "INVALID_POSITION", suggestion: expect.stringContaining(suggestion) },
      });
    });

  test("[SE6] notifies subscribers of changes in the order of versions, by path and by glob", async () => {
    const talk = await greeted({ "a.md": "", "b.txt": "", "ignored/c.md": "" });
    expect((await talk.ask("subscribe", { pattern: "**/*.md" })).result).toEqual({ matched: 1 });
    await Promise.all(["1", "2", "3"].map((text) => talk.ask("edit.append", { path: "a.md", text })));
    await talk.ask("edit.append", { path: "b.txt", text: "x" });
    expect(
      talk.told("doc.changed").map((m) => [m.params?.["path"], String(m.params?.["version"]).split("-")[0]]),
    ).toEqual([
      ["a.md", "1"],
      ["a.md", "2"],
      ["a.md", "3"],
    ]);
    await talk.ask("unsubscribe", { pattern: "**/*.md" });
    await talk.ask("edit.append", { path: "a.md", text: "4" });
    expect(talk.told("doc.changed")).toHaveLength(3);
  });

  test("[SE7] omits notifications for a client that lags, and sends one resync", async () => {
    const talk = await greeted({ "a.md": "" });
    await talk.ask("subscribe", { path: "a.md" });
    talk.buffered = 2 << 20;
    for (const text of ["1", "2", "3"]) await talk.ask("edit.append", { path: "a.md", text });
    expect(talk.told("doc.changed")).toHaveLength(0);
    talk.buffered = 0;
    talk.session.drained();
    expect(talk.told("resync").map((m) => m.params)).toEqual([{ paths: ["a.md"] }]);
    await talk.ask("edit.append", { path: "a.md", text: "4" });
    expect(talk.told("doc.changed")).toHaveLength(1);
  });

  test("[SE8] reads no further request of a client that does not read, or that has too many under way", async () => {
    const talk = await greeted({ "a.md": "" });
    talk.buffered = 5 << 20;
    const answered = talk.ask("doc.open", { path: "a.md" });
    expect(talk.held).toBe(true);
    talk.buffered = 0;
    talk.session.drained();
    await answered;
    expect(talk.held).toBe(false);
  });

  test("[SE9] refuses an edit that needs a confirmation, and applies it once confirmed", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`);
    const talk = await greeted({ "a.md": `${lines.join("\n")}\n` });
    const request = { path: "a.md", patch: "@@ -10,3 +10,3 @@\n line 29\n-line 30\n+LINE 30\n line 31\n" };
    const asked = await talk.ask("edit.patch", request);
    expect(asked.error?.data.code).toBe("CONFIRMATION_REQUIRED");
    const confirm = asked.error?.data.details["patch_id"];
    await talk.ask("edit.append", { path: "a.md", text: "moved on\n" });
    expect((await talk.ask("edit.patch", { ...request, confirm })).error?.data).toMatchObject({
      code: "CONFLICT",
      details: { status: 409 },
    });
    const again = (await talk.ask("edit.patch", request)).error?.data.details["patch_id"];
    expect((await talk.ask("edit.patch", { ...request, confirm: again })).result).toMatchObject({
      applied: { hunks: 1, offset: 19 },
    });
    expect(talk.bench.read("a.md")).toContain("LINE 30\n");
  });

  test("[SE9] refuses a confirmed edit also if the moved document makes the confirmation needless", async () => {
    const talk = await greeted({ "a.md": Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join("") });
    const request = { path: "a.md", patch: "@@ -20,2 +20,2 @@\n-line 35\n+LINE 35\n line 36\n" };
    const confirm = (await talk.ask("edit.patch", request)).error?.data.details["patch_id"];
    const splices = [{ from: 0, to: "line 1\n".length * 9 + "line 10\n".length * 6, insert: "" }];
    await talk.ask("edit.splice", { path: "a.md", version: "latest", splices });
    const moved = await talk.ask("edit.patch", { ...request, confirm });
    expect(moved.error?.data).toMatchObject({ code: "CONFLICT", details: { status: 409 } });
    expect(talk.bench.read("a.md")).not.toContain("LINE 35");
    expect((await talk.ask("edit.patch", request)).result).toMatchObject({ applied: { offset: 0 } });
  });

  test("[SE9] refuses an edit with the confirmation of none that was shown", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    expect(
      (await talk.ask("edit.append", { path: "a.md", text: "x", confirm: "patch_1" })).error?.data.code,
    ).toBe("CONFLICT");
    expect(talk.bench.read("a.md")).toBe("one\n");
  });

  test("[SE10] notifies of documents created, renamed and deleted", async () => {
    const talk = await greeted({ "a.md": "x" });
    await talk.ask("subscribe", { pattern: "**" });
    await talk.ask("doc.create", { path: "b.md", text: "y" });
    await talk.ask("doc.rename", { path: "b.md", to: "c.md" });
    await talk.ask("doc.delete", { path: "c.md" });
    await expect
      .poll(() => talk.sent.filter((m) => m.method).map((m) => `${m.method} ${m.params?.["path"]}`))
      .toEqual(["doc.created b.md", "doc.renamed b.md", "doc.deleted c.md"]);
    // Each names its change, which undo takes.
    const { changes } = (await talk.ask("history.list", {})).result as { changes: { changeId: string }[] };
    expect(talk.sent.flatMap(({ params }) => params?.["changeId"] ?? [])).toEqual(
      changes.map(({ changeId }) => changeId).reverse(),
    );
  });

  test("[SE32] takes null for a parameter that may be left out as left out, wherever it is", async () => {
    const talk = await greeted({ "a.md": "one\n", "a.json": "{}\n" });
    const calls: [method: string, params: object | null][] = [
      ["doc.list", null],
      ["doc.read", { path: "a.md", lines: null, range: null, since: null, view: null }],
      ["subscribe", { path: "a.md", pattern: null, thread: null }],
      ["doc.status", { docId: null }],
      ["edit.replace", { path: "a.md", old: "one", new: "1", occurrence: null, version: null, opId: null }],
      [
        "edit.patch",
        { path: "a.md", block: null, diff: "@@ -1 +1 @@\n-1\n+2\n", op: null, patch_lines: null },
      ],
      ["preview.create", { method: "edit.append", params: { path: "a.md", text: "x", message: null } }],
      ["edit.set", { path: "a.json", key: ["a"], value: { b: null }, version: null }],
    ];
    for (const [method, params] of calls)
      expect(await talk.ask(method, params as object), method).toHaveProperty("result");
    expect(talk.bench.read("a.json")).toMatch(/"b": null/);
  });

  test("[SE32] misses a parameter of null that may not be left out", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const refused = await talk.ask("edit.append", { path: "a.md", text: null, version: null });
    expect(refused.error?.message).toBe('edit.append: "text" is missing');
  });

  test("[SE32] undoes and redoes nothing for an id of null", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("edit.append", { path: "a.md", text: "two\n" });
    for (const method of ["undo", "redo"])
      expect((await talk.ask(method, { changeId: null })).error?.message).toContain("received null");
    const params = { agent: null, session: "s" };
    expect((await talk.ask("preview.create", { method: "undo", params })).error?.message).toContain("null");
    expect(talk.bench.read("a.md")).toBe("one\ntwo\n");
  });

  test("[SE31] tells a subscriber of a glob of a document that is renamed into the glob", async () => {
    const talk = await greeted({ "a.txt": "x" });
    await talk.ask("subscribe", { pattern: "*.md" });
    await talk.ask("doc.rename", { path: "a.txt", to: "a.md" });
    await talk.ask("doc.rename", { path: "a.md", to: "b.txt" });
    await talk.ask("doc.rename", { path: "b.txt", to: "c.txt" });
    expect(talk.told("doc.renamed").map((m) => [m.params?.["path"], m.params?.["to"]])).toEqual([
      ["a.txt", "a.md"],
      ["a.md", "b.txt"],
    ]);
  });

  test("[SE31] names the new path in the resync of a client that missed a rename", async () => {
    const talk = await greeted({ "a.txt": "x", "b.md": "y" });
    await talk.ask("subscribe", { pattern: "*.md" });
    talk.buffered = 2 << 20;
    await talk.ask("doc.rename", { path: "a.txt", to: "a.md" });
    await talk.ask("doc.rename", { path: "b.md", to: "c.md" });
    talk.buffered = 0;
    talk.session.drained();
    expect(talk.told("resync").map((m) => m.params)).toEqual([{ paths: ["a.md", "b.md", "c.md"] }]);
  });

  test("[SE11] answers a defect with INTERNAL and an id for the log, and performs the next request", async () => {
    const talk = await greeted({ "a.md": "x" });
    talk.bench.workspace.ports.store.documentAt = () => {
      throw new Error("a planted defect");
    };
    const answer = await talk.ask("doc.open", { path: "a.md" });
    expect(answer.error?.data.code).toBe("INTERNAL");
    expect(answer.error?.message).toMatch(/req_/);
    expect(answer.error?.message).not.toContain("planted");
    expect((await talk.ask("doc.list", {})).result).toBeTruthy();
  });
});
