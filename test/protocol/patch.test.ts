import { describe, expect, test } from "vitest";
import { greeted } from "./talk.ts";

const TABS = "def f():\n\tx = 1\n\treturn x\n";
const SPACES = "@@ -1,3 +1,3 @@\n def f():\n     x = 1\n-    return x\n+\treturn x + 1\n";
const HUNK = "@@ -1,2 +1,2 @@\n a\n-b\n+B\n";

describe("edit.patch, over the wire", () => {
  test("[PA27] a tolerant match is reported with its differences, and applied once confirmed", async () => {
    const talk = await greeted({ "a.py": TABS });
    const request = { path: "a.py", patch: SPACES, match: "tolerant" };
    const strict = await talk.ask("edit.patch", { path: "a.py", patch: SPACES });
    expect(strict.error?.data.code).toBe("PATCH_REJECTED");
    const asked = (await talk.ask("edit.patch", request)).error!.data;
    expect(asked).toMatchObject({
      code: "CONFIRMATION_REQUIRED",
      details: {
        applied: { hunks: 1, offset: 0, fuzz: 1 },
        hunks: [
          { hunk: 1, line: 1, fuzz: 1, there: { line: 1, text: ["def f():", "\tx = 1", "\treturn x"] } },
        ],
      },
    });
    expect(talk.bench.read("a.py")).toBe(TABS);
    const made = await talk.ask("edit.patch", { ...request, confirm: asked.details["patch_id"] });
    expect(made.result).toMatchObject({ applied: { fuzz: 1 }, splices: [{ insert: " + 1" }] });
    expect(talk.bench.read("a.py")).toBe("def f():\n\tx = 1\n\treturn x + 1\n");
  });

  test("[HI30] the history and notifications say which change a patch made, and where it landed", async () => {
    const talk = await greeted({ "a.md": "x\nx\na\nb\n", "b.md": "a\nb\n" });
    await talk.ask("subscribe", { pattern: "**" });
    await talk.ask("edit.patch", { path: "a.md", patch: HUNK });
    await talk.ask("batch.apply", { files: [{ docPath: "b.md", version: "latest", patch: HUNK }] });
    await talk.ask("edit.replace", { path: "a.md", old: "B", new: "C" });
    const { result } = await talk.ask("history.list", {});
    const made = (result as { changes: { path: string; patch?: object }[] }).changes.slice(0, 3);
    expect(made.map(({ path, patch }) => [path, patch])).toEqual([
      ["a.md", undefined],
      ["b.md", { hunks: 1, offset: 0, fuzz: 0 }],
      ["a.md", { hunks: 1, offset: 2, fuzz: 0 }],
    ]);
    expect(talk.told("doc.changed")[0]?.params).toMatchObject({ patch: { hunks: 1, offset: 2, fuzz: 0 } });
  });

  test("[PA56] a confirmation is valid for the reported match only", async () => {
    const talk = await greeted({ "a.py": TABS });
    const asked = await talk.ask("edit.patch", { path: "a.py", patch: SPACES, match: "tolerant" });
    const confirm = asked.error!.data.details["patch_id"];
    const strictly = await talk.ask("edit.patch", { path: "a.py", patch: SPACES, confirm });
    expect(strictly.error?.data.code).toBe("PATCH_REJECTED");
    const other = SPACES.replace("x + 1", "x + 2");
    const changed = await talk.ask("edit.patch", { path: "a.py", patch: other, match: "tolerant", confirm });
    expect(changed.error?.data).toMatchObject({ code: "CONFLICT", details: { status: 409 } });
    expect(talk.bench.read("a.py")).toBe(TABS);
  });

  test("[PA28] noise around a patch needs no confirmation", async () => {
    const talk = await greeted({ "a.md": "a\nb\n" });
    const answer = await talk.ask("edit.patch", {
      path: "a.md",
      patch: `Sure:\n\`\`\`diff\n${HUNK}\`\`\`\n`,
    });
    expect(answer.result).toMatchObject({ applied: { hunks: 1, offset: 0, fuzz: 0 } });
  });

  const doors: [door: string, ask: (path: string, patch: string) => [method: string, params: object]][] = [
    ["edit.patch", (path, patch) => ["edit.patch", { path, patch }]],
    ["edit.patch as S4.4 names it", (path, diff) => ["edit.patch", { op: "patch", target_file: path, diff }]],
    [
      "batch.apply",
      (path, patch) => ["batch.apply", { files: [{ docPath: path, version: "latest", patch }] }],
    ],
    [
      "preview.create",
      (path, patch) => ["preview.create", { method: "edit.patch", params: { path, patch } }],
    ],
    [
      "preview.create of a batch",
      (path, patch) => [
        "preview.create",
        { method: "batch.apply", params: { files: [{ docPath: path, version: "latest", patch }] } },
      ],
    ],
    ["proposal.create", (path, patch) => ["proposal.create", { path, operation: "patch", patch }]],
    [
      "proposal.create as S0.9 names it",
      (block, diff) => ["proposal.create", { block, strategy: "patch", diff }],
    ],
  ];
  const headed = (from: string, to: string) => `--- ${from}\n+++ ${to}\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n`;
  const FOREIGN = [
    headed("a/d/b.md", "b/d/b.md"),
    headed("d/b.md", "d/b.md"),
    headed("a/a.md", "b/a.md"),
    headed("a/x/d/a.md", "b/x/d/a.md"),
    headed("/tmp/a.md", "/tmp/b.md"),
    "diff --git a/d/b.md b/d/b.md\nindex 1..2\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
    "*** Begin Patch\n*** Update File: d/b.md\n@@\n-a\n+A\n b\n*** End Patch\n",
  ];
  for (const [door, ask] of doors)
    test(`[PL28, PL29] ${door} refuses a patch whose headers name another file`, async () => {
      const talk = await greeted({ "d/a.md": "a\nb\n", "d/b.md": "a\nb\n" });
      const root = talk.bench.workspace.ports.files.root;
      for (const patch of FOREIGN) {
        const { error, result } = await talk.ask(...ask("d/a.md", patch));
        expect(error?.message ?? JSON.stringify(result?.["errors"]), patch).toContain("in its headers");
      }
      const above = `${root.split("/").at(-1)}/d/a.md`;
      for (const name of ["d/a.md", "./d/a.md", `${root}/d/a.md`, above]) {
        const [method, params] = ask("d/a.md", headed(`a/${name}`, `b/${name}`));
        const { error } = await talk.ask(
          "preview.create",
          method.startsWith("edit")
            ? { method, params }
            : { method: "edit.patch", params: { path: "d/a.md", patch: headed(name, name) } },
        );
        expect(error, name).toBeUndefined();
      }
      const [method, params] = ask("d/a.md", headed("disk", "block"));
      const { error, result } = await talk.ask(method, params);
      expect(error ?? result?.["errors"] ?? []).toEqual([]);
    });

  test("[PL28] a header with a backslash names a file that has one, as git quotes it, or a folder", async () => {
    const talk = await greeted({ "x\\y.md": "a\nb\n", "d/y.md": "a\nb\n" });
    const quoted = headed('"a/x\\\\y.md"', '"b/x\\\\y.md"');
    expect((await talk.ask("edit.patch", { path: "x\\y.md", patch: quoted })).error).toBeUndefined();
    const windows = headed("a/d\\y.md", "b/d\\y.md");
    expect((await talk.ask("edit.patch", { path: "d/y.md", patch: windows })).error).toBeUndefined();
    const other = await talk.ask("edit.patch", { path: "d/y.md", patch: quoted });
    expect(other.error?.message).toContain("in its headers");
  });

  for (const extra of [{ content: "x" }, { target_range: [0, 1] }, { cursor: 0 }])
    test(`[PA61] ${JSON.stringify(extra)} beside a patch is refused, and changes nothing`, async () => {
      const talk = await greeted({ "a.md": "a\nb\n" });
      const { error } = await talk.ask("edit.patch", { path: "a.md", patch: HUNK, ...extra });
      expect(error).toMatchObject({ code: -32602, data: { code: "INVALID_ARGUMENT" } });
      expect(error?.message).toContain(Object.keys(extra)[0]);
      expect(talk.bench.read("a.md")).toBe("a\nb\n");
    });

  test("[PL29] names that say different things are refused", async () => {
    const talk = await greeted({ "a.md": "a\nb\n" });
    const patch = { path: "a.md", patch: HUNK };
    expect((await talk.ask("edit.patch", { ...patch, target_file: "b.md" })).error?.message).toContain(
      "two names",
    );
    expect((await talk.ask("edit.patch", { ...patch, op: "insert" })).error?.message).toContain('"insert"');
    expect(
      (await talk.ask("edit.patch", { ...patch, target_file: "a.md", op: "patch" })).error,
    ).toBeUndefined();
  });

  test("[PL29] the names that the requirements use are taken", async () => {
    const given: [method: string, params: object][] = [
      ["edit.patch", { action: "patch", target_file: "a.md", diff: HUNK }],
      ["edit.patch", { block: "a.md", patch_lines: HUNK.trimEnd().split("\n") }],
      ["edit.legacy", { action: "insert", block_label: "a.md", content: "x", cursor: 0, version: "latest" }],
      ["proposal.create", { block: "a.md", strategy: "append", content: "x" }],
    ];
    for (const [method, params] of given) {
      const talk = await greeted({ "a.md": "a\nb\n" });
      expect((await talk.ask(method, params)).error).toBeUndefined();
    }
  });

  for (const header of ["@@ -x,3 +y,3 @@", "@@ -x +y @@", "@@ -?,? +?,? @@ f()", "@@ -a,2 +1,2 @@"])
    test(`[PA2] ${header} is invalid_header`, async () => {
      const talk = await greeted({ "a.md": "a\nb\n" });
      const { error } = await talk.ask("edit.patch", { path: "a.md", patch: `${header}\n a\n-b\n+B\n` });
      expect(error?.data.details).toMatchObject({ reason: "invalid_header" });
    });

  const APPENDS = "@@ -1,2 +1,3 @@\n a\n b\n+c\n";
  for (const reads of [false, true])
    test(`[PL25] two sessions, ${reads ? "after" : "without"} reading, make an added line once`, async () => {
      const talk = await greeted({ "a.md": "a\nb\n" });
      const other = await talk.again();
      if (reads) for (const each of [talk, other]) await each.ask("doc.read", { path: "a.md" });
      const request = { path: "a.md", patch: APPENDS };
      expect((await talk.ask("edit.patch", request)).error).toBeUndefined();
      for (const each of [talk, other]) {
        const again = await each.ask("edit.patch", request);
        if (each === talk || !reads)
          expect(again.error?.data).toMatchObject({
            code: "PATCH_REJECTED",
            details: { reason: "already_applied" },
          });
        else expect(again.result).toMatchObject({ changeId: null, merged: true });
      }
      expect(talk.bench.read("a.md")).toBe("a\nb\nc\n");
    });

  test("[PL26] a hunk from the end of a file lands elsewhere only for a session that has read the text", async () => {
    const talk = await greeted({ "a.md": "a\nb\nmore\n" });
    const request = { path: "a.md", patch: APPENDS };
    const blind = await talk.ask("edit.patch", request);
    expect(blind.error?.data.code).toBe("VERSION_REQUIRED");
    expect(blind.error?.message).toContain("lines on both sides");
    await talk.ask("doc.read", { path: "a.md" });
    await talk.ask("edit.patch", request);
    expect(talk.bench.read("a.md")).toBe("a\nb\nc\nmore\n");
  });

  test("[PA31] the base has aliases", async () => {
    const talk = await greeted({ "a.md": "a\nb\n" });
    const { version, sha256 } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    await talk.ask("edit.append", { path: "a.md", text: "c\n" });
    const names = {
      document_version: version,
      snapshot_version: version,
      document_digest: sha256,
      version,
      sha256,
    };
    const reject = { path: "a.md", patch: HUNK, onStale: "reject" };
    for (const [name, value] of [...Object.entries(names), ["document_digest", version]])
      expect(
        (await talk.ask("edit.patch", { ...reject, [name as string]: value })).error?.data,
      ).toMatchObject({
        code: "STALE_VERSION",
        details: { reason: "stale_version" },
      });
    const upper = { document_digest: String(sha256).toUpperCase(), sha256 };
    const made = await talk.ask("edit.patch", {
      path: "a.md",
      patch: HUNK,
      document_version: version,
      ...upper,
    });
    expect(made.result).toMatchObject({ merged: true });
  });

  test("[PA57] two different bases are refused", async () => {
    const talk = await greeted({ "a.md": "a\nb\n" });
    const answer = await talk.ask("edit.patch", {
      ...{ path: "a.md", patch: HUNK },
      ...{ version: "1-a", document_version: "1-b" },
    });
    expect(answer.error?.data.code).toBe("INVALID_ARGUMENT");
  });

  test("[PA33] a refusal names the version of the patch's base, and the newest one", async () => {
    const talk = await greeted({ "a.md": "a\nc\n" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    const now = (await talk.ask("edit.append", { path: "a.md", text: "d\n" })).result!["version"];
    const { details } = (await talk.ask("edit.patch", { path: "a.md", patch: HUNK, version })).error!.data;
    expect(details).toMatchObject({
      ...{ reason: "context_mismatch", hunk: 1, line: 2, start: 1 },
      ...{ expected: ["a", "b"], actual: ["a", "c"], nearest: { line: 1, text: ["a", "c"] } },
      ...{ base: version, version: now },
    });
  });
});
