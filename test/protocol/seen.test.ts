import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/mirror/clock.ts";
import { SeenMemory } from "../../src/protocol/service/seen-memory.ts";
import {
  MOST_LASTING_DOCUMENTS,
  MOST_LASTING_SESSIONS,
  MOST_SEEN_DOCUMENTS,
  SEEN_MS,
} from "../../src/work/bounds.ts";
import { type Level, Rights } from "../../src/workspace/access/rights.ts";
import { SeenDocuments } from "../../src/workspace/seen/seen-documents.ts";
import { drained } from "../helpers/drained.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { Bench } from "../workspace/harness.ts";
import { greeted, type Message, Talk } from "./talk.ts";

const TEXT = "one\ntwo\nthree\nfour\n";
const A = { path: "a.md" };
const insert = (afterLine: number, line: string) => ({
  changes: [{ operation: "insert", afterLine, newLines: [line] }],
});
const codeOf = ({ error }: Message) => error?.data.code;
const versionOf = ({ result }: Message) => String(result?.["version"]);

/** Two sessions in a workspace with one document; the first has read it. */
async function readBy(read: object = {}): Promise<{ talk: Talk; other: Talk; text: () => string }> {
  const talk = await greeted({ "a.md": TEXT });
  const other = await talk.again();
  await talk.ask("doc.read", { ...A, ...read });
  return { talk, other, text: () => talk.bench.read("a.md") };
}

test("[SV29] latest is the newest version to read, to compare and to list changes since", async () => {
  const talk = await greeted({ "a.md": "one\n" });
  const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
  const edited = (await talk.ask("edit.append", { path: "a.md", text: "two\n" })).result!;
  const newest = { version: edited["version"], text: "one\ntwo\n" };
  expect((await talk.ask("doc.read", { path: "a.md", version: "latest" })).result).toMatchObject(newest);
  const since = { path: "a.md", version: "latest", since: version };
  expect((await talk.ask("doc.read", since)).result).toMatchObject({ ...newest, since: { version } });
  for (const method of ["doc.diff", "history.diff"])
    for (const range of [
      { from: version, to: "latest" },
      { from: "latest", to: version },
    ])
      expect((await talk.ask(method, { path: "a.md", ...range })).result?.["diff"], method).toMatch(
        /^[+-]two$/m,
      );
  expect((await talk.ask("history.diff", { from: version, to: "latest" })).result?.["diff"]).toMatch(
    /^\+two$/m,
  );
});

describe("a session that has not read a document", () => {
  const toml = '[personal]\nname = "Ada"\n';
  const files = { "a.md": TEXT, "b.md": TEXT, "s.toml": toml };
  const splice = { ...A, splices: [{ from: 0, to: 3, insert: "1" }] };
  const blind: [method: string, params: object][] = [
    ["edit.write", { ...A, text: "new\n" }],
    ["edit.write", { path: "s.toml", view: "markdown", text: "## Personal\n" }],
    ["edit.splice", splice],
    ["edit.lines", { ...A, ...insert(1, "1.5") }],
    ["edit.legacy", { ...A, op: "insert", cursor: 0, content: "x" }],
    ["edit.legacy", { ...A, op: "replace", document: true, content: "x" }],
    ["preview.create", { method: "edit.write", params: { ...A, text: "new\n" } }],
    ["preview.create", { method: "edit.splice", params: splice }],
    ["proposal.create", { ...A, operation: "full_replace", proposed_value: "new\n" }],
  ];
  for (const [method, params] of blind)
    test(`[SV2, SV3, SV4] is refused ${method} ${JSON.stringify(params).slice(0, 60)}`, async () => {
      const talk = await greeted(files);
      const { error } = await talk.ask(method, params);
      expect(error).toMatchObject({
        message: expect.stringContaining("this session has not read"),
        data: { code: "VERSION_REQUIRED", suggestion: expect.stringMatching(/doc\.read.*version: "latest"/) },
      });
      expect(talk.bench.read("a.md")).toBe(TEXT);
      expect(talk.bench.read("s.toml")).toBe(toml);
    });

  test("[SV2, SV3] is refused a whole batch for one file of it", async () => {
    const talk = await greeted(files);
    const batch = [
      { docPath: "a.md", replace: { old: "one", new: "1" } },
      { docPath: "b.md", text: "new\n" },
    ];
    for (const [method, params] of [
      ["batch.apply", { files: batch }],
      ["batch.apply", { files: [batch[0], { docPath: "b.md", ...insert(0, "0") }] }],
    ] as const)
      expect((await talk.ask(method, params)).result).toMatchObject({
        successful: false,
        errors: [{ code: "VERSION_REQUIRED", docPath: "b.md" }],
      });
    expect(talk.bench.read("a.md")).toBe(TEXT);
  });

  test("[SV5] names the newest text by latest, whatever it holds", async () => {
    for (const [method, params] of blind) {
      const talk = await greeted(files);
      const edit = method === "preview.create" ? (params as { params: object }).params : params;
      Object.assign(edit, { version: "latest" });
      expect([method, codeOf(await talk.ask(method, params))]).not.toEqual([method, "VERSION_REQUIRED"]);
    }
    const talk = await greeted(files);
    await talk.ask("batch.apply", { files: [{ docPath: "b.md", version: "latest", text: "new\n" }] });
    expect(talk.bench.read("b.md")).toBe("new\n");
  });

  const content: [method: string, params: object][] = [
    ["edit.replace", { ...A, old: "one", new: "1" }],
    ["edit.append", { ...A, text: "five\n" }],
    ["edit.set", { path: "s.toml", key: ["personal", "name"], value: "Bob" }],
    ["edit.patch", { ...A, patch: "@@ -1,2 +1,2 @@\n-one\n+1\n two\n" }],
  ];
  for (const [method, params] of content)
    test(`[SV6] is allowed ${method}, which the text itself places`, async () => {
      expect(codeOf(await (await greeted(files)).ask(method, params))).toBeUndefined();
    });

  test("[SV7] is refused a patch that only a line number places, except in an empty document", async () => {
    const talk = await greeted({ "a.md": TEXT, "empty.md": "" });
    expect(codeOf(await talk.ask("edit.patch", { ...A, patch: "@@ -2,0 +3 @@\n+2.5\n" }))).toBe(
      "VERSION_REQUIRED",
    );
    await talk.ask("edit.patch", { path: "empty.md", patch: "@@ -0,0 +1 @@\n+one\n" });
    expect(talk.bench.read("empty.md")).toBe("one\n");
    await talk.ask("doc.read", A);
    await talk.ask("edit.patch", { ...A, patch: "@@ -2,0 +3 @@\n+2.5\n" });
    expect(talk.bench.read("a.md")).toBe("one\ntwo\n2.5\nthree\nfour\n");
  });
});

describe("a session that has read a document", () => {
  test("[SV1] edits from that text by position, by line, by a patch and by whole texts", async () => {
    for (const [method, params] of [
      ["edit.splice", { splices: [{ from: 8, to: 13, insert: "3" }] }],
      ["edit.lines", insert(3, "3.5")],
      ["edit.patch", { patch: "@@ -3,0 +4 @@\n+3.5\n" }],
      ["edit.legacy", { op: "replace", target_range: [8, 13], content: "3" }],
      ["edit.write", { text: TEXT.replace("three", "3") }],
    ] as const) {
      const { talk, other, text } = await readBy();
      await other.ask("edit.replace", { ...A, old: "one\n", new: "0\n0.5\none\n" });
      expect((await talk.ask(method, { ...A, ...params })).result).toMatchObject({ merged: true });
      expect(text()).toBe(
        `0\n0.5\none\ntwo\n${"splices" in params || "text" in params || "op" in params ? "3\n" : "three\n3.5\n"}four\n`,
      );
    }
  });

  test("[SV25] is told which version an edit was made from", async () => {
    const { talk, other } = await readBy();
    const { result } = await talk.ask("doc.open", A);
    await other.ask("edit.append", { ...A, text: "five\n" });
    const written = await talk.ask("edit.write", { ...A, text: TEXT.replace("one", "1") });
    expect(written.result?.["base"]).toBe(result?.["version"]);
    const latest = await talk.ask("edit.write", { ...A, text: "all\n", version: "latest" });
    expect(latest.result?.["base"]).toBe(versionOf(written));
  });

  test("[SV12] never removes by a whole text what others wrote meanwhile, in a batch and a preview neither", async () => {
    const { talk, other, text } = await readBy();
    await other.ask("edit.append", { ...A, text: "five\n" });
    const file = { docPath: "a.md", text: TEXT.replace("one", "1") };
    await talk.ask("batch.apply", { files: [file], onStale: "merge" });
    expect(text()).toBe("1\ntwo\nthree\nfour\nfive\n");
    await talk.ask("doc.read", A);
    await other.ask("edit.append", { ...A, text: "six\n" });
    const params = { ...A, text: "1\n2\nthree\nfour\nfive\n", onStale: "merge" };
    const { result } = await talk.ask("preview.create", { method: "edit.write", params });
    await talk.ask("preview.apply", { patch_id: result?.["patch_id"], base_hash: result?.["base_hash"] });
    expect(text()).toBe("1\n2\nthree\nfour\nfive\nsix\n");
  });

  test("[SV8] edits text by content that only the newest version has", async () => {
    const { talk, other, text } = await readBy();
    await other.ask("edit.append", { ...A, text: "five\n" });
    await talk.ask("edit.replace", { ...A, old: "five", new: "5" });
    expect(text()).toBe(`${TEXT}5\n`);
  });

  test("[SV28] is refused an edit that fits no version with the most similar line of the newest", async () => {
    const { talk, other } = await readBy();
    await other.ask("edit.append", { ...A, text: "five\n" });
    await talk.ask("edit.replace", { ...A, old: "three", new: "three of them" });
    const { error } = await talk.ask("edit.replace", { ...A, old: "threes", new: "3" });
    expect(error).toMatchObject({ message: expect.stringContaining('line 3: "three of them"') });
  });

  test("[SV8] edits text that was removed and came back", async () => {
    const { talk, other, text } = await readBy();
    const { result } = await other.ask("edit.replace", { ...A, old: "two", new: "2" });
    await other.ask("undo", { changeId: result?.["changeId"] });
    await talk.ask("edit.replace", { ...A, old: "two", new: "second" });
    expect(text()).toBe("one\nsecond\nthree\nfour\n");
  });

  test("[SV14] counts its own edits, also those that it sent before their answers", async () => {
    const { talk, text } = await readBy();
    await talk.askAll([
      ["edit.splice", { ...A, splices: [{ from: 0, to: 0, insert: "0\n" }] }],
      ["edit.splice", { ...A, splices: [{ from: 2, to: 5, insert: "1" }] }],
    ]);
    expect(text()).toBe("0\n1\ntwo\nthree\nfour\n");
    await talk.ask("edit.write", { ...A, text: "0\n1\n" });
    expect(text()).toBe("0\n1\n");
  });

  test("[SV15] reads again after its own edit met changes that it has not seen", async () => {
    const { talk, other, text } = await readBy();
    await other.ask("edit.replace", { ...A, old: "one", new: "ONE" });
    await talk.ask("edit.replace", { ...A, old: "two", new: "TWO" });
    const refused = await talk.ask("edit.write", { ...A, text: TEXT.replace("two", "TWO") });
    expect(refused.error).toMatchObject({
      message: expect.stringContaining("others changed a.md before your last edit"),
      data: { code: "VERSION_REQUIRED" },
    });
    expect(codeOf(await talk.ask("edit.lines", { ...A, ...insert(0, "0") }))).toBe("VERSION_REQUIRED");
    await talk.ask("doc.read", A);
    await talk.ask("edit.write", { ...A, text: "ONE\nTWO\n" });
    expect(text()).toBe("ONE\nTWO\n");
  });

  test("[SV13] and is told its changes goes on from them", async () => {
    const { talk, other, text } = await readBy();
    await talk.ask("subscribe", A);
    await other.ask("edit.replace", { ...A, old: "one\n", new: "" });
    await talk.ask("edit.splice", { ...A, splices: [{ from: 0, to: 3, insert: "2" }] });
    expect(text()).toBe("2\nthree\nfour\n");
    await other.ask("edit.append", { ...A, text: "five\n" });
    await talk.ask("edit.replace", { ...A, old: "2", new: "II" });
    await talk.ask("edit.write", { ...A, text: "II\nfour\nfive\n" });
    expect(text()).toBe("II\nfour\nfive\n");
  });

  test("[SV13] but was not sent a notification has not seen the change", async () => {
    const { talk, other, text } = await readBy();
    await talk.ask("subscribe", A);
    talk.buffered = 2 << 20;
    await other.ask("edit.replace", { ...A, old: "one\n", new: "" });
    await talk.ask("edit.splice", { ...A, splices: [{ from: 4, to: 7, insert: "2" }] });
    expect(text()).toBe("2\nthree\nfour\n");
  });

  test("[SV1] by the changes since a version that it has seen", async () => {
    const { talk, other, text } = await readBy();
    const since = versionOf(await talk.ask("doc.open", A));
    await other.ask("edit.replace", { ...A, old: "one\n", new: "" });
    await talk.ask("doc.read", { ...A, range: [0, 0], since });
    await talk.ask("edit.splice", { ...A, splices: [{ from: 0, to: 3, insert: "2" }] });
    expect(text()).toBe("2\nthree\nfour\n");
  });

  test("[SV18] in a version that is no longer stored has not read it", async () => {
    const { talk, text } = await readBy();
    const document = await talk.bench.document("a.md");
    Object.assign(document.versions, { find: () => undefined });
    expect(codeOf(await talk.ask("edit.write", { ...A, text: "new\n" }))).toBe("VERSION_REQUIRED");
    expect(text()).toBe(TEXT);
  });

  test("[SV19] shares that with no other session, of its own token neither", async () => {
    const { talk, other } = await readBy();
    expect(codeOf(await other.ask("edit.write", { ...A, text: "new\n" }))).toBe("VERSION_REQUIRED");
    talk.session.close();
    const again = await talk.again();
    expect(codeOf(await again.ask("edit.write", { ...A, text: "new\n" }))).toBe("VERSION_REQUIRED");
  });
});

describe("a session that has read a part", () => {
  test("[SV9] edits by position within it, and no whole text", async () => {
    const { talk, text } = await readBy({ lines: [2, 3] });
    for (const outside of [
      ["edit.splice", { splices: [{ from: 0, to: 3, insert: "1" }] }],
      ["edit.lines", insert(4, "five")],
      ["edit.write", { text: "two\nthree\n" }],
    ] as const)
      expect((await talk.ask(outside[0], { ...A, ...outside[1] })).error).toMatchObject({
        message: expect.stringContaining("has read only a part of a.md"),
        data: { code: "VERSION_REQUIRED" },
      });
    await talk.ask("edit.lines", { ...A, ...insert(3, "3.5") });
    await talk.ask("edit.splice", { ...A, splices: [{ from: 4, to: 7, insert: "2" }] });
    expect(text()).toBe("one\n2\nthree\n3.5\nfour\n");
  });

  test("[SV10] edits by position in the newest read that showed the place", async () => {
    const { talk, other, text } = await readBy();
    await other.ask("edit.replace", { ...A, old: "one\n", new: "0\none\n" });
    await talk.ask("doc.read", { ...A, lines: [1, 2] });
    await talk.ask("edit.splice", { ...A, splices: [{ from: 2, to: 5, insert: "1" }] });
    expect(text()).toBe("0\n1\ntwo\nthree\nfour\n");
    const { talk: far, other: near, text: then } = await readBy();
    await near.ask("edit.replace", { ...A, old: "one\n", new: "0\none\n" });
    await far.ask("doc.read", { ...A, lines: [1, 2] });
    await far.ask("edit.splice", { ...A, splices: [{ from: 14, to: 18, insert: "4" }] });
    expect(then()).toBe("0\none\ntwo\nthree\n4\n");
  });

  test("[SV11] and the rest of the same version has read the whole text", async () => {
    const { talk, other, text } = await readBy({ lines: [1, 2] });
    await talk.ask("doc.read", { ...A, lines: [3, 4] });
    await other.ask("edit.append", { ...A, text: "five\n" });
    await talk.ask("edit.write", { ...A, text: "one\ntwo\n" });
    expect(text()).toBe("one\ntwo\nfive\n");
    const { talk: mixed, other: between } = await readBy({ lines: [1, 2] });
    await between.ask("edit.replace", { ...A, old: "one", new: "ONE" });
    await mixed.ask("doc.read", { ...A, lines: [3, 4] });
    expect(codeOf(await mixed.ask("edit.write", { ...A, text: "x" }))).toBe("VERSION_REQUIRED");
  });

  test("[SV17] or the Markdown view writes that view, and no text", async () => {
    const talk = await greeted({ "s.toml": '# kept\n[personal]\nname = "Ada"\n' });
    const toml = { path: "s.toml" };
    const view = String((await talk.ask("doc.read", { ...toml, view: "markdown" })).result?.["text"]);
    expect(codeOf(await talk.ask("edit.write", { ...toml, text: "x = 1\n" }))).toBe("VERSION_REQUIRED");
    await talk.ask("edit.write", { ...toml, view: "markdown", text: view.replace("Ada", "Bob") });
    expect(talk.bench.read("s.toml")).toBe('# kept\n[personal]\nname = "Bob"\n');
  });
});

test("[SV16] a session that wrote a view writes it again, until the document has another view", async () => {
  const talk = await greeted({ "s.toml": 'name = "Ada"\nold = true\n' });
  const toml = { path: "s.toml", view: "markdown" };
  let view = String((await talk.ask("doc.read", toml)).result?.["text"]);
  const write = (from: string, to: string) => {
    view = view.replace(from, to);
    return talk.ask("edit.write", { ...toml, text: view });
  };
  await write("Ada", "Bob");
  await write("Bob", "Eve");
  expect(talk.bench.read("s.toml")).toBe('name = "Eve"\nold = true\n');
  // The document's view says "No".
  await write("Yes", "false");
  const { error } = await write("Eve", "Zoe");
  expect(error?.message).toContain("s.toml has changed since this session read its view");
  expect(talk.bench.read("s.toml")).toBe('name = "Eve"\nold = false\n');
});

test("[SV16] a session has seen a document that it created or wrote", async () => {
  const talk = await greeted({ "a.md": TEXT, "crlf.md": "one\r\ntwo\r\n" });
  await talk.ask("doc.create", { path: "new.md", text: "new\n" });
  await talk.ask("edit.splice", { path: "new.md", splices: [{ from: 0, to: 3, insert: "newer" }] });
  expect(talk.bench.read("new.md")).toBe("newer\n");
  await talk.ask("edit.write", { ...A, text: "mine\n", version: "latest" });
  await talk.ask("edit.lines", { ...A, ...insert(1, "more") });
  expect(talk.bench.read("a.md")).toBe("mine\nmore\n");
  // The document holds other line ends than were written, so positions in the written text are of no version.
  const crlf = { path: "crlf.md" };
  await talk.ask("edit.write", { ...crlf, text: "1\n2\n", version: "latest" });
  expect(codeOf(await talk.ask("edit.splice", { ...crlf, splices: [{ from: 2, to: 3, insert: "x" }] }))).toBe(
    "VERSION_REQUIRED",
  );
});

test("[SV26] seen.list names documents that were seen and may be read", async () => {
  const talk = new Talk(new Bench({ "a.md": TEXT, "b.md": TEXT, "c.md": TEXT }));
  await talk.hello();
  const version = versionOf(await talk.ask("doc.read", A));
  for (const path of ["b.md", "c.md"]) await talk.ask("doc.read", { path, unseen: path === "c.md" });
  await talk.ask("doc.rename", { path: "b.md", to: "moved.md" });
  const paths = async (params: object) =>
    ((await talk.ask("seen.list", params)).result!["docs"] as { path: string }[]).map(({ path }) => path);
  expect(await paths({})).toEqual(["a.md", "moved.md"]);
  expect(await paths(A)).toEqual(["a.md"]);
  await talk.ask("edit.append", { ...A, text: "five\n" });
  expect((await talk.ask("seen.list", A)).result).toMatchObject({ docs: [{ first: version }] });
});

describe("a lasting client", () => {
  const model = { lasting: true };
  const write = (talk: Talk, text: string) => talk.ask("edit.write", { ...A, text });
  /** The next connection of the client `tester`, which is not alone in the workspace. */
  async function next(
    bench: Bench,
    hello: object = model,
    rules?: readonly [string, Level][],
  ): Promise<Talk> {
    const rights =
      rules && new Rights(rules.map(([glob, level]) => ({ glob, level, conflict: "merge" as const })));
    const talk = new Talk(bench, rights && { name: "guest", rights });
    await talk.hello(hello);
    return talk;
  }

  test("[SV20] goes on from what it has seen over another connection and after a restart", async () => {
    const bench = new Bench({ "a.md": TEXT });
    const first = await next(bench);
    await first.ask("doc.read", A);
    first.session.close();
    const other = await next(bench, {});
    await other.ask("edit.append", { ...A, text: "five\n" });
    const second = await next(bench);
    await write(second, TEXT.replace("one", "1"));
    expect(bench.read("a.md")).toBe("1\ntwo\nthree\nfour\nfive\n");
    await second.ask("doc.read", A);
    await bench.restart();
    const third = await next(bench);
    await write(third, "1\nfive\n");
    expect(bench.read("a.md")).toBe("1\nfive\n");
  });

  test("[SV19, SV20] is another one under another name or token", async () => {
    const bench = new Bench({ "a.md": TEXT });
    const first = await next(bench);
    await first.ask("doc.read", A);
    first.session.close();
    for (const another of [
      await next(bench, { ...model, agent: { name: "cursor" } }),
      await next(bench, model, [["**", "write"]]),
      await next(bench, {}),
    ])
      expect(codeOf(await write(another, "x"))).toBe("VERSION_REQUIRED");
  });

  test("[SV21, SV22] shares nothing with a live one of its name, and takes up its own after a restart", async () => {
    const bench = new Bench({ "a.md": TEXT });
    const first = await next(bench);
    await first.ask("doc.read", A);
    const second = await next(bench);
    expect(codeOf(await write(second, "x"))).toBe("VERSION_REQUIRED");
    await bench.restart();
    const back = await next(bench, { lasting: second.session.id });
    expect(codeOf(await write(back, "x"))).toBe("VERSION_REQUIRED");
    const again = await next(bench, { lasting: first.session.id });
    await write(again, "1\n");
    expect(bench.read("a.md")).toBe("1\n");
  });

  test("[SV22] takes its knowledge along when its former connection has not ended yet", async () => {
    const bench = new Bench({ "a.md": TEXT });
    const first = await next(bench);
    await first.ask("doc.read", A);
    await write(await next(bench, { lasting: first.session.id }), "1\n");
    expect(bench.read("a.md")).toBe("1\n");
  });

  test("[SV23] has seen no notification, and no read that was shown to nobody", async () => {
    const bench = new Bench({ "a.md": TEXT });
    const talk = await next(bench);
    await talk.ask("doc.read", { ...A, unseen: true });
    expect(codeOf(await write(talk, "x"))).toBe("VERSION_REQUIRED");
    await talk.ask("doc.read", A);
    await talk.ask("subscribe", A);
    await (await next(bench, {})).ask("edit.append", { ...A, text: "five\n" });
    await write(talk, "one\n");
    expect(bench.read("a.md")).toBe("one\nfive\n");
  });

  test("[SV20] is stored once the store works again, and reads go on meanwhile", async () => {
    const bench = new Bench({ "a.md": TEXT, "b.md": TEXT });
    const talk = await next(bench);
    await talk.ask("doc.open", A);
    const store = bench.workspace.ports.store as MemoryStore;
    store.failNext("full", 1);
    await talk.ask("doc.read", A);
    store.failNone();
    await talk.ask("doc.read", { path: "b.md" });
    await bench.restart();
    await write(await next(bench), "1\n");
    expect(bench.read("a.md")).toBe("1\n");
  });

  test("[SV20] stores all that it sees, also while nothing shows between its requests that it is there", async () => {
    const store = new MemoryStore();
    const memory = new SeenMemory({ store, clock: systemClock, report() {} });
    const client = { token: "owner", name: "claude-code", session: "ses1", resumes: undefined };
    const seen = memory.begin({ ...client, isLive: () => false });
    for (const doc of ["doc 1", "doc 2"]) {
      seen.sawText(doc, "0-abcdef");
      await drained();
    }
    const [record] = store.durable.shelves.seen.values();
    expect(record).toMatchObject({
      sights: [
        ["doc 1", {}],
        ["doc 2", {}],
      ],
    });
  });

  test("[SV20] a stopping daemon waits until all that was seen is stored", async () => {
    const store = new MemoryStore();
    const memory = new SeenMemory({ store, clock: systemClock, report() {} });
    const client = { token: "owner", name: "claude-code", session: "ses1", resumes: undefined };
    const seen = memory.begin({ ...client, isLive: () => true });
    for (const doc of ["doc 1", "doc 2"]) seen.sawText(doc, "0-abcdef");
    await memory.settled();
    const [record] = store.durable.shelves.seen.values();
    expect(record).toMatchObject({ sights: { length: 2 } });
  });

  test("[SV24] is one of a bounded number of a token, and is forgotten after some weeks", async () => {
    let now = 0;
    const store = new MemoryStore();
    const clock = { now: () => now } as Clock;
    const memory = new SeenMemory({ store, clock, report() {} });
    const begin = (n: number) => {
      const client = { token: "owner", name: `agent ${n}`, session: `ses${n}`, resumes: undefined };
      return memory.begin({ ...client, isLive: () => true });
    };
    for (let n = 0; n < MOST_LASTING_SESSIONS + 3; n++, now++) {
      const seen = begin(n);
      for (let i = 0; i < MOST_LASTING_DOCUMENTS + 3; i++) seen.sawText(`doc ${i}`, "0-abcdef");
      await new Promise((resolve) => setImmediate(resolve));
      memory.end(`ses${n}`);
    }
    const { seen: shelf } = store.durable.shelves;
    expect(shelf.size).toBe(MOST_LASTING_SESSIONS);
    for (const record of shelf.values())
      expect(record).toMatchObject({ sights: { length: MOST_LASTING_DOCUMENTS } });
    now += SEEN_MS + MOST_LASTING_SESSIONS;
    begin(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(shelf.size).toBe(0);
  });
});

test("[SV24] a session forgets the document that it saw longest ago", () => {
  const seen = new SeenDocuments();
  for (let i = 0; i <= MOST_SEEN_DOCUMENTS; i++) seen.sawText(`doc ${i}`, "0-abcdef");
  expect([seen.of("doc 0"), seen.of("doc 1")]).toMatchObject([undefined, {}]);
  for (let i = 0; i < 1000; i++) seen.sawRange("doc 1", `${i % 20}-abcdef`, [3 * i, 3 * i + 1], 10_000);
  expect(JSON.stringify(seen.of("doc 1")).length).toBeLessThan(10_000);
});
