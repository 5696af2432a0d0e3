import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { matcher } from "../../src/paths/glob.ts";
import { wireDiff } from "../../src/protocol/handlers/document-diff.ts";
import { Text } from "../../src/text/text.ts";
import { info, list, reload, save, status, whyUnwritten } from "../../src/workspace/folder/documents.ts";
import { Refusal } from "../../src/workspace/outcome/refusal.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { TokenWorkers } from "../../src/workspace/workers/workers.ts";
import { InlineWorkers } from "../helpers/inline-workers.ts";
import { greeted } from "../protocol/talk.ts";
import { ALICE, accepted, Bench, DiskBench, refused, TimedBench } from "./harness.ts";
import { Machine } from "./machine.ts";

describe("documents", () => {
  test("[DC14] a file with a backslash in its name is listed, read, edited and deleted, and none is created", async () => {
    const talk = await greeted({ "a\\b.md": "one\n", "c/\\.md": "two\n" });
    const { docs } = (await talk.ask("doc.list")).result as { docs: { path: string }[] };
    expect(docs.map(({ path }) => path)).toEqual(["a\\b.md", "c/\\.md"]);
    const path = "a\\b.md";
    expect((await talk.ask("edit.replace", { path, old: "one", new: "1" })).error).toBeUndefined();
    expect(talk.bench.read(path)).toBe("1\n");
    for (const [method, params] of [
      ["doc.create", { path: "d\\e.md", text: "" }],
      ["doc.rename", { path, to: "d\\e.md" }],
      ["doc.read", { path: "c\\..\\.md" }],
    ] as const)
      expect((await talk.ask(method, params)).error?.message).toContain("write / between folders");
    expect((await talk.ask("doc.read", { path: "c\\x.md" })).error?.data).toMatchObject({
      code: "NOT_FOUND",
      suggestion: expect.stringContaining("Write / between folders"),
    });
    expect((await talk.ask("doc.delete", { path })).error).toBeUndefined();
  });

  test("[DC1] are listed by glob with their kind, links and the daemon's folder left out", async () => {
    const bench = new DiskBench(
      { "a.md": "a", "sub/b.md": "b", "c.bin": Buffer.from([0, 1]), "big.txt": "x".repeat(200) },
      { maxFileBytes: 100 },
    );
    symlinkSync("/etc/hostname", bench.path("link.md"));
    await bench.document("a.md");
    const docs = await list(bench.workspace);
    expect(docs.map((d) => `${d.path} ${d.kind} ${d.loaded}`)).toEqual([
      "a.md text true",
      "big.txt too_large false",
      "c.bin binary false",
      "sub/b.md text false",
    ]);
    const matching = async (glob: string) =>
      (await list(bench.workspace, { wanted: matcher(glob) })).map((d) => d.path);
    expect(await matching("**/*.md")).toEqual(["a.md", "sub/b.md"]);
    expect(await matching("*.md")).toEqual(["a.md"]);
  });

  test("[DC25] a list opens no file that the daemon has read, and reads a changed one", async () => {
    const bench = new Bench({ "a.md": "a", "b.md": "b", "c.bin": "\0" });
    const { workspace } = bench;
    await workspace.cover.pass(new AbortController().signal);
    const opened = vi.spyOn(workspace.ports.files, "looksText");
    const kinds = async () => (await list(workspace)).map(({ path, kind }) => `${path} ${kind}`);
    expect(await kinds()).toEqual(["a.md text", "b.md text", "c.bin binary"]);
    expect(opened.mock.calls.map(([path]) => path)).toEqual(["c.bin"]);
    bench.write("b.md", "\0\0");
    expect(await kinds()).toContain("b.md binary");
  });

  test("[DC2] tell their size in code points and lines, and how lines end", async () => {
    const bench = new Bench({ "a.md": "é\u{1f600}\r\nb" });
    expect(await info(await bench.document("a.md"))).toMatchObject({
      chars: 5,
      lines: 2,
      eol: "crlf",
      finalNewline: false,
    });
  });

  test("[DC3] are created with the folders they need, never over a file", async () => {
    const bench = new Bench({ "a.md": "old" });
    const content = { bom: false, text: Text.of("new\n") };
    accepted(await bench.workspace.create(ALICE, "deep/er/b.md", content));
    expect(bench.read("deep/er/b.md")).toBe("new\n");
    expect(refused(await bench.workspace.create(ALICE, "a.md", content)).code).toBe("ALREADY_EXISTS");
    expect(bench.read("a.md")).toBe("old");
  });

  describe("[DC31] are refused with what is in the way", () => {
    const refusals = [
      ["below a file", "a.md/x/y.md", "NOT_FOUND: a.md is a file, so there is no a.md/x/y.md in it"],
      ["in the place of a folder", "folder", "ALREADY_EXISTS: folder is a folder"],
    ] as const;
    for (const [name, to, message] of refusals)
      test(name, async () => {
        const talk = await greeted({ "a.md": "one\n", "folder/b.md": "two\n" });
        for (const [method, params] of [
          ["doc.create", { path: to, text: "" }],
          ["doc.rename", { path: "folder/b.md", to }],
        ] as const) {
          const { error } = await talk.ask(method, params);
          expect(`${error?.data.code}: ${error?.message}`, method).toBe(message);
          expect(error?.data.suggestion).toMatch(/^Choose another path/);
        }
      });
  });

  test("[DC31] a rename to another document's path says so, and what to do", async () => {
    const talk = await greeted({ "a.md": "one\n", "b.md": "two\n" });
    const { error } = await talk.ask("doc.rename", { path: "a.md", to: "b.md" });
    expect([error?.data.code, error?.message]).toEqual(["ALREADY_EXISTS", "b.md is another document"]);
    expect(error?.data.suggestion).toBe(
      "Choose another path, or first call doc.delete for the document that is there.",
    );
    expect([talk.bench.read("a.md"), talk.bench.read("b.md")]).toEqual(["one\n", "two\n"]);
  });

  test("[DC32] whose files the system lets nobody create, move or remove are blocked, whatever the token allows", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("doc.open", { path: "a.md" });
    const { files } = talk.bench.workspace.ports;
    const denied = { kind: "denied", message: "a.md: the system does not allow it (EPERM)" } as const;
    Object.assign(files, { stage: async () => denied, rename: () => denied, remove: () => denied });
    for (const [method, params] of [
      ["doc.create", { path: "b.md", text: "" }],
      ["doc.rename", { path: "a.md", to: "c.md" }],
      ["doc.delete", { path: "a.md" }],
    ] as const)
      expect((await talk.ask(method, params)).error, method).toMatchObject({
        message: denied.message,
        data: {
          code: "MIRROR_BLOCKED",
          details: { problem: "denied" },
          suggestion: expect.stringContaining("whatever the token allows"),
        },
      });
  });

  test("[SE13] are looked at once for all who waited together, and again for who asks later", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { mirror } = await bench.document("a.md");
    const { looks } = mirror;
    const texts = (count: number) => Promise.all(Array.from({ length: count }, () => bench.text("a.md")));
    bench.write("a.md", "one, and two\n");
    expect(new Set(await texts(100))).toEqual(new Set(["one, and two\n"]));
    expect(mirror.looks - looks).toBe(1);
    bench.save("a.md", "one, two, three\n");
    expect(await bench.text("a.md")).toBe("one, two, three\n");
  });

  test("[DC4] go when deleted, and go on with their history when created again", async () => {
    const bench = new DiskBench({ "a.md": "old\n" });
    const document = await bench.document("a.md");
    accepted(await bench.workspace.remove(ALICE, document));
    expect(existsSync(bench.path("a.md"))).toBe(false);
    expect(refused(await bench.workspace.open("a.md")).code).toBe("DELETED");
    expect(refused(await bench.edit(ALICE, { path: "a.md", plan: planAppend("x") })).code).toBe("DELETED");
    const again = accepted(
      await bench.workspace.create(ALICE, "a.md", { bom: false, text: Text.of("new\n") }),
    );
    expect(again.id).toBe(document.id);
    expect(again.text.toString()).toBe("new\n");
    expect(bench.read("a.md")).toBe("new\n");
  });

  test("[DC5] keep identity and history when renamed, also over a restart", async () => {
    const bench = new Bench({ "a.md": "text\n", "taken.md": "x" });
    const document = await bench.document("a.md");
    expect(refused(await bench.workspace.rename(ALICE, document, "taken.md")).code).toBe("ALREADY_EXISTS");
    accepted(await bench.workspace.rename(ALICE, document, "sub/b.md"));
    accepted(await bench.edit(ALICE, { path: "sub/b.md", plan: planAppend("more\n") }));
    expect(bench.read("sub/b.md")).toBe("text\nmore\n");
    await bench.restart();
    expect((await bench.document("sub/b.md")).id).toBe(document.id);
    expect(refused(await bench.workspace.open("a.md")).code).toBe("NOT_FOUND");
  });

  test("[DC20] a document that is created at a path from which another one is renamed is one of its own", async () => {
    const bench = new Bench({ "a.md": "text\n" });
    const document = await bench.document("a.md");
    const { files } = bench.workspace.ports;
    const stage = files.stage.bind(files);
    const created = { bom: false, text: Text.of("new\n") };
    // The rename comes while the new file is being written.
    files.stage = async (...args) => {
      files.stage = stage;
      accepted(await bench.workspace.rename(ALICE, document, "b.md"));
      return stage(...args);
    };
    const other = accepted(await bench.workspace.create(ALICE, "a.md", created));
    expect(other.id).not.toBe(document.id);
    expect([bench.read("a.md"), bench.read("b.md")]).toEqual(["new\n", "text\n"]);
    await bench.restart();
    expect((await bench.document("b.md")).id).toBe(document.id);
    expect((await bench.document("a.md")).id).toBe(other.id);
  });

  test("[DC6] whose file vanished are deleted after the grace time, not before (I10)", async () => {
    const bench = new Bench({ "a.md": "text\n" });
    const { id } = await bench.document("a.md");
    bench.remove("a.md");
    const opening = bench.workspace.open("a.md");
    bench.write("a.md", "saved again\n");
    expect(accepted(await opening).text.toString()).toBe("saved again\n");
    bench.remove("a.md");
    expect(refused(await bench.workspace.open("a.md")).code).toBe("DELETED");
    bench.write("a.md", "back\n");
    expect((await bench.document("a.md")).id).toBe(id);
  });

  test("[DC7] answer how they stand to their file", async () => {
    const bench = new Bench({ "a.md": "text\n" });
    const document = await bench.document("a.md");
    expect(await status(document)).toMatchObject({ syncStatus: "synced", pendingWrites: 0 });
    bench.save("a.md", "other\n");
    expect(await status(document)).toMatchObject({ syncStatus: "disk_ahead" });
  });

  test("[DC7] answer that both have changes, until the daemon has merged them", async () => {
    const machine = new Machine("one\n");
    const document = await machine.appended("two\n");
    accepted(await machine.flushed(machine.append("three\n")));
    expect(await status(document)).toMatchObject({ syncStatus: "memory_ahead", pendingWrites: 1 });
    machine.disk.save("a.md", "zero\none\ntwo\n");
    expect(await status(document)).toMatchObject({ syncStatus: "conflict", pendingWrites: 1 });
    await machine.clock.advance(10_000);
    await machine.flush();
    expect(await status(document)).toMatchObject({ syncStatus: "synced", pendingWrites: 0 });
    expect(machine.disk.text("a.md")).toBe("zero\none\ntwo\nthree\n");
  });

  test("[DC8] show the difference between disk and memory, or two versions, under a header", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\n" });
    const document = await bench.document("a.md");
    const { version } = document;
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("three\n") }));
    const workers = new TokenWorkers(new InlineWorkers(), ALICE);
    const { diff } = accepted(await wireDiff(workers, document, version, undefined));
    expect(diff).toMatch(
      /^\[file:doc_\w+:a\.md\]\nstatus: synced\ndisk_mtime: 20\d\d-.*Z\nblock_version: 1-\w+\n---\n--- /,
    );
    expect(diff).toContain("@@ -1,2 +1,3 @@\n one\n two\n+three\n");
    expect(refused(await wireDiff(workers, document, "9-zzzzzz", undefined)).code).toBe("NOT_FOUND");
  });

  test("[DC16] are in their files when a save is answered", async () => {
    const bench = new TimedBench({ "a.md": "one\n" });
    const document = await bench.passing(bench.document("a.md"));
    bench.disk.full = true;
    accepted(
      await bench.passing(bench.edit(ALICE, { path: "a.md", plan: planAppend("two\n"), ack: "durable" })),
    );
    expect(bench.read("a.md")).toBe("one\n");
    bench.disk.full = false;
    expect((await bench.passing(save(document))) instanceof Refusal).toBe(false);
    expect(bench.read("a.md")).toBe("one\ntwo\n");
  });

  test("[DC9, ED21] that cannot be written say so, keep the edits, and write them when they can", async () => {
    const bench = new TimedBench({ "a.md": "one\n" });
    const document = await bench.passing(bench.document("a.md"));
    bench.disk.full = true;
    const edit = bench.edit(ALICE, { path: "a.md", plan: planAppend("two\n") });
    expect(accepted(await bench.passing(edit))).toMatchObject({
      durable: true,
      mirrored: false,
      summary: expect.stringMatching(
        /^applied: \+4 chars .*; the file does not have it yet: .*no space left/,
      ),
    });
    expect(await status(document)).toMatchObject({ syncStatus: "blocked", pendingWrites: 1 });
    expect(refused((await bench.passing(save(document))) as never).code).toBe("MIRROR_BLOCKED");
    bench.disk.full = false;
    await bench.clock.advance(10_000);
    expect(bench.read("a.md")).toBe("one\ntwo\n");
  });

  test("[ED21] that the file does not have say whether it is missing, or the document was closed before", async () => {
    const bench = new Bench({ "a.md": "one\n", "b.md": "one\n" });
    const [closed, missing] = [await bench.document("a.md"), await bench.document("b.md")];
    await bench.workspace.drop(closed);
    expect(whyUnwritten(closed)).toMatchObject({
      kind: "closed",
      message: expect.stringContaining("closed"),
    });
    bench.remove("b.md");
    await missing.mirror.fresh();
    expect(whyUnwritten(missing)).toEqual({ kind: "missing", message: "the file is not there" });
  });

  test("[DC15] of edits that nobody waits for, the file gets those of some time together", async () => {
    const bench = new TimedBench({ "a.md": "" }, { mirrorEveryMs: 50 });
    await bench.passing(bench.document("a.md"));
    const { files } = bench.workspace.ports;
    const { stage } = files;
    let writes = 0;
    files.stage = (...args) => {
      writes++;
      return stage.apply(files, args);
    };
    const append = async (text: string, ack: "durable" | "mirrored") =>
      accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend(text), ack }));
    for (const text of ["1", "2", "3", "4"]) {
      await append(text, "durable");
      await bench.clock.advance(10);
    }
    expect([writes, bench.read("a.md")]).toEqual([1, "1"]);
    await bench.clock.advance(10);
    expect([writes, bench.read("a.md")]).toEqual([2, "1234"]);
    await append("5", "durable");
    expect(await append("6", "mirrored")).toMatchObject({ mirrored: true });
    expect([writes, bench.read("a.md")]).toEqual([3, "123456"]);
  });

  test("[DC10] go back to what the file holds when reloaded", async () => {
    const bench = new DiskBench({ "a.md": "one\n" });
    await bench.document("a.md");
    rmSync(bench.path(".spliced/tmp"), { recursive: true });
    writeFileSync(bench.path(".spliced/tmp"), "");
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("two\n") }));
    const document = await bench.document("a.md");
    expect(await reload(document, ALICE)).toBeUndefined();
    expect(document.text.toString()).toBe("one\n");
  });
});

describe("paths", () => {
  test("[I12c] a path with .. or an empty part is refused with the path without it, unless it leads out", async () => {
    const bench = new Bench({ "b/c.md": "x" });
    const message = async (path: string) => refused(await bench.workspace.open(path)).message;
    expect(await message("a/../b/./d/../c.md")).toBe(
      '"a/../b/./d/../c.md" has a ".." part; without it the path is "b/c.md"',
    );
    expect(await message("b//c.md/")).toBe(
      '"b//c.md/" has an empty or "." part; without it the path is "b/c.md"',
    );
    expect(await message("a/../../b/c.md")).toBe('"a/../../b/c.md" leads out of the workspace');
    expect(await message(`${"x/../".repeat(150)}b/c.md`)).toMatch(/without it the path is "b\/c\.md"$/);
  });

  const cases: [path: string, code: string][] = [
    ["../x", "PATH_ESCAPE"],
    ["a/../../x", "PATH_ESCAPE"],
    ["/etc/passwd", "PATH_ESCAPE"],
    ["a/../b", "PATH_ESCAPE"],
    ["", "INVALID_ARGUMENT"],
    ["a//b", "INVALID_ARGUMENT"],
    ["a/./b", "INVALID_ARGUMENT"],
    ["..\\b", "INVALID_ARGUMENT"],
    ["a\0b", "INVALID_ARGUMENT"],
    ["x".repeat(300), "INVALID_ARGUMENT"],
    [".spliced/daemon.json", "PERMISSION_DENIED"],
    [".SPLICED/store/data.mdb", "PERMISSION_DENIED"],
    ["sub/.git/config", "PERMISSION_DENIED"],
    // File systems take these for .spliced and .git.
    [".\u017fpliced/daemon.json", "PERMISSION_DENIED"],
    ["sub/.g\u200cit/config", "PERMISSION_DENIED"],
    ["%2e%2e/x", "NOT_FOUND"],
    ["missing.md", "NOT_FOUND"],
    ["folder", "INVALID_ARGUMENT"],
    ["out.md", "PATH_ESCAPE"],
    ["outside/hostname", "PATH_ESCAPE"],
    ["binary", "NOT_TEXT"],
    ["latin1", "NOT_TEXT"],
    ["big", "TOO_LARGE"],
  ];
  for (const [path, code] of cases)
    test(`[I12] ${JSON.stringify(path.slice(0, 30))} is ${code}`, async () => {
      const files = {
        "folder/x": "",
        binary: Buffer.from("a\0b"),
        latin1: Buffer.from([0xe9, 0x61]),
        big: "x".repeat(2000),
      };
      const bench = new DiskBench(files, { maxFileBytes: 1000 });
      symlinkSync("/etc/hostname", bench.path("out.md"));
      symlinkSync("/etc", bench.path("outside"));
      expect(refused(await bench.workspace.open(path)).code).toBe(code);
      expect(refused(await bench.edit(ALICE, { path, plan: planAppend("x") })).code).toBe(code);
    });

  test("[I12] a link inside the workspace leads to its document", async () => {
    const bench = new DiskBench({ "real.md": "x" });
    symlinkSync("real.md", bench.path("link.md"));
    accepted(await bench.edit(ALICE, { path: "link.md", plan: planAppend("y") }));
    expect(bench.read("real.md")).toBe("xy");
    expect((await bench.document("link.md")).path).toBe("real.md");
  });

  test("[DC11] that differ only in case name the one that exists", async () => {
    const bench = new Bench({ "Notes/Today.md": "x" });
    const refusal = refused(await bench.workspace.open("notes/today.md"));
    expect(refusal.code).toBe("NOT_FOUND");
    expect(refusal.details["nearest"]).toBe("Notes/Today.md");
  });
});

test("[EE5] a workspace that closes first looks at the files that it was told of", async () => {
  const bench = new Bench({});
  const looked = vi.spyOn(bench.workspace.cover, "look");
  bench.workspace.hint(join(bench.workspace.ports.files.root, "new.md"));
  await bench.workspace.close();
  expect(looked.mock.calls).toEqual([["new.md"]]);
});
