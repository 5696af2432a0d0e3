import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import type { Params, Result } from "../../src/protocol/schemas/schemas.ts";
import { StoreError } from "../../src/store/store.ts";
import { type Level, Rights } from "../../src/workspace/access/rights.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

type Preview = Result<"preview.create">;
type Previewed = Params<"preview.create">["method"];

const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const preview = async (talk: Talk, method: Previewed, params: object) =>
  (await talk.ask("preview.create", { method, params })).result as unknown as Preview;
const apply = (talk: Talk, { patch_id, base_hash }: Preview, more: object = {}) =>
  talk.ask("preview.apply", { patch_id, base_hash, ...more });

const lines = `${Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join("\n")}\n`;
/** Returns a patch that fits at line 30, a number of lines from its stated place. */
const patch = (off: number) => {
  const at = 29 - off;
  return `@@ -${at},3 +${at},3 @@\n line 29\n-line 30\n+LINE 30\n line 31\n`;
};
const CHANGED = lines.replace("line 30", "LINE 30");

describe("a preview", () => {
  const edits: [method: Previewed, params: object][] = [
    ["edit.replace", { old: "two", new: "2" }],
    ["edit.patch", { patch: "@@ -2 +2 @@\n-two\n+2\n" }],
    ["edit.splice", { splices: [{ from: 4, to: 7, insert: "2" }] }],
    [
      "edit.lines",
      {
        changes: [
          { operation: "replace", startLine: 2, endLine: 2, expectedOriginalLines: ["two"], newLines: ["2"] },
        ],
      },
    ],
    ["edit.write", { text: "one\n2\n" }],
  ];
  for (const [method, params] of edits)
    test(`[PV1, PV2] of ${method} returns the diff, changes nothing, and applies it on request`, async () => {
      const talk = await greeted({ "a.md": "one\ntwo\n" });
      const shown = await preview(talk, method, { path: "a.md", version: "latest", ...params });
      expect(shown).toMatchObject({
        patch_id: expect.stringMatching(/^patch_/),
        base_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        files: [
          { path: "a.md", diff: "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", warnings: [] },
        ],
        confirmationRequired: false,
      });
      expect((await talk.ask("doc.open", { path: "a.md" })).result?.["version"]).toMatch(/^0-/);
      const { result } = await apply(talk, shown);
      expect(result).toMatchObject({ patch_id: shown.patch_id, files: [{ path: "a.md", mirrored: true }] });
      expect(talk.bench.read("a.md")).toBe("one\n2\n");
    });

  test("[PV1] of an invalid edit is refused as that edit is", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const refusal = async (method: string, params: object) =>
      (await talk.ask("preview.create", { method, params })).error?.data.code;
    expect(await refusal("edit.replace", { path: "a.md", old: "two", new: "2" })).toBe("NO_MATCH");
    expect(await refusal("edit.replace", { path: "a.md" })).toBe("INVALID_ARGUMENT");
    expect(await refusal("undo", {})).toBe("INVALID_ARGUMENT");
    const file = { docPath: "b.md", originalSha256: sha(""), text: "x" };
    const { error } = await talk.ask("preview.create", {
      method: "batch.apply",
      params: { files: [file, { ...file, docPath: "c.md" }] },
    });
    expect(error?.data).toMatchObject({
      code: "NOT_FOUND",
      details: { errors: [{ fileIndex: 0 }, { fileIndex: 1 }] },
    });
  });

  test("[PV1] against an older version is refused unless it may merge, and then has a warning", async () => {
    const talk = await greeted({ "a.md": "one\ntwo\n" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    await talk.ask("edit.replace", { path: "a.md", old: "two", new: "2" });
    const params = { path: "a.md", version, old: "one", new: "1" };
    const stale = await talk.ask("preview.create", { method: "edit.replace", params });
    expect(stale.error?.data.code).toBe("STALE_VERSION");
    const shown = await preview(talk, "edit.replace", { ...params, onStale: "merge" });
    expect(shown.files[0]).toMatchObject({
      warnings: [expect.stringContaining("merged")],
      diff: expect.stringContaining("-one\n+1\n 2\n"),
    });
    await apply(talk, shown);
    expect(talk.bench.read("a.md")).toBe("1\n2\n");
  });

  test("[PV2] of a batch applies all of it at once, with its ids, and undo reverts all of it", async () => {
    const talk = await greeted({ "a.md": "one\n", "b.md": "" });
    const files = [
      { docPath: "a.md", originalSha256: sha("one\n"), fileKey: "k", text: "1\n" },
      { docPath: "b.md", originalSha256: sha(""), text: "2\n" },
    ];
    const shown = await preview(talk, "batch.apply", { batchKey: "both", files });
    expect(shown.files.map(({ path }) => path)).toEqual(["a.md", "b.md"]);
    expect(talk.bench.read("a.md") + talk.bench.read("b.md")).toBe("one\n");
    const { result } = await apply(talk, shown);
    expect(result).toMatchObject({
      files: [{ path: "a.md" }, { path: "b.md" }],
      batch: { batchKey: "both", author: "tester", files: [{ fileKey: "k" }, {}] },
    });
    expect(talk.bench.read("a.md") + talk.bench.read("b.md")).toBe("1\n2\n");
    const { batchId } = result!["batch"] as { batchId: string };
    await talk.ask("undo", { batchId });
    expect(talk.bench.read("a.md") + talk.bench.read("b.md")).toBe("one\n");
  });

  test("[PV2] of a batch applies none of it when a file has changed, or the store refuses", async () => {
    const talk = await greeted({ "a.md": "", "b.md": "" });
    const file = (docPath: string) => ({ docPath, originalSha256: sha(""), text: "x\n" });
    const shown = await preview(talk, "batch.apply", { files: [file("a.md"), file("b.md")] });
    const { store } = talk.bench.workspace.ports;
    const { append } = store;
    store.append = () => Promise.reject(new StoreError("full", "no space left"));
    expect((await apply(talk, shown)).error?.data.code).toBe("STORAGE_FULL");
    store.append = append;
    talk.bench.save("b.md", "saved\n");
    expect((await apply(talk, shown)).error?.data).toMatchObject({
      code: "CONFLICT",
      details: { paths: ["b.md"] },
    });
    expect(talk.bench.read("a.md") + talk.bench.read("b.md")).toBe("saved\n");
  });

  test("[PV2] is applied once, also by two requests at once", async () => {
    const talk = await greeted({ "a.md": "" });
    const shown = await preview(talk, "edit.append", { path: "a.md", text: "x" });
    const answers = await Promise.all([apply(talk, shown), apply(talk, shown)]);
    expect(answers.map(({ error }) => error?.data.code)).toEqual([undefined, "CONFLICT"]);
    const [{ changeId }] = answers[0]!.result!["files"] as [{ changeId: string }];
    expect((await apply(talk, shown)).error?.data.details).toMatchObject({
      status: 409,
      changeIds: [changeId],
    });
    expect(talk.bench.read("a.md")).toBe("x");
  });
});

describe("a preview whose document has changed", () => {
  const cases: [
    name: string,
    meanwhile: (talk: Talk, shown: Preview) => unknown,
    tokens?: Partial<Preview>,
  ][] = [
    ["another patch_id", () => {}, { patch_id: "patch_0000000000000000" }],
    ["another base_hash", () => {}, { base_hash: "0".repeat(64) }],
    ["an edit since", (talk) => talk.ask("edit.append", { path: "a.md", text: "y" })],
    ["a save since", (talk) => talk.bench.save("a.md", "one\nsaved\n")],
    ["a document that moved", (talk) => talk.ask("doc.rename", { path: "a.md", to: "b.md" })],
    ["a document that was deleted", (talk) => talk.ask("doc.delete", { path: "a.md" })],
    [
      "another document in its place",
      async (talk) => {
        await talk.ask("doc.rename", { path: "a.md", to: "b.md" });
        await talk.ask("doc.create", { path: "a.md", text: "one\n" });
      },
    ],
    [
      "ten minutes",
      (_talk, { expires }) => {
        const later = Date.parse(expires);
        expect(later - Date.now()).toBeLessThanOrEqual(600_000);
        vi.spyOn(systemClock, "now").mockReturnValue(later);
      },
    ],
  ];
  for (const [name, meanwhile, tokens] of cases)
    test(`[PV3] is refused as CONFLICT with status 409: ${name}`, async () => {
      const talk = await greeted({ "a.md": "one\n" });
      const shown = await preview(talk, "edit.replace", { path: "a.md", old: "one", new: "1" });
      await meanwhile(talk, shown);
      const { error } = await apply(talk, { ...shown, ...tokens });
      expect(error?.data).toMatchObject({ code: "CONFLICT", details: { status: 409 } });
      expect(error?.data.suggestion).toContain("preview.create");
    });
});

describe("a preview that needs a confirmation", () => {
  for (const [off, required] of [
    [10, false],
    [11, true],
    [28, true],
  ] as const)
    test(`[PV4] a hunk ${off} lines off ${required ? "needs" : "needs no"} confirming`, async () => {
      const talk = await greeted({ "a.md": lines });
      const shown = await preview(talk, "edit.patch", { path: "a.md", patch: patch(off) });
      expect(shown).toMatchObject({
        confirmationRequired: required,
        files: [
          {
            applied: { hunks: 1, offset: off },
            warnings: required ? [expect.stringContaining(`${off} lines`)] : [],
          },
        ],
      });
      const unasked = await apply(talk, shown);
      expect(unasked.error?.data.code).toBe(required ? "CONFIRMATION_REQUIRED" : undefined);
      if (required) expect(talk.bench.read("a.md")).toBe(lines);
      if (required) expect((await apply(talk, shown, { confirm: true })).result).toBeTruthy();
      expect(talk.bench.read("a.md")).toBe(CHANGED);
    });

  test("[PV10] an edit answered CONFIRMATION_REQUIRED is applied as a preview, or sent again, but not both", async () => {
    const talk = await greeted({ "a.md": lines });
    const request = { path: "a.md", patch: patch(19) };
    const shown = (await talk.ask("edit.patch", request)).error!.data.details as unknown as Preview;
    const other = { ...request, patch: patch(19).replace("LINE", "Line") };
    const mixed = await talk.ask("edit.patch", { ...other, confirm: shown.patch_id });
    expect(mixed.error?.data).toMatchObject({ code: "CONFLICT", details: { status: 409 } });
    expect((await apply(talk, shown, { confirm: true })).result).toBeTruthy();
    expect((await talk.ask("edit.patch", { ...request, confirm: shown.patch_id })).error).toBeTruthy();
    expect(talk.bench.read("a.md")).toBe(CHANGED);
  });

  test("[PV10] a batch with such a file is not applied, and its preview can be", async () => {
    const talk = await greeted({ "a.md": lines, "b.md": "" });
    const files = [
      { docPath: "b.md", originalSha256: sha(""), text: "b\n" },
      { docPath: "a.md", originalSha256: sha(lines), patch: patch(19) },
    ];
    const { result } = await talk.ask("batch.apply", { files });
    expect(result).toMatchObject({
      successful: false,
      errors: [{ code: "CONFIRMATION_REQUIRED", fileIndex: 1 }],
    });
    const [{ details }] = result!["errors"] as [{ details: Preview }];
    expect(talk.bench.read("b.md")).toBe("");
    expect((await apply(talk, details, { confirm: true })).result).toMatchObject({
      files: [{}, {}],
      batch: {},
    });
    expect(talk.bench.read("b.md") + talk.bench.read("a.md")).toBe(`b\n${CHANGED}`);
  });
});

test("[PV4] a file of a batch that fits only with differences needs a confirmation", async () => {
  const talk = await greeted({ "a.md": "one\n  two\nthree\n" });
  const file = {
    docPath: "a.md",
    originalSha256: sha("one\n  two\nthree\n"),
    patch: "@@ -1,3 +1,3 @@\n one\n \ttwo\n-three\n+3\n",
  };
  const strict = await talk.ask("batch.apply", { files: [file] });
  expect(strict.result).toMatchObject({ errors: [{ code: "PATCH_REJECTED" }] });
  const params = { files: [{ ...file, match: "tolerant" }] };
  const shown = await preview(talk, "batch.apply", params);
  expect(shown).toMatchObject({ confirmationRequired: true, files: [{ applied: { fuzz: 1 } }] });
  await apply(talk, shown, { confirm: true });
  expect(talk.bench.read("a.md")).toBe("one\n  two\n3\n");
});

describe("previews that wait", () => {
  const listed = async (talk: Talk) =>
    (await talk.ask("preview.list")).result as unknown as Result<"preview.list">;
  const as = async (talk: Talk, name: string, level: Level = "write") => {
    const rights = new Rights([{ glob: "a.md", level, conflict: "merge" }]);
    const other = new Talk(talk.bench, { name: "person", rights });
    await other.hello({ agent: { name } });
    await other.ask("subscribe", { pattern: "**" });
    return other;
  };

  test("[PV8] are the unconfirmed ones, newest first, until they are applied", async () => {
    const talk = await greeted({ "a.md": lines, "b.md": "" });
    await preview(talk, "edit.append", { path: "b.md", text: "needs nobody" });
    const { patch_id: shown } = await preview(talk, "edit.patch", { path: "a.md", patch: patch(11) });
    const unsure = { path: "a.md", patch: patch(19), message: "louder" };
    const answered = (await talk.ask("edit.patch", unsure)).error!.data.details as unknown as Preview;
    expect(await listed(talk)).toMatchObject({
      previews: [
        {
          patch_id: answered.patch_id,
          base_hash: answered.base_hash,
          author: "tester",
          agent_id: "owner/tester",
          message: "louder",
          files: [
            {
              path: "a.md",
              diff: expect.stringContaining("-line 30\n+LINE 30\n"),
              applied: { offset: 19 },
              warnings: [expect.stringContaining("19 lines")],
            },
          ],
        },
        { patch_id: shown, message: null },
      ],
      more: false,
    });
    await apply(talk, answered, { confirm: true });
    expect((await listed(talk)).previews).toEqual([]); // this changed the document of the other preview
  });

  test("[PV12] expire after ten minutes, or when a document has moved or changed", async () => {
    const talk = await greeted({ "a.md": lines, "b.md": lines, "c.md": lines });
    for (const path of ["a.md", "b.md", "c.md"])
      await preview(talk, "edit.patch", { path, patch: patch(11) });
    const paths = async () => (await listed(talk)).previews.map(({ files }) => files[0]?.path);
    expect(await paths()).toEqual(["c.md", "b.md", "a.md"]);
    await talk.ask("doc.rename", { path: "b.md", to: "d.md" });
    talk.bench.save("a.md", "saved\n");
    expect(await paths()).toEqual(["c.md"]);
    vi.spyOn(systemClock, "now").mockReturnValue(Date.now() + 600_000);
    expect(await paths()).toEqual([]);
  });

  test("[PV8] the newest hundred are listed", async () => {
    const talk = await greeted({ "a.md": lines });
    for (let i = 0; i < 101; i++) await preview(talk, "edit.patch", { path: "a.md", patch: patch(11) });
    const { previews, more } = await listed(talk);
    expect([previews.length, more]).toEqual([100, true]);
  });

  test("[PV13] are listed for readers of all their documents, and sent to subscribers", async () => {
    const talk = await greeted({ "a.md": lines, "b.md": lines });
    const reader = await as(talk, "reader", "read");
    await preview(talk, "edit.patch", { path: "b.md", patch: patch(11) });
    const files = ["a.md", "b.md"].map((docPath) => ({
      docPath,
      originalSha256: sha(lines),
      patch: patch(11),
    }));
    await preview(talk, "batch.apply", { files });
    expect((await listed(reader)).previews).toEqual([]);
    const { patch_id, base_hash } = await preview(talk, "edit.patch", { path: "a.md", patch: patch(11) });
    expect((await listed(reader)).previews).toMatchObject([{ patch_id }]);
    const tokens = { patch_id, base_hash, confirm: true };
    expect((await reader.ask("preview.apply", tokens)).error?.data.code).toBe("PERMISSION_DENIED");
    await talk.ask("preview.apply", tokens);
    const [, ...told] = reader.told("preview.changed").map(({ params }) => params);
    expect(told).toMatchObject([
      { path: "a.md", patch_id, status: "waiting", author: "tester", confirmer: null },
      { path: "a.md", patch_id, status: "applied", author: "tester", confirmer: "tester" },
    ]);
  });

  test("[PV9] become their author's changes, with the confirmer in the message", async () => {
    const talk = await greeted({ "a.md": lines });
    const person = await as(talk, "ana");
    const confirmed = async (message?: string) => {
      const base = talk.bench.read("a.md");
      const shown = await preview(talk, "edit.patch", { path: "a.md", patch: patch(11), message });
      const { result } = await apply(person, shown, { confirm: true });
      const [{ changeId }] = result!["files"] as [{ changeId: string }];
      const history = (await talk.ask("history.list", { path: "a.md", limit: 1 })).result;
      await talk.ask("undo", { changeId });
      expect(talk.bench.read("a.md")).toBe(base);
      return (history as unknown as Result<"history.list">).changes[0];
    };
    expect(await confirmed()).toMatchObject({ author: "tester", message: "confirmed by ana" });
    expect(await confirmed("louder")).toMatchObject({
      author: "tester",
      message: "louder (confirmed by ana)",
    });
    const long = (await confirmed("m".repeat(80)))?.message;
    expect(long).toBe(`${"m".repeat(61)} (confirmed by ana)`);
    expect(long).toHaveLength(80);
  });
});

describe("the log", () => {
  test("[PV6] names a preview by its patch_id and contains none of its text", async () => {
    const talk = await greeted({ "a.md": "" });
    const shown = await preview(talk, "edit.append", { path: "a.md", text: "secret" });
    const { patch_id } = shown;
    await apply(talk, { ...shown, base_hash: "0" });
    const { result } = await apply(talk, shown);
    const [{ changeId }] = result!["files"] as [{ changeId: string }];
    const lines = talk.logged.map((line) => JSON.parse(line) as { event: string });
    expect(lines.filter(({ event }) => event.startsWith("preview."))).toMatchObject([
      { event: "preview.created", patch_id, method: "edit.append", files: 1 },
      { event: "preview.refused", patch_id, code: "CONFLICT" },
      { event: "preview.applied", patch_id, changeIds: [changeId] },
    ]);
    expect(talk.logged.join()).not.toContain("secret");
  });
});

test.each([
  [200, true],
  [201, false],
])("[PV15] an undo of %i files is answered with its batch: %s", async (files, isNamed) => {
  const paths = Array.from({ length: files }, (_, i) => `${i}.md`);
  const talk = await greeted(Object.fromEntries(paths.map((path) => [path, ""])));
  const requests = paths.map((path) => ({ kind: "test", path, plan: planAppend("x\n") }));
  await talk.bench.editor.apply(ALICE, requests);
  const since = new Date(0).toISOString();
  const { result } = await apply(talk, await preview(talk, "undo", { agent: ALICE.agent, since }));
  expect(result!["files"]).toHaveLength(files);
  expect("batch" in result!).toBe(isNamed);
});
