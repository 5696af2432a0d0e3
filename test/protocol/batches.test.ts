import { createHash } from "node:crypto";
import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Result } from "../../src/protocol/schemas/schemas.ts";
import { Bench, DiskBench } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

type Answer = Result<"batch.apply">;

const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const insert = (afterLine: number, ...newLines: string[]) => ({ operation: "insert", afterLine, newLines });
const replace = (startLine: number, expectedOriginalLines: string[], ...newLines: string[]) => ({
  operation: "replace",
  startLine,
  endLine: startLine + expectedOriginalLines.length - 1,
  expectedOriginalLines,
  newLines,
});
const remove = (startLine: number, ...expectedOriginalLines: string[]) => ({
  operation: "delete",
  startLine,
  endLine: startLine + expectedOriginalLines.length - 1,
  expectedOriginalLines,
});

const TEXTS = { "a.cs": "one\ntwo\nthree\n", "b.cs": "1\r\n2", "docs/c.md": "" } as const;
type Name = keyof typeof TEXTS;
const file = (docPath: Name, ...changes: object[]) => ({
  docPath,
  originalSha256: sha(TEXTS[docPath]),
  changes,
});

const apply = async (talk: Talk, params?: object) =>
  (await talk.ask("batch.apply", params)).result as unknown as Answer;
const untouched = (talk: Talk) =>
  expect(Object.keys(TEXTS).map((path) => talk.bench.read(path))).toEqual(Object.values(TEXTS));

describe("a batch", () => {
  test("[BA4] of several files is applied, with an id for each part and all remarks returned", async () => {
    const talk = await greeted(TEXTS);
    const answer = await apply(talk, {
      batchLabel: "Add system prompts",
      batchKey: "add-systemprompt",
      severity: "low",
      files: [
        {
          ...file("a.cs", { ...replace(2, ["two"], "TWO", "2b"), changeKey: "k1", description: "why" }),
          fileKey: "orchestrator",
          fileLabel: "Orchestrator",
          tags: ["x", "y"],
        },
        file("b.cs", insert(0, "0"), { ...remove(2, "2"), category: "cleanup" }),
        file("docs/c.md", insert(0, "new")),
      ],
    });
    expect(answer).toMatchObject({ successful: true, errors: [] });
    const { batchId, files } = answer.result!;
    const parts = files.map(({ filePatchId }) => filePatchId);
    expect(parts.every((id) => id?.startsWith(`${batchId}.`)) && new Set(parts).size).toBe(3);
    expect(answer.result).toMatchObject({
      batchLabel: "Add system prompts",
      batchKey: "add-systemprompt",
      severity: "low",
      author: "tester",
      files: [
        {
          filePatchId: parts[0],
          fileKey: "orchestrator",
          fileLabel: "Orchestrator",
          tags: ["x", "y"],
          docPath: "a.cs",
          mirrored: true,
          diff: "--- a/a.cs\n+++ b/a.cs\n@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+2b\n three\n",
          changes: [
            {
              changeId: `${parts[0]}.1`,
              changeKey: "k1",
              description: "why",
              operation: "replace",
              startLine: 2,
            },
          ],
        },
        {
          changes: [
            { operation: "insert", afterLine: 0 },
            { operation: "delete", category: "cleanup" },
          ],
        },
        { docPath: "docs/c.md", changes: [{ changeId: `${parts[2]}.1` }] },
      ],
    });
    expect(batchId).toMatch(/^batch_/);
    expect(new Set(files.map(({ changeId }) => changeId)).size).toBe(3);
    expect(["a.cs", "b.cs", "docs/c.md"].map((path) => talk.bench.read(path))).toEqual([
      "one\nTWO\n2b\nthree\n",
      "0\r\n1",
      "new\n",
    ]);
  });

  test("[BA4] may patch a file, replace text in it or write the whole text", async () => {
    const talk = await greeted(TEXTS);
    const base = (docPath: Name) => ({ docPath, originalSha256: sha(TEXTS[docPath]) });
    const answer = await apply(talk, {
      files: [
        { ...base("a.cs"), patch: "@@ -2 +2 @@\n-two\n+2\n" },
        { ...base("b.cs"), replace: { old: "1", new: "11" } },
        { ...base("docs/c.md"), text: "all\n" },
      ],
    });
    expect(answer.result?.files.map(({ changes }) => changes[0]?.operation)).toEqual([
      "patch",
      "replace",
      "text",
    ]);
    expect(talk.bench.read("a.cs") + talk.bench.read("b.cs") + talk.bench.read("docs/c.md")).toBe(
      "one\n2\nthree\n11\r\n2all\n",
    );
  });

  test("[BA4] is one change per file in the history, with the batch's reason, and undone as one", async () => {
    const talk = await greeted(TEXTS);
    const { result } = await apply(talk, {
      batchLabel: `${"x".repeat(79)}😀 and on`,
      files: [file("a.cs", insert(0, "0"), insert(3, "4")), file("docs/c.md", insert(0, "c"))],
    });
    const { changes } = (await talk.ask("history.list", { path: "a.cs" })).result as { changes: object[] };
    expect(changes).toHaveLength(2);
    expect(changes[0]).toMatchObject({
      changeId: result?.files[0]?.changeId,
      message: "x".repeat(79),
    });
    await talk.ask("undo", { batchId: result?.batchId });
    untouched(talk);
  });

  test("[BA6] with nothing left to change in a file reports that, and has its ids", async () => {
    const talk = await greeted(TEXTS);
    const { version } = (await talk.ask("doc.open", { path: "a.cs" })).result!;
    const params = { files: [{ docPath: "a.cs", version, text: TEXTS["a.cs"] }] };
    const { result } = await apply(talk, params);
    expect(result?.files).toMatchObject([{ changeId: null, diff: "", version, mirrored: true }]);
    const found = await talk.ask("change.get", { filePatchId: result?.files[0]?.filePatchId });
    expect(found.result).toMatchObject({ batchId: result?.batchId, files: [{ changeId: null }] });
  });

  test("[BA6] for an older text is refused with the newest one, or merged on request", async () => {
    const talk = await greeted(TEXTS);
    await talk.ask("edit.append", { path: "a.cs", text: "four\n" });
    const { version, sha256 } = (await talk.ask("doc.open", { path: "a.cs" })).result!;
    const params = { files: [file("docs/c.md", insert(0, "c")), file("a.cs", replace(1, ["one"], "1"))] };
    const refused = await apply(talk, params);
    expect(refused).toMatchObject({
      successful: false,
      errors: [{ code: "STALE_VERSION", docPath: "a.cs", fileIndex: 1, details: { version, sha256 } }],
    });
    expect(talk.bench.read("docs/c.md")).toBe("");
    expect(await apply(talk, { ...params, onStale: "merge" })).toMatchObject({
      successful: true,
      result: { files: [{ merged: false }, { merged: true, conflicts: 0 }] },
    });
    expect(talk.bench.read("a.cs")).toBe("1\ntwo\nthree\nfour\n");
  });

  test("[BA6] knows a text by its hash, however large it is", async () => {
    const large = "all work and no play\n".repeat(60_000);
    const talk = new Talk(new Bench({ "large.md": large }, { maxFileBytes: 4 << 20 }));
    await talk.hello();
    const files = [{ docPath: "large.md", originalSha256: sha(large), changes: [insert(0, "a")] }];
    expect(await apply(talk, { files })).toMatchObject({ successful: true });
    expect(talk.bench.read("large.md")).toBe(`a\n${large}`);
  });
});

describe("a batch that does not fit", () => {
  const good = file("a.cs", insert(0, "x"));
  const cases: [name: string, params: object | undefined, errors: object[]][] = [
    ["no arguments", undefined, [{ code: "INVALID_ARGUMENT" }]],
    ["null for files", { files: null }, [{ code: "INVALID_ARGUMENT" }]],
    ["no files", { files: [] }, [{ code: "INVALID_ARGUMENT" }]],
    ["null for a file", { files: [good, null] }, [{ fileIndex: 1 }]],
    ["a file without changes", { files: [file("a.cs")] }, [{ fileIndex: 0, docPath: "a.cs" }]],
    ["a file with changes and a text", { files: [{ ...good, text: "" }] }, [{ fileIndex: 0 }]],
    ["match without a patch", { files: [{ ...good, match: "tolerant" }] }, [{ fileIndex: 0 }]],
    ["no text named", { files: [{ docPath: "a.cs", changes: [insert(0, "x")] }] }, [{ fileIndex: 0 }]],
    ["a short sha256", { files: [{ ...good, originalSha256: "ab" }] }, [{ fileIndex: 0, docPath: "a.cs" }]],
    ["a sha256 not in hex", { files: [{ ...good, originalSha256: "g".repeat(64) }] }, [{ fileIndex: 0 }]],
    [
      "a sha256 of another text",
      { files: [{ ...good, originalSha256: sha("?") }] },
      [{ code: "STALE_VERSION", docPath: "a.cs", details: { sha256: sha(TEXTS["a.cs"]) } }],
    ],
    ["an unknown operation", { files: [file("a.cs", { operation: "move" })] }, [{ changeIndex: 0 }]],
    [
      "newLines in a delete",
      { files: [good, file("b.cs", { ...remove(1, "1"), newLines: [] })] },
      [{ fileIndex: 1, changeIndex: 0 }],
    ],
    ["no new lines", { files: [file("a.cs", insert(0))] }, [{ fileIndex: 0, changeIndex: 0 }]],
    [
      "an inverted range",
      { files: [file("a.cs", { ...remove(3, "three"), endLine: 2 })] },
      [{ code: "INVALID_ARGUMENT", fileIndex: 0, changeIndex: 0 }],
    ],
    ["a range past the end", { files: [file("b.cs", remove(3, "3"))] }, [{ changeIndex: 0 }]],
    [
      "overlapping changes",
      { files: [file("a.cs", remove(1, "one", "two"), replace(2, ["two"], "2"))] },
      [{ code: "INVALID_ARGUMENT", changeIndex: 1 }],
    ],
    [
      "changes out of order",
      { files: [file("a.cs", remove(3, "three"), remove(1, "one"))] },
      [{ changeIndex: 1 }],
    ],
    [
      "other original lines",
      { files: [good, file("b.cs", replace(2, ["2 "], "x"))] },
      [{ code: "NO_MATCH", docPath: "b.cs", changeIndex: 0, details: { line: 2, actual: ["2"] } }],
    ],
    ["a path given twice", { files: [good, good] }, [{ code: "INVALID_ARGUMENT", fileIndex: 1 }]],
    [
      "a path given twice in other spelling",
      { files: [good, { ...good, docPath: "./a.cs" }] },
      [{ code: "INVALID_ARGUMENT", fileIndex: 1, docPath: "./a.cs" }],
    ],
    [
      "a path that differs only in case",
      { files: [good, { ...good, docPath: "A.CS" }] },
      [{ code: "NOT_FOUND", fileIndex: 1, details: { nearest: "a.cs" } }],
    ],
    ["a path out of the root", { files: [{ ...good, docPath: "../a.cs" }] }, [{ code: "PATH_ESCAPE" }]],
    [
      "no such file",
      { files: [good, { ...good, docPath: "d.cs" }] },
      [{ code: "NOT_FOUND", docPath: "d.cs" }],
    ],
    [
      "several files that cannot be changed",
      {
        files: [
          file("a.cs", remove(1, "x")),
          file("docs/c.md", insert(0, "c")),
          file("b.cs", remove(9, "9")),
        ],
      },
      [{ fileIndex: 0 }, { fileIndex: 2 }],
    ],
  ];
  test("[BA5] is refused as a result and changes no file", async () => {
    const talk = await greeted(TEXTS);
    for (const [name, params, errors] of cases) {
      const answer = await apply(talk, params);
      expect(answer, name).toMatchObject({ successful: false, errors });
      expect(answer.errors, name).toHaveLength(errors.length);
      for (const { message } of answer.errors) expect(message.length).toBeGreaterThan(10);
      untouched(talk);
    }
  });

  test("[BA12] is refused when the patch of a file belongs to another of its files", async () => {
    const talk = await greeted(TEXTS);
    const patched = (docPath: Name, name: string) => ({
      docPath,
      originalSha256: sha(TEXTS[docPath]),
      patch: `--- a/${name}\n+++ b/${name}\n@@ -0,0 +1 @@\n+x\n`,
    });
    const mixed = await apply(talk, { files: [patched("a.cs", "b.cs"), patched("b.cs", "b.cs")] });
    expect(mixed.errors).toMatchObject([
      { code: "PATCH_REJECTED", docPath: "a.cs", details: { reason: "multiple_files" } },
    ]);
    untouched(talk);
    const known = await apply(talk, { files: [patched("a.cs", "./a.cs"), patched("b.cs", "b.cs")] });
    expect(known.successful).toBe(true);
  });

  test("[BA5] names a file that it names twice through a link", async () => {
    const bench = new DiskBench(TEXTS);
    const talk = new Talk(bench);
    await talk.hello();
    symlinkSync("a.cs", bench.path("link.cs"));
    const twin = { ...file("a.cs", insert(1, "y")), docPath: "link.cs" };
    const { errors } = await apply(talk, { files: [file("a.cs", insert(0, "x")), twin] });
    expect(errors).toMatchObject([
      { code: "INVALID_ARGUMENT", docPath: "link.cs", details: { path: "a.cs" } },
    ]);
    untouched(talk);
  });

  test("[BA14] notifies the subscribers of the files that it does not fit", async () => {
    const talk = await greeted(TEXTS);
    await talk.ask("subscribe", { pattern: "**" });
    const files = [file("a.cs", insert(0, "x")), file("b.cs", replace(2, ["two"], "x"))];
    await apply(talk, { files });
    expect(talk.told("edit.rejected").map(({ params }) => params)).toMatchObject([
      { path: "b.cs", method: "batch.apply", code: "NO_MATCH", author: "tester" },
    ]);
  });

  test("[SE32] takes null for a part of a request that may be left out as left out", async () => {
    const talk = await greeted(TEXTS);
    const change = { ...insert(0, "x"), changeKey: null, tags: null, expectedOriginalLines: null };
    const batch = {
      batchKey: null,
      opId: null,
      files: [{ ...file("a.cs", change), fileKey: null, patch: null }],
    };
    expect(await apply(talk, batch)).toMatchObject({ successful: true });
    talk.session.receive('{"jsonrpc":"2.0","id":99,"method":"batch.apply","params":null}');
    await expect
      .poll(() => talk.sent.find(({ id }) => id === 99))
      .toMatchObject({
        result: { successful: false, errors: [{ message: '"files" is missing' }] },
      });
  });

  test("[BA5] is an error of the wire when the frame is no request, or before hello", async () => {
    const talk = new Talk(new Bench(TEXTS));
    talk.session.receive('{"jsonrpc":"2.0","id":99,"method":"batch.apply","params":[]}');
    expect(talk.sent[0]?.error?.data.code).toBe("INVALID_ARGUMENT");
    const early = await talk.ask("batch.apply", { files: [good] });
    expect(early.error?.data.code).toBe("UNAUTHENTICATED");
    untouched(talk);
  });
});

describe("ids", () => {
  const LABELS = {
    batchKey: "b",
    files: [file("a.cs", insert(0, "x"), remove(3, "three")), file("b.cs", insert(0, "0"))],
  };

  test("[BA7] find a batch, a file's part and one change, after a restart and a rename, too", async () => {
    const talk = await greeted(TEXTS);
    const { result } = await apply(talk, LABELS);
    await talk.ask("doc.rename", { path: "a.cs", to: "moved.cs" });
    await talk.ask("edit.append", { path: "moved.cs", text: "later\n" });
    await talk.ask("doc.delete", { path: "b.cs" });
    await talk.bench.restart();
    const again = await talk.again();
    const get = async (params: object) => (await again.ask("change.get", params)).result!;
    const { batchId, files } = result!;
    const [a, b] = [{ ...files[0], path: "moved.cs" }, files[1]];
    expect(await get({ batchId })).toEqual({
      ...result,
      files: [{ ...a, diff: a.diff?.replaceAll("a.cs", "moved.cs") }, b],
    });
    expect(await get({ filePatchId: b?.filePatchId })).toMatchObject({ batchKey: "b", files: [b] });
    const one = await get({ changeId: `${a.filePatchId}.2` });
    expect(one).toMatchObject({
      files: [{ path: "moved.cs", changes: [{ operation: "delete", startLine: 3 }] }],
    });
    expect(await get({ changeId: files[0]!.changeId })).toMatchObject({
      batchId,
      files: [{ docPath: "a.cs" }],
    });
  });

  test("[BA13] find the change of an ordinary edit, with its diff", async () => {
    const talk = await greeted(TEXTS);
    const { changeId } = (await talk.ask("edit.append", { path: "a.cs", text: "4\n", message: "m" })).result!;
    const { result } = await talk.ask("change.get", { changeId });
    expect(result).toMatchObject({ batchId: null, author: "tester", message: "m" });
    expect(result?.["files"]).toMatchObject([
      { filePatchId: null, docPath: "a.cs", changeId, mirrored: true, diff: expect.stringContaining("+4\n") },
    ]);
  });

  test("[BA16] are found by several ids that agree, and refused by ids that do not", async () => {
    const talk = await greeted(TEXTS);
    const { batchId, files } = (await apply(talk, LABELS)).result!;
    const [a, b] = files as { filePatchId: string; changeId: string }[];
    const get = (params: object) => talk.ask("change.get", params);
    const own = { batchId, filePatchId: a!.filePatchId, changeId: a!.changeId };
    const { changeId, ...rest } = own;
    expect((await get(own)).result).toEqual((await get({ changeId })).result);
    expect((await get(rest)).result).toEqual((await get({ filePatchId: a!.filePatchId })).result);
    for (const other of [
      { ...own, changeId: b!.changeId },
      { ...rest, filePatchId: b!.filePatchId, changeId },
    ])
      expect((await get(other)).error?.message).toContain("name different changes");
    expect((await get({})).error?.message).toContain("give a batchId");
  });

  test("[BA7] that are unknown, or a request without one, are refused", async () => {
    const talk = await greeted(TEXTS);
    const { batchId } = (await apply(talk, LABELS)).result!;
    const codes = async (params: object) => (await talk.ask("change.get", params)).error?.data.code;
    for (const id of ["chg_none", `${batchId}.3`, `${batchId}.1.3`, `${batchId}.`, "."])
      expect(await codes({ changeId: id }), id).toBe("NOT_FOUND");
    expect(await codes({ batchId, changeId: "chg_none" })).toBe("NOT_FOUND");
    expect(await codes({})).toBe("INVALID_ARGUMENT");
  });

  test("[BA8] a batch sent again under its opId is applied once, also after a restart", async () => {
    const talk = await greeted(TEXTS);
    const params = { ...LABELS, opId: "op-1" };
    const [first, second] = await Promise.all([apply(talk, params), apply(talk, params)]);
    expect(second).toEqual(first);
    await talk.bench.restart();
    const again = await talk.again();
    expect(await apply(again, params)).toEqual(first);
    expect(talk.bench.read("a.cs")).toBe("x\none\ntwo\n");
    const edit = await again.ask("edit.append", { path: "a.cs", text: "y", opId: "op-1" });
    expect(edit.error?.data.code).toBe("INVALID_ARGUMENT");
    await again.ask("edit.append", { path: "a.cs", text: "y", opId: "op-2" });
    expect((await apply(again, { ...params, opId: "op-2" })).errors[0]?.code).toBe("INVALID_ARGUMENT");
  });
});

describe("a batch that changes no text", () => {
  const files: [what: string, files: object[], paths: string[]][] = [
    ["creates files", [{ docPath: "new.cs", operation: "create", text: "n\n" }], ["a.cs", "b.cs", "new.cs"]],
    ["deletes a file", [{ docPath: "a.cs", operation: "delete" }], ["b.cs"]],
    [
      "renames files",
      [
        { docPath: "a.cs", operation: "rename", to: "b.cs" },
        { docPath: "b.cs", operation: "rename", to: "a.cs" },
      ],
      ["a.cs", "b.cs"],
    ],
    [
      "edits to what is there",
      [{ docPath: "a.cs", version: "latest", text: TEXTS["a.cs"] }],
      ["a.cs", "b.cs"],
    ],
  ];
  for (const [what, changes, paths] of files)
    test(`[BA8] and ${what} is made once under its opId, also after a restart`, async () => {
      const talk = await greeted({ "a.cs": TEXTS["a.cs"], "b.cs": TEXTS["b.cs"] });
      const params = { files: changes, opId: "op-1" };
      const [first, second] = await Promise.all([apply(talk, params), apply(talk, params)]);
      expect(first.errors).toEqual([]);
      expect(second).toEqual(first);
      const texts = () => paths.map((path) => talk.bench.read(path));
      const before = texts();
      await talk.bench.restart();
      const again = await talk.again();
      expect(await apply(again, params)).toEqual(first);
      expect(texts()).toEqual(before);
      const { docs } = (await again.ask("doc.list", {})).result as { docs: { path: string }[] };
      expect(docs.map(({ path }) => path).sort()).toEqual(paths);
      const edit = await again.ask("edit.append", { path: "b.cs", text: "y", opId: "op-1" });
      expect(edit.error?.data.code).toBe("INVALID_ARGUMENT");
    });
});

describe("the log", () => {
  test("[BA9] describes batches by ids, counts, codes and paths, never by their text", async () => {
    const talk = await greeted(TEXTS);
    const { batchId } = (await apply(talk, { files: [file("a.cs", insert(0, "secret"))] })).result!;
    await apply(talk, { files: [file("b.cs", replace(1, ["secret"], "secret"))] });
    await apply(talk, { files: [] });
    const lines = talk.logged.map((line) => JSON.parse(line) as { event: string });
    expect(lines.filter(({ event }) => event.startsWith("batch."))).toMatchObject([
      { event: "batch.received", batchId, files: 1, changes: 1, agent: "owner/tester" },
      { event: "batch.applied", batchId, files: 1, changes: 1 },
      { event: "batch.received", files: 1 },
      {
        event: "batch.refused",
        errors: [{ code: "NO_MATCH", docPath: "b.cs", changeIndex: 0 }],
      },
      { event: "batch.refused", errors: [{ code: "INVALID_ARGUMENT" }] },
    ]);
    expect(talk.logged.join()).not.toContain("secret");
  });
});
