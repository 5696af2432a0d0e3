import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Settings } from "../../src/protocol/service/settings.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { Bench } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

const hashOf = (part: string) => createHash("sha256").update(part).digest("hex");

describe("edit.legacy", () => {
  test("[LG1] takes cursors and ranges as S1 and S4 write them", async () => {
    const talk = await greeted({ "a.md": "one two three" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    const edit = (params: object) => talk.ask("edit.legacy", { path: "a.md", version, ...params });
    await edit({ op: "replace", target_range: [0, 3], content: "1" });
    await edit({ op: "replace", selection: { from: 4, to: 7 }, cursor: { pos: 7 }, content: "2" });
    const { result } = await edit({ op: "insert", cursor: 13, content: "!" });
    expect(result?.["summary"]).toMatch(/^applied: \+1 chars \(insert, version=3-\w+, merged\)$/);
    expect(talk.bench.read("a.md")).toBe("1 2 three!");
    expect(
      (await edit({ op: "delete", target_range: [0, 1], selection: { from: 0, to: 2 } })).error?.message,
    ).toContain("differ");
  });

  for (const name of ["version", "document_version", "snapshot_version", "document_digest"])
    test(`[LG3] names its base as ${name}`, async () => {
      const talk = await greeted({ "a.md": "one" });
      const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
      await talk.ask("edit.append", { path: "a.md", text: " two" });
      const edit = (base: unknown, extra: object = {}) =>
        talk.ask("edit.legacy", {
          path: "a.md",
          op: "insert",
          cursor: 3,
          content: "!",
          [name]: base,
          ...extra,
        });
      expect((await edit(version, { onStale: "reject" })).error?.data.code).toBe("STALE_VERSION");
      expect((await edit(hashOf("one"), { onStale: "reject" })).error?.data.code).toBe("STALE_VERSION");
      expect((await edit("9-abcdef")).error?.data.code).toBe("STALE_VERSION");
      expect((await edit(hashOf("one two"))).result?.["merged"]).toBe(false);
      expect(talk.bench.read("a.md")).toBe("one! two");
    });

  test("[LG3, LG8] without a base for an unread document, or with several, it is refused and changes nothing", async () => {
    const talk = await greeted({ "a.md": "one" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    const edit = (params: object) =>
      talk.ask("edit.legacy", { path: "a.md", op: "delete", target_range: [0, 1], ...params });
    const bare = await edit({});
    expect(bare.error?.data).toMatchObject({
      code: "VERSION_REQUIRED",
      suggestion: expect.stringContaining("version"),
    });
    expect((await edit({ version, document_version: "2-abcdef" })).error?.message).toContain(
      "different bases",
    );
    expect((await edit({ sha256: hashOf("one"), document_digest: hashOf("two") })).error?.message).toContain(
      "different bases",
    );
    expect(talk.bench.read("a.md")).toBe("one");
    expect((await edit({ selection_fingerprint: hashOf("o") })).result?.["summary"]).toContain("(delete, ");
  });

  test("[LG2] does not take missing positions for (0,0)", async () => {
    const talk = await greeted({ "a.md": "one" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    for (const op of ["insert", "replace", "annotate"]) {
      const { error } = await talk.ask("edit.legacy", { path: "a.md", version, op, content: "x" });
      expect(error?.data).toMatchObject({
        code: "INVALID_ARGUMENT",
        suggestion: expect.stringContaining("send edit.patch"),
      });
    }
    expect(talk.bench.read("a.md")).toBe("one");
  });

  test("[LG4] the hash of doc.read is the fingerprint; a stale one is refused with the present text", async () => {
    const talk = await greeted({ "a.md": "one two" });
    const read = await talk.ask("doc.read", { path: "a.md", range: [4, 7], selectionHash: true });
    const request = {
      path: "a.md",
      op: "replace",
      target_range: [4, 7],
      content: "2",
      selection_fingerprint: read.result?.["selection_hash"],
    };
    await talk.ask("edit.replace", { path: "a.md", old: "one", new: "0" });
    const { error } = await talk.ask("edit.legacy", request);
    expect(error?.data.code).toBe("INVALID_POSITION");
    await talk.ask("edit.replace", { path: "a.md", old: "0", new: "three" });
    expect((await talk.ask("edit.legacy", request)).error?.data).toMatchObject({
      code: "STALE_VERSION",
      details: { line: 1, text: "e t" },
    });
    expect((await talk.ask("edit.legacy", { ...request, target_range: [6, 9] })).result).toBeTruthy();
    expect(talk.bench.read("a.md")).toBe("three 2");
  });

  test("[LG5] annotates the line that holds the range", async () => {
    const talk = await greeted({ "a.py": "def f():\n    return 1\n" });
    const { version } = (await talk.ask("doc.open", { path: "a.py" })).result!;
    await talk.ask("edit.legacy", {
      path: "a.py",
      version,
      op: "annotate",
      target_range: [13, 19],
      content: "one",
    });
    expect(talk.bench.read("a.py")).toBe("def f():\n    # one\n    return 1\n");
  });

  test("[LG6] is refused when disabled, with the method to use instead", async () => {
    const talk = new Talk(new Bench({ "a.md": "one" }), undefined, {
      settings: new Settings({ patchMode: true, legacyOps: false }),
    });
    await talk.hello();
    const { error } = await talk.ask("edit.legacy", { path: "a.md", op: "insert", cursor: 0, content: "x" });
    expect(error?.data).toMatchObject({
      code: "PERMISSION_DENIED",
      suggestion: expect.stringContaining("Send edit.patch"),
    });
  });

  test("[LG10] is on and off at once as settings.set says, which requires admin", async () => {
    const talk = await greeted({ "a.md": "one" });
    const cursor = { path: "a.md", version: "latest", op: "insert", cursor: 0, content: "x" };
    const off = await talk.ask("settings.set", { legacyOps: false });
    expect(off.result).toMatchObject({ legacyOps: false, patchMode: true, configured: { legacyOps: true } });
    expect((await talk.ask("edit.legacy", cursor)).error?.data.code).toBe("PERMISSION_DENIED");
    expect((await talk.ask("settings.set", { legacyOps: null })).result).toMatchObject({ legacyOps: true });
    expect((await talk.ask("edit.legacy", cursor)).error).toBeUndefined();
    const writer = await talk.again({
      name: "writer",
      rights: new Rights([{ glob: "**", level: "write", conflict: "merge" }]),
    });
    expect((await writer.ask("settings.set", { legacyOps: false })).error?.data.code).toBe(
      "PERMISSION_DENIED",
    );
    expect((await writer.ask("settings.get", {})).result).toMatchObject({ legacyOps: true, capture: null });
  });

  test("[LG7] a document replaced from a stale snapshot is merged, never doubled", async () => {
    const talk = await greeted({ "a.md": "# Title\n\nfirst\nsecond\n" });
    const { version } = (await talk.ask("doc.open", { path: "a.md" })).result!;
    await talk.ask("edit.append", { path: "a.md", text: "third\n" });
    const content = "# Title\n\nFIRST\nsecond\n";
    await talk.ask("edit.legacy", {
      path: "a.md",
      op: "replace",
      document: true,
      document_version: version,
      content,
    });
    expect(talk.bench.read("a.md")).toBe("# Title\n\nFIRST\nsecond\nthird\n");
  });
});
