import { describe, expect, test, vi } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { greeted, type Talk } from "./talk.ts";

describe("the history, over the wire", () => {
  test("[HI1, HI2] is listed, and read since a version, in the unit of hello", async () => {
    const talk = await greeted({ "a.md": "😀 one\n" }, { positionEncoding: "utf-16" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    await talk.ask("edit.replace", { path: "a.md", old: "one", new: "two", message: "why not" });
    const { changes, more } = (await talk.ask("history.list", { path: "a.md", limit: 1 })).result!;
    expect(more).toBe(true);
    expect(changes).toMatchObject([
      { author: "tester", message: "why not", previous: version, undone: false },
    ]);
    const { since } = (await talk.ask("doc.read", { path: "a.md", since: version })).result!;
    expect(since).toMatchObject({ version, more: false, splices: [{ from: 3, to: 6, insert: "two" }] });
    expect((await talk.ask("doc.read", { path: "a.md", since: "1-x" })).error?.data.code).toBe("NOT_FOUND");
  });

  test("[HI40] after more changes than a read lists, says where history.list goes on", async () => {
    const talk = await greeted({ "a.md": "0\n" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    const made: unknown[] = [];
    for (let i = 1; i <= 103; i++) {
      const edited = await talk.ask("edit.append", { path: "a.md", text: `${i}\n`, ack: "durable" });
      made.push(edited.result?.["changeId"]);
    }
    const read = async (since: unknown) =>
      (await talk.ask("doc.read", { path: "a.md", since })).result?.["since"] as {
        readonly changes: readonly { readonly changeId: string }[];
        readonly more: boolean;
        readonly before?: string;
      };
    const { changes, more, before } = await read(version);
    expect([changes.length, more]).toEqual([100, true]);
    const older = (await talk.ask("history.list", { path: "a.md", before, limit: 3 })).result as {
      changes: { changeId: string; version: string; previous: string }[];
    };
    const listed = [...older.changes.toReversed(), ...changes].map(({ changeId }) => changeId);
    expect(listed).toEqual(made);
    expect(older.changes.at(-1)?.previous).toBe(version);
    expect(await read(older.changes[0]!.version)).not.toHaveProperty("before");
  });

  test("[UN3, UN4] undo and redo need no id; too many are refused", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("edit.append", { path: "a.md", text: "two\n" });
    expect((await talk.ask("undo")).result).toMatchObject({ path: "a.md", mirrored: true });
    expect(talk.bench.read("a.md")).toBe("one\n");
    expect((await talk.ask("redo")).result).toMatchObject({ path: "a.md" });
    expect(talk.bench.read("a.md")).toBe("one\ntwo\n");
    const wrong = await talk.ask("undo", { changeId: "chg_x", agent: "disk" });
    expect(wrong.error?.data.code).toBe("INVALID_ARGUMENT");
  });

  test("[DC33] a request for a file may have a reason, which the history shows and a proposal gives", async () => {
    const talk = await greeted({});
    const at = { path: "a.md" };
    for (const [method, params] of [
      ["doc.create", { ...at, text: "one\n" }],
      ["doc.rename", { ...at, to: "b.md" }],
      ["doc.delete", { path: "b.md" }],
      ["doc.restore", { path: "b.md" }],
    ] as const)
      expect((await talk.ask(method, { ...params, message: `why ${method}` })).error).toBeUndefined();
    const { changes } = (await talk.ask("history.list", { path: "b.md" })).result!;
    expect((changes as { message?: string }[]).map(({ message }) => message)).toEqual([
      "why doc.restore",
      "why doc.delete",
      "why doc.rename",
      "why doc.create",
    ]);
    const rules = [{ glob: "**", level: "propose", conflict: "merge" }] as const;
    const asker = await talk.again({ name: "asker", rights: new Rights(rules) });
    const { proposal } = (await asker.ask("doc.delete", { path: "b.md", message: "no use" })).result!;
    expect((await talk.ask("proposal.get", { id: proposal })).result).toMatchObject({ reasoning: "no use" });
  });

  test("[DC24] a rename to the document's own path is refused and not recorded", async () => {
    const talk = await greeted({ "a/b.md": "one\n" });
    await talk.ask("edit.append", { path: "a/b.md", text: "two\n" });
    const { changes: before } = (await talk.ask("history.list", {})).result!;
    const same = await talk.ask("doc.rename", { path: "a/b.md", to: "a/b.md" });
    expect(same.error).toMatchObject({ message: "a/b.md has this path already" });
    expect((await talk.ask("history.list", {})).result!["changes"]).toEqual(before);
    expect((await talk.ask("edit.replace", { path: "a/b.md", old: "", new: "x" })).error?.message).toBe(
      "edit.replace: old: the text is empty",
    );
  });

  test("[HI3] blame returns runs with their lines, for all lines or some", async () => {
    const talk = await greeted({ "a.md": "one\ntwo\nthree\n" });
    const { changeId } = (await talk.ask("edit.replace", { path: "a.md", old: "two", new: "2" })).result!;
    const { runs } = (await talk.ask("blame", { path: "a.md" })).result! as { runs: object[] };
    expect(runs).toMatchObject([
      { from: 0, to: 4, line: 1, author: "disk" },
      { from: 4, to: 5, line: 2, author: "tester", changeId },
      { from: 5, to: 12, line: 2, author: "disk" },
    ]);
    expect((await talk.ask("blame", { path: "a.md", lines: [2, 2] })).result?.["runs"]).toHaveLength(2);
    expect((await talk.ask("blame", { path: "a.md", lines: [9, 9] })).error?.data.code).toBe(
      "INVALID_POSITION",
    );
  });

  test("[HI4] a version is restored by an edit like another, a deleted document, too", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    await talk.ask("edit.append", { path: "a.md", text: "two\n" });
    const restored = await talk.ask("history.restore", { path: "a.md", version });
    expect(restored.result).toMatchObject({ splices: [{ from: 4, to: 8, insert: "" }] });
    await talk.ask("undo");
    expect(talk.bench.read("a.md")).toBe("one\ntwo\n");
    await talk.ask("doc.delete", { path: "a.md" });
    expect((await talk.ask("history.restore", { path: "a.md", version })).result).toMatchObject({
      mirrored: true,
    });
    expect(talk.bench.read("a.md")).toBe("one\n");
    const diff = (await talk.ask("history.diff", { path: "a.md", from: version })).result!["diff"];
    expect(diff).not.toContain("@@");
  });

  test("[HI4, ED5] sent again with its opId, it brings back no file that was deleted since", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    await talk.ask("edit.append", { path: "a.md", text: "two\n" });
    const restore = () => talk.ask("history.restore", { path: "a.md", version, opId: "op-1" });
    const { changeId } = (await restore()).result!;
    await talk.ask("doc.delete", { path: "a.md" });
    expect((await restore()).result?.["changeId"]).toBe(changeId);
    expect(() => talk.bench.read("a.md")).toThrow();
  });

  test("[HI7] a document is readable as of a version, also while it is deleted", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const { version, sha256 } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    await talk.ask("edit.append", { path: "a.md", text: "two\n" });
    await talk.ask("doc.delete", { path: "a.md" });
    const then = (await talk.ask("doc.read", { path: "a.md", version })).result;
    expect(then).toMatchObject({ text: "one\n", version, sha256, lines: 1 });
    expect((await talk.ask("doc.read", { path: "a.md", version: "9-x" })).error?.data.code).toBe("NOT_FOUND");
    expect((await talk.ask("doc.read", { path: "a.md" })).error?.data.code).toBe("DELETED");
    const both = await talk.ask("doc.read", { path: "a.md", version, since: version });
    expect(both.error?.data.code).toBe("INVALID_ARGUMENT");
  });

  test("[HI8] a notification describes a change as the history does, with its batch and its undone change", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("subscribe", { path: "a.md" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    const files = [{ docPath: "a.md", version, text: "1\n" }];
    const made = (await talk.ask("batch.apply", { files, message: "why" })).result!;
    const { batchId } = made["result"] as { batchId: string };
    await talk.ask("undo", { batchId });
    const { changes } = (await talk.ask("history.list", { path: "a.md", limit: 2 })).result! as {
      changes: { undone: boolean }[];
    };
    const told = talk.told("doc.changed").map(({ params }) => params!);
    expect(told).toHaveLength(2);
    expect(told.toReversed()).toMatchObject(changes.map(({ undone: _undone, ...change }) => change));
    expect(told[0]).toMatchObject({ batchId, message: "why" });
  });

  test("[HI5] a checkpoint restores documents changed and deleted since, and leaves new ones", async () => {
    const talk = await greeted({
      "a.md": "a\n",
      "b.md": "b\n",
      "c.md": "c\n",
      "ignored/d.md": "d\n",
      bin: "\0",
    });
    expect((await talk.ask("checkpoint.create", { name: "before" })).result).toMatchObject({ documents: 3 });
    expect((await talk.ask("checkpoint.create", { name: "before" })).error?.data.code).toBe("ALREADY_EXISTS");
    await talk.ask("edit.append", { path: "a.md", text: "more\n" });
    await talk.ask("doc.delete", { path: "b.md" });
    await talk.ask("doc.rename", { path: "c.md", to: "moved.md" });
    await talk.ask("doc.create", { path: "new.md", text: "new\n" });
    await talk.bench.restart();
    const again = await talk.again();
    expect((await again.ask("checkpoint.list")).result).toMatchObject({
      checkpoints: [{ name: "before", documents: 3 }],
    });
    expect((await again.ask("checkpoint.restore", { name: "before" })).result).toEqual({
      name: "before",
      restored: ["a.md", "b.md"],
      unchanged: 1,
      newer: ["new.md"],
      failed: [],
      batchId: expect.stringMatching(/^batch_/),
    });
    expect(["a.md", "b.md", "moved.md", "new.md"].map((path) => talk.bench.read(path))).toEqual([
      "a\n",
      "b\n",
      "c\n",
      "new\n",
    ]);
    expect((await again.ask("checkpoint.restore", { name: "no" })).error?.data.code).toBe("NOT_FOUND");
  });
});

describe("history.diff without a path", () => {
  test("[HI33] finds the document of the versions in memory, after a restart, moved and deleted", async () => {
    const talk = await greeted({ "a.md": "one\n", "b.md": "one\n" });
    const { version: from } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    const { version: to } = (await talk.ask("edit.append", { path: "a.md", text: "two\n" })).result!;
    await talk.ask("edit.append", { path: "b.md", text: "three\n" });
    const diff = async (asking: Talk, params: object) =>
      (await asking.ask("history.diff", params)).result?.["diff"];
    const both = expect.stringMatching(/^\[file:doc_\w+:a\.md\][\s\S]*\n\+two\n$/);
    expect(await diff(talk, { from, to })).toEqual(both);
    await talk.bench.restart();
    expect(await diff(await talk.again(), { from, to })).toEqual(both);
    await talk.bench.restart();
    const again = await talk.again();
    expect(await diff(again, { from })).toEqual(both);
    await again.ask("doc.rename", { path: "a.md", to: "c.md" });
    await again.ask("doc.delete", { path: "c.md" });
    await again.ask("doc.create", { path: "c.md", text: "another\n" });
    expect(await diff(again, { from, to })).toMatch(/^\[file:doc_\w+:c\.md\][\s\S]*\n\+two\n$/);
  });

  test("[HI33, RI7] refuses a version of no readable document", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const { version: from } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    const rules = [{ glob: "b.md", level: "read", conflict: "merge" } as const];
    const guest = await talk.again({ name: "guest", rights: new Rights(rules) });
    for (const [asking, version] of [
      [guest, from],
      [talk, "0-nobody"],
      [talk, "chg_x"],
    ] as const)
      expect((await asking.ask("history.diff", { from: version })).error).toMatchObject({
        message: `no document has the version "${version}"`,
        data: { code: "NOT_FOUND" },
      });
  });

  test("[HI34] names the documents, if several have the versions", async () => {
    const talk = await greeted({ "a.md": "one\n", "b.md": "one\n" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    const { store } = talk.bench.workspace.ports;
    const { docId } = (await talk.ask("doc.open", { path: "b.md" })).result!;
    const change = store.change.bind(store);
    const first = store.change(store.documentAt("a.md" as DocPath)!.id, 0)!;
    vi.spyOn(store, "change").mockImplementation((id, seq) => (id === docId ? first : change(id, seq)));
    const { error } = await talk.ask("history.diff", { from: version });
    expect(error).toMatchObject({
      message: `several documents have the version "${version}": a.md, b.md`,
      data: { code: "INVALID_ARGUMENT", details: { paths: ["a.md", "b.md"] } },
    });
  });
});

describe("the batch of an undo", () => {
  const files = { "a.md": "1\n", "b.md": "2\n", "c.md": "3\n" };
  const read = (talk: Talk, ...paths: string[]) => paths.map((path) => talk.bench.read(path));

  const writing = (glob: string) => new Rights([{ glob, level: "write", conflict: "merge" }]);

  /** Returns a session whose edits of two documents were undone as one, and the id of that batch. */
  async function undone(): Promise<{ talk: Talk; batchId: string }> {
    const talk = await greeted(files);
    await talk.ask("subscribe", { pattern: "**" });
    const since = new Date(Date.now() - 1000).toISOString();
    for (const path of ["a.md", "b.md"]) await talk.ask("edit.append", { path, text: "x\n" });
    const { result } = await talk.ask("undo", { agent: "tester", since, message: "why" });
    return { talk, batchId: result!["batchId"] as string };
  }

  test("[UN10] is named by its answer, by doc.changed and by the history, and change.get finds it", async () => {
    const { talk, batchId } = await undone();
    const told = talk.told("doc.changed").slice(-2);
    expect(told.map(({ params }) => params!["batchId"])).toEqual([batchId, batchId]);
    const { result } = await talk.ask("change.get", { batchId });
    const file = { mirrored: true, diff: expect.stringContaining("-x\n"), filePatchId: null };
    expect(result).toMatchObject({ batchId, author: "tester", message: "why" });
    expect(result!["files"]).toMatchObject([
      { ...file, path: "b.md", changeId: told[0]!.params!["changeId"] },
      { ...file, path: "a.md", changeId: told[1]!.params!["changeId"] },
    ]);
    await talk.bench.restart();
    const again = await talk.again();
    expect((await again.ask("change.get", { batchId })).result).toMatchObject({ batchId, files: [{}, {}] });
  });

  test("[UN10, UN11] undo and redo of it make the changes again", async () => {
    for (const method of ["undo", "redo"]) {
      const { talk, batchId } = await undone();
      const { result } = await talk.ask(method, { batchId });
      expect(result).toMatchObject({ files: [{}, {}], batchId: expect.stringMatching(/^bat_/) });
      expect(read(talk, "a.md", "b.md")).toEqual(["1\nx\n", "2\nx\n"]);
      const back = await talk.ask("undo", { batchId: result!["batchId"] });
      expect(back.error).toBeUndefined();
      expect(read(talk, "a.md", "b.md")).toEqual(["1\n", "2\n"]);
    }
  });

  test("[UN10] is in the answer of an undone batch and of an applied preview, and not of a single change", async () => {
    const talk = await greeted(files);
    const one = await talk.ask("edit.append", { path: "a.md", text: "x\n" });
    const single = await talk.ask("undo", { changeId: one.result!["changeId"] });
    expect(single.result).not.toHaveProperty("batchId");
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    const batch = { files: [{ docPath: "a.md", version, text: "4\n" }] };
    const made = (await talk.ask("batch.apply", batch)).result!["result"] as { batchId: string };
    const taken = await talk.ask("undo", { batchId: made.batchId, opId: "once" });
    expect(taken.result).toMatchObject({ batchId: expect.stringMatching(/^bat_/) });
    expect((await talk.ask("undo", { batchId: made.batchId, opId: "once" })).result).toEqual(taken.result);
    await talk.ask("edit.append", { path: "b.md", text: "y\n" });
    const params = { agent: "tester", since: new Date(0).toISOString() };
    const shown = (await talk.ask("preview.create", { method: "undo", params })).result!;
    const { patch_id, base_hash } = shown;
    const applied = (await talk.ask("preview.apply", { patch_id, base_hash })).result!;
    const { batchId } = applied["batch"] as { batchId: string };
    expect((await talk.ask("redo", { batchId })).error).toBeUndefined();
  });

  test("[RI63] is unknown to a token that may read none of its documents, as an id of no batch is", async () => {
    const { talk, batchId } = await undone();
    const guest = await talk.again({ name: "guest", rights: writing("c.md") });
    for (const id of [batchId, "bat_0000000000000000"]) {
      expect((await guest.ask("change.get", { batchId: id })).error).toMatchObject({
        message: `"${id}" names no batch of this workspace, as far as its newest 20000 changes show`,
        data: { code: "NOT_FOUND" },
      });
      for (const method of ["undo", "redo"])
        expect((await guest.ask(method, { batchId: id })).error).toMatchObject({
          message: `there is nothing to ${method} of "${id}"`,
        });
    }
  });

  test("[RI62] is for a token what it may read of it, for change.get, undo and redo alike", async () => {
    const { talk, batchId } = await undone();
    const guest = await talk.again({ name: "guest", rights: writing("a.md") });
    let id: unknown = batchId;
    const { changes } = (await guest.ask("history.list")).result as { changes: { batchId?: string }[] };
    expect(changes[0]).toMatchObject({ path: "a.md", batchId });
    expect((await guest.ask("change.get", { batchId })).result).toMatchObject({
      batchId,
      files: [{ path: "a.md" }],
    });
    for (const [method, text] of [
      ["undo", "1\nx\n"],
      ["undo", "1\n"],
      ["redo", "1\nx\n"],
    ] as const) {
      const { result } = await guest.ask(method, { batchId: id });
      expect(result).toMatchObject({ path: "a.md", batchId: expect.stringMatching(/^bat_/) });
      expect(read(talk, "a.md", "b.md")).toEqual([text, "2\n"]);
      id = result!["batchId"];
    }
    expect(JSON.stringify(guest.sent)).not.toContain("b.md");
    await talk.ask("undo", { batchId });
    expect(read(talk, "a.md", "b.md")).toEqual(["1\nx\n", "2\nx\n"]);
  });

  test("[HI32] is what one undo takes back of a restored checkpoint, with the files that it brought back", async () => {
    for (const params of [{}, { batchId: "named" }]) {
      const talk = await greeted(files);
      await talk.ask("checkpoint.create", { name: "cp" });
      for (const path of ["a.md", "b.md"]) await talk.ask("edit.append", { path, text: "later\n" });
      await talk.ask("edit.append", { path: "c.md", text: "later\n" });
      await talk.ask("doc.delete", { path: "c.md" });
      const { result } = await talk.ask("checkpoint.restore", { name: "cp" });
      expect(read(talk, "a.md", "b.md", "c.md")).toEqual(["1\n", "2\n", "3\n"]);
      const { batchId } = result as { batchId: string };
      expect((await talk.ask("change.get", { batchId })).result!["files"]).toHaveLength(4);
      const undoing = await talk.ask("undo", "batchId" in params ? { batchId } : {});
      expect(undoing.error).toBeUndefined();
      expect(read(talk, "a.md", "b.md")).toEqual(["1\nlater\n", "2\nlater\n"]);
      expect(() => talk.bench.read("c.md")).toThrow();
      await talk.ask("redo");
      expect(read(talk, "a.md", "b.md", "c.md")).toEqual(["1\n", "2\n", "3\n"]);
    }
  });
});
