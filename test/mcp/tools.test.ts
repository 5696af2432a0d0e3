import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/mcp/caller.ts";
import { mcpTools } from "../../src/mcp/tools.ts";
import type { Level } from "../../src/workspace/access/rights.ts";
import { McpWorkspace } from "./mcp-workspace.ts";

const NOTES = "# Notes\n\nMonday at ten\nwith Ada\n";

/** The names of tools in earlier builds. */
const FORMER =
  "list search read edit patch write batch diff changes_since history blame undo propose threads answer".split(
    " ",
  );

describe("tools", () => {
  test("[MC1, MC57] are listed with a title, their arguments and a name that is clear by itself", async () => {
    const guest = await McpWorkspace.in({});
    const listed = (await guest.client.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(mcpTools.map(({ name }) => name));
    for (const { name, schema, example } of mcpTools) {
      const description = listed.find((tool) => tool.name === name)!;
      expect(schema.parse(example), name).toEqual(example);
      expect(Object.keys(description.inputSchema.properties ?? {})).toEqual(
        expect.arrayContaining(Object.keys(example)),
      );
      expect(description.title, name).toMatch(/^[A-Z]/);
      expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
      expect(description.inputSchema.type).toBe("object");
    }
  });

  test("[MC57] are answered under their former names", async () => {
    const guest = await McpWorkspace.in({ "a.md": "hello\n" });
    for (const name of ["list", "list_documents"]) expect(await guest.say(name)).toBe("a.md  6");
    expect(mcpTools.flatMap(({ formerly = [] }) => formerly)).toEqual(FORMER);
  });

  // Without a tokenizer: that of GPT-4o and later makes about 4.3 characters of such JSON a token, others near that.
  test("[MC58] take at most 2,500 tokens of 3.5 characters, as clients pass them to models", async () => {
    const listed = (await (await McpWorkspace.in({})).client.listTools()).tools;
    const passed = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(JSON.stringify(passed).length / 3.5).toBeLessThan(2_500);
  });

  test("[MC59] answer one text; lists and edits are data, too, and a new document is a link", async () => {
    const guest = await McpWorkspace.in({ "a.md": "hello\n" });
    await guest.client.listTools(); // from now on the client checks answers by their schemas
    const call = (name: string, args = {}) => guest.client.callTool({ name, arguments: args });
    expect((await call("list_documents")).structuredContent).toEqual({
      documents: [{ path: "a.md", bytes: 6, kind: "text" }],
      more: 0,
    });
    const read = await call("read_document", { path: "a.md" });
    expect(read.content).toEqual([{ type: "text", text: expect.stringMatching(/^a\.md, .*\nhello\n$/) }]);
    const edit = await call("edit_document", { path: "a.md", old: "hello", new: "bye" });
    const [said] = edit.content as { text: string }[];
    expect(edit.structuredContent).toMatchObject({ path: "a.md", report: said!.text });
    const created = await call("write_document", { path: "b/c d.md", text: "x" });
    expect((created.content as object[])[1]).toEqual({
      type: "resource_link",
      uri: "spliced://doc/b/c%20d.md",
      name: "b/c d.md",
    });
  });

  test("[MC60] that do not exist are an error of the protocol, which names those that do", async () => {
    const guest = await McpWorkspace.in({});
    const calling = guest.client.callTool({ name: "edit_documnet", arguments: {} });
    await expect(calling).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        /Unknown tool: "edit_documnet" \(did you mean "edit_document"\?\)\. The tools are list_documents, /,
      ),
    });
  });

  test("[MC61] delete and rename documents, and set a field", async () => {
    const guest = await McpWorkspace.in({ "a.md": "a\n", "b.json": '{ "port": 1 }\n' });
    const renamed = await guest.client.callTool({
      name: "rename_document",
      arguments: { path: "a.md", to: "x/a.md" },
    });
    expect((renamed.content as { uri?: string }[])[1]!.uri).toBe("spliced://doc/x/a.md");
    expect(guest.bench.read("x/a.md")).toBe("a\n");
    expect(await guest.say("delete_document", { path: "x/a.md" })).toBe("x/a.md: deleted");
    expect(await guest.say("list_documents")).toBe("b.json  14");
    await guest.say("set_field", { path: "b.json", key: ["port"], value: 2 });
    expect(guest.bench.read("b.json")).toBe('{ "port": 2 }\n');
    expect(await guest.refused("set_field", { path: "b.json", key: ["port"] })).toMatch(/^INVALID_ARGUMENT/);
    await guest.say("undo_change");
    expect(guest.bench.read("b.json")).toBe('{ "port": 1 }\n');
  });

  test("[MC61] list the session's own proposals, with the reason of a refusal", async () => {
    const guest = await McpWorkspace.in({ "a.md": "a\n" });
    const bob = await guest.another("bob");
    await bob.say("propose_edit", { path: "a.md", append: "his\n" });
    expect(await guest.say("list_proposals")).toBe("You have no proposals.");
    const id = /proposed as (\w+)/.exec(
      await guest.say("propose_edit", { path: "a.md", append: "b\n" }),
    )![1]!;
    expect(await guest.say("list_proposals")).toBe(`${id}  a.md  pending`);
    await guest.colleague("bob").request("proposal.reject", { id, reason: "too short" });
    for (const args of [{}, { id }, { path: "a.md" }])
      expect(await guest.say("list_proposals", args)).toBe(`${id}  a.md  rejected  too short`);
  });

  test("[LG10] patch is listed while the setting patchMode is on", async () => {
    const guest = await McpWorkspace.in({});
    const names = async () => (await guest.client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toContain("patch_document");
    guest.service.settings.set({ patchMode: false });
    expect(await names()).toEqual(
      mcpTools.map(({ name }) => name).filter((name) => name !== "patch_document"),
    );
  });

  test("[MC39] an invalid call is answered with a valid example", async () => {
    const guest = await McpWorkspace.in({ "a.md": "x" });
    expect(await guest.refused("edit", { path: "a.md", old: "x" })).toMatch(
      /edit_document: "new" is missing\n.*"new":"Tuesday"/,
    );
    expect(await guest.refused("read", { path: "a.md", line: 3 })).toMatch(/line/);
    expect(await guest.refused("edit", { path: "a.md", old: "x", new: "\ud800" })).toMatch(/lone surrogate/);
    expect(guest.bench.read("a.md")).toBe("x");
  });

  test("[MC39] an argument of a wrong type is wrong once", async () => {
    const guest = await McpWorkspace.in({ "a.md": "x" });
    const said = await guest.refused("read", { path: "a.md", lines: "1-2" });
    expect(said).toMatch(/: lines: Invalid input: expected array, received string\n/);
  });

  test("[MC68] an argument of null counts as left out", async () => {
    const guest = await McpWorkspace.in({ "a.md": "x" });
    const nulls = { occurrence: null, version: null, message: null };
    expect(await guest.say("list", { pattern: null })).toContain("a.md");
    expect(await guest.say("read", { path: "a.md", lines: null, range: null })).toContain("x");
    expect(await guest.say("edit", { path: "a.md", old: "x", new: "y", ...nulls })).toContain("+y");
    expect(await guest.say("batch", { files: [{ path: "a.md", text: "z", replace: null }] })).toContain("+z");
    expect(await guest.refused("edit", { path: "a.md", old: null, new: "y" })).toContain('"old" is missing');
  });

  test("[KR11] the next answer says what a save of the agent's own tools was merged with", async () => {
    const guest = await McpWorkspace.in({ "a.md": "x" });
    guest.service.claims.news.add("owner/claude", "Your save of a.md was merged.");
    expect(await guest.say("read", { path: "a.md" })).toContain("Your save of a.md was merged.");
    expect(await guest.say("read", { path: "a.md" })).not.toContain("merged");
  });

  test("[MC14] run in the order of the calls, and a cancelled call does not run", async () => {
    const guest = await McpWorkspace.in({ "a.md": "0" });
    const abort = new AbortController();
    const numbers = [1, 2, 3, 4, 5];
    const calls = numbers.map((n) => guest.say("edit", { path: "a.md", old: `${n - 1}`, new: `${n}` }));
    const cancelled = guest.client.callTool(
      { name: "write", arguments: { path: "b.md", text: "" } },
      undefined,
      {
        signal: abort.signal,
      },
    );
    abort.abort();
    await expect(cancelled).rejects.toThrow();
    await Promise.all(calls);
    expect(guest.bench.read("a.md")).toBe("5");
    expect(await guest.say("list")).toBe("a.md  1");
  });

  test("[MC33] are answered within the deadline, even if the daemon does not answer", async () => {
    const silent: Caller = { request: () => new Promise(() => {}), on: () => () => {}, close() {} };
    const guest = await McpWorkspace.in({}, { open: () => silent, deadlineMs: 20 });
    expect(await guest.refused("list")).toMatch(
      /did not answer within 0.02 s; the call may or may not have had an effect/,
    );
    const many = Array.from({ length: 40 }, () => guest.call("list"));
    expect((await Promise.all(many)).filter(({ text }) => text.startsWith("OVERLOADED"))).toHaveLength(8);
  });
});

describe("search", () => {
  test("[SR9, TM87] shows matches with their lines, also of edits whose file is not written yet", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES, "b.txt": "monday\n" });
    expect(await guest.say("search", { query: "Monday" })).toBe("a.md:3: Monday at ten");
    expect(await guest.say("search", { query: "^MON", regex: true, ignore_case: true, context: 1 })).toBe(
      "a.md-2- \na.md:3: Monday at ten\na.md-4- with Ada\n--\nb.txt:1: monday\n--",
    );
    expect(await guest.say("search", { query: "Monday", pattern: "*.txt" })).toBe("No document has a match.");
    expect(await guest.refused("search", { query: "(", regex: true })).toMatch(/INVALID_ARGUMENT.*regex/);
    expect(await guest.refused("search", { query: "" })).toMatch(/INVALID_ARGUMENT.*query.*empty/);
  });

  test("[SR9] shows a bounded number of matches, and says that there are more", async () => {
    const guest = await McpWorkspace.in({
      "a.md": "x\n".repeat(150),
      "b.md": `${"x".repeat(600)}\n`.repeat(90),
    });
    const said = (await guest.say("search", { query: "x", pattern: "a.md" })).split("\n");
    expect(said).toHaveLength(101);
    expect(said.at(-1)).toMatch(/there may be more/);
    expect((await guest.say("search", { query: "x", pattern: "b.md" })).length).toBeLessThan(50_000);
  });
});

describe("read", () => {
  test("[MC2] shows the text exactly, under a line with path, version and lines", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES, "crlf.md": "a\r\nb", "empty.md": "" });
    expect(await guest.say("read", { path: "a.md" })).toMatch(
      /^a\.md, version 0-\w+, lines 1-4 of 4\n# Notes\n\nMonday at ten\nwith Ada\n$/,
    );
    expect(await guest.say("read", { path: "crlf.md" })).toMatch(
      /lines 1-2 of 2; line endings: crlf\na\r\nb$/,
    );
    expect(await guest.say("read", { path: "empty.md" })).toMatch(/^empty\.md, version 0-\w+, empty$/);
    expect(await guest.say("read", { path: "a.md", lines: [3, 3] })).toMatch(
      /lines 3-3 of 4; continue with lines: \[4, 4\]\nMonday at ten\n?$/,
    );
  });

  test("[MC19] cuts a long document, and the named arguments show the rest", async () => {
    const lines = Array.from({ length: 9000 }, (_, i) => `${i} ${"word ".repeat(i % 30)}`).join("\n");
    const wide = "\u{1f600}".repeat(140_000);
    const guest = await McpWorkspace.in({ "long.md": lines, "wide.md": `first\n${wide}\nlast\n` });
    for (const [path, whole] of [
      ["long.md", lines],
      ["wide.md", `first\n${wide}\nlast\n`],
    ] as const) {
      let shown = "";
      let next: Record<string, unknown> | undefined = {};
      for (let parts = 0; next !== undefined; parts++) {
        expect(parts).toBeLessThan(20);
        const said = await guest.say("read", { path, ...next });
        const head = said.slice(0, said.indexOf("\n"));
        shown += said.slice(head.length + 1);
        next = nextOf(head);
      }
      expect(shown === whole, path).toBe(true);
    }
  });

  test("[MC38] names the authors of changes since the session saw the document", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("edit.append", { path: "a.md", text: "and Bob\n" });
    expect(await guest.say("read", { path: "a.md" })).toMatch(
      /changed since you saw version 0-\w+, by bob\n/,
    );
    expect(await guest.say("read", { path: "a.md" })).not.toContain("changed since");
  });
});

/** Returns the arguments for the next part, as the first line of an answer names them. */
function nextOf(head: string): Record<string, unknown> | undefined {
  const match = /continue with (lines|range): (\[\d+, \d+\])/.exec(head);
  return match === null ? undefined : { [match[1]!]: JSON.parse(match[2]!) };
}

describe("an edit", () => {
  test("[MC3, MC38] starts from the text that was read, is merged with changes of others, and names their authors", async () => {
    const guest = await McpWorkspace.in({ "a.md": "Ada and Ada\n\nMonday at ten\n" });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada and Ada", new: "Ada" });
    guest.bench.save("a.md", "Ada\n\nMonday at ten sharp\n");
    const said = await guest.say("edit", { path: "a.md", old: "Monday", new: "Tuesday" });
    expect(said).toContain("-Monday at ten sharp\n+Tuesday at ten sharp\n");
    expect(said).toMatch(
      /Merged with the changes of bob and disk \(a save to the file\) since version 0-\w+:\n@@/,
    );
    expect(said).toContain("-Ada and Ada\n+Ada\n");
    expect(guest.bench.read("a.md")).toBe("Ada\n\nTuesday at ten sharp\n");
  });

  test("[MC20] marks reported changes as seen: the next edit starts from there", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    await guest.say("edit", { path: "a.md", old: "Monday", new: "Tuesday" });
    const said = await guest.say("edit", { path: "a.md", old: "with Bob", new: "with Bob and Ada" });
    expect(said).not.toContain("Merged");
    expect(guest.bench.read("a.md")).toBe("# Notes\n\nTuesday at ten\nwith Bob and Ada\n");
  });

  test("[MC38] that changed the same words as another author keeps both texts, and the answer says so", async () => {
    const guest = await McpWorkspace.in({ "a.md": "at ten\n" });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "ten", new: "nine" });
    const said = await guest.say("edit", { path: "a.md", old: "at ten", new: "at noon" });
    expect(said).toMatch(/contains both texts: "\w+" \(yours\) and "\w+" \(theirs\)/);
  });

  test("[MC4] of a document that was not read starts from the newest text", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    guest.bench.save("a.md", "saved before anybody looked\n");
    expect(await guest.say("edit", { path: "a.md", old: "saved", new: "written" })).not.toContain("Merged");
    expect(guest.bench.read("a.md")).toBe("written before anybody looked\n");
  });

  test("[MC21] whose text only the newest version contains is applied to that version", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("edit.append", { path: "a.md", text: "and Bob\n" });
    expect(await guest.say("edit", { path: "a.md", old: "and Bob", new: "and Eve" })).toContain("+and Eve");
    expect(guest.bench.read("a.md")).toBe(`${NOTES}and Eve\n`);
  });

  test("[MC6] that is refused gets the reason and the next step, in terms of the tools", async () => {
    const guest = await McpWorkspace.in({ "a.md": "one\none\nMonday at ten\n" });
    expect(await guest.refused("edit", { path: "a.md", old: "Munday at ten", new: "x" })).toMatch(
      /^NO_MATCH: .*the most similar is line 3: "Monday at ten"\n.*Read the document again/,
    );
    expect(await guest.refused("edit", { path: "a.md", old: "one", new: "x" })).toMatch(
      /^AMBIGUOUS_MATCH: .*lines 1, 2\n.*occurrence/,
    );
    expect(await guest.refused("edit", { path: "b.md", old: "one", new: "x" })).toMatch(
      /^NOT_FOUND: .*\nCall list_documents .* or write_document/,
    );
    expect(await guest.refused("patch", { path: "a.md", patch: "@@ -1,1 +1,1 @@\n-two\n+2\n" })).toMatch(
      /^PATCH_REJECTED: Hunk 1 /,
    );
    expect(await guest.say("edit", { path: "a.md", old: "one", new: "1", occurrence: 2 })).toContain(
      "-one\n+1",
    );
  });

  test("[MC6] that needs a confirmation is applied once it is confirmed", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`);
    const guest = await McpWorkspace.in({ "a.md": `${lines.join("\n")}\n` });
    const patch = "@@ -10,3 +10,3 @@\n line 29\n-line 30\n+LINE 30\n line 31\n";
    const asked = await guest.refused("patch", { path: "a.md", patch });
    const confirm = /call the tool again with confirm: "([^"]+)"/.exec(asked)?.[1];
    await guest.say("patch", { path: "a.md", patch, confirm });
    expect(guest.bench.read("a.md")).toContain("LINE 30\n");
    const spaced = "@@ -1,3 +1,3 @@\n line   1\n-line   2\n+LINE 2\n line   3\n";
    expect(await guest.refused("patch", { path: "a.md", patch: spaced })).toMatch(/confirm: "/);
  });
});

describe("write", () => {
  test("[MC5] creates a document, and applies only differences to an existing one", async () => {
    const guest = await McpWorkspace.in({});
    expect(await guest.say("write", { path: "plans/week.md", text: "one\ntwo\n" })).toMatch(
      /created, version 0-\w+, 2 lines/,
    );
    expect(await guest.say("write", { path: "plans/week.md", text: "one\n2\n" })).toContain(" one\n-two\n+2");
    expect(guest.bench.read("plans/week.md")).toBe("one\n2\n");
  });

  test("[MC22] from an old read keeps later changes of others", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    const said = await guest.say("write", { path: "a.md", text: NOTES.replace("Monday", "Tuesday") });
    expect(said).toContain("Merged with the changes of bob");
    expect(guest.bench.read("a.md")).toBe("# Notes\n\nTuesday at ten\nwith Bob\n");
  });

  test("[MC22] keeps changes of others that the session knows from reports, and shows the difference from its text", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    await guest.say("changes_since", { path: "a.md" });
    const said = await guest.say("write", { path: "a.md", text: NOTES.replace("ten", "noon") });
    expect(guest.bench.read("a.md")).toBe("# Notes\n\nMonday at noon\nwith Bob\n");
    expect(said).toMatch(/Compared with your text:\n@@[\s\S]*-with Ada\n\+with Bob$/);
  });

  test("[MC23] asks for another read if the document has changes of others that the session has not read", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    await guest.say("edit", { path: "a.md", old: "Monday", new: "Tuesday" });
    const text = NOTES.replace("Monday", "Friday");
    expect(await guest.refused("write", { path: "a.md", text })).toMatch(
      /^VERSION_REQUIRED: others changed a\.md before your last edit.*\nRead the whole document with read/,
    );
    await guest.say("read", { path: "a.md" });
    await guest.say("write", { path: "a.md", text });
    expect(guest.bench.read("a.md")).toBe(text);
  });

  test("[MC5] undoes the session's own edits that the text lacks", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.say("edit", { path: "a.md", old: "Monday", new: "Tuesday" });
    await guest.say("write", { path: "a.md", text: NOTES });
    await guest.say("write", { path: "a.md", text: "" });
    await guest.say("write", { path: "a.md", text: NOTES });
    expect(guest.bench.read("a.md")).toBe(NOTES);
  });

  test("[MC24] after reading a part again keeps changes in the other parts", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    await guest.say("read", { path: "a.md", lines: [1, 3] });
    await guest.say("write", { path: "a.md", text: NOTES.replace("Monday", "Tuesday") });
    expect(guest.bench.read("a.md")).toBe("# Notes\n\nTuesday at ten\nwith Bob\n");
  });
});

describe("batch", () => {
  const replace = { old: "Monday", new: "Tuesday" };

  test("[MC17] edits several documents together from the texts that were read, and is undone together", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES, "b.md": NOTES, "c.md": NOTES });
    for (const path of ["a.md", "b.md"]) await guest.say("read", { path });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    const said = await guest.say("batch", {
      files: [
        { path: "a.md", replace },
        { path: "b.md", text: NOTES.replace("Monday", "Tuesday") },
        { path: "c.md", patch: "@@ -3 +3 @@\n-Monday at ten\n+Tuesday at ten\n" },
      ],
      message: "moved",
    });
    expect(said).toMatch(
      /^Changed 3 documents in one batch, batchId \w+\na\.md: version 2-\w+\n@@[\s\S]*Merged with the changes of bob/,
    );
    const TUESDAY = NOTES.replace("Monday", "Tuesday");
    expect(["a.md", "b.md", "c.md"].map((path) => guest.bench.read(path))).toEqual([
      TUESDAY.replace("Ada", "Bob"),
      TUESDAY,
      TUESDAY,
    ]);
    await guest.say("undo");
    expect(["a.md", "b.md", "c.md"].map((path) => guest.bench.read(path))).toEqual([
      NOTES.replace("Ada", "Bob"),
      NOTES,
      NOTES,
    ]);
  });

  test("[MC66] takes the request of batch.apply and makes it as that does", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES, "b.md": NOTES });
    const originalSha256 = createHash("sha256").update(NOTES).digest("hex");
    const insert = { operation: "insert", afterLine: 0, newLines: ["# S3"] };
    const files = [
      { docPath: "a.md", originalSha256, changes: [insert] },
      { docPath: "b.md", fileKey: "second", replace: { old: "Monday", new: "Tuesday" } },
      { docPath: "c.md", operation: "create", text: "c\n" },
    ];
    const request = { batchLabel: "three files", files };
    const made = await guest.client.callTool({ name: "batch", arguments: request });
    expect(made.structuredContent).toMatchObject({
      successful: true,
      result: { batchLabel: "three files", files: [{ docPath: "a.md" }, { fileKey: "second" }, {}] },
    });
    expect(guest.bench.read("a.md")).toBe(`# S3\n${NOTES}`);
    expect([guest.bench.read("b.md"), guest.bench.read("c.md")]).toEqual([
      NOTES.replace("Monday", "Tuesday"),
      "c\n",
    ]);
    expect(await guest.refused("batch", request)).toContain("STALE_VERSION: a.md: ");
    await guest.say("undo");
    expect([guest.bench.read("a.md"), guest.bench.read("b.md")]).toEqual([NOTES, NOTES]);
    const wrong = { files: [{ docPath: "a.md", changes: [{ ...insert, afterLine: -1 }] }] };
    expect(await guest.refused("batch", wrong)).toMatch(
      /^INVALID_ARGUMENT: batch: [\s\S]*Example arguments: .*"docPath"/,
    );
    expect(await guest.refused("edit_documents", { files: [files[0]] })).toMatch(/no "docPath"/);
  });

  test("[MC34] changes nothing if one document cannot be edited, and names it with the reason", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES, "b.md": "other\n" });
    const files = ["a.md", "b.md"].map((path) => ({ path, replace }));
    expect(await guest.refused("batch", { files })).toMatch(/^NO_MATCH: b\.md: (?!b\.md)/);
    expect(await guest.refused("batch", { files: [files[0], { path: "c.md", replace }] })).toMatch(
      /^NOT_FOUND: c\.md/,
    );
    expect(await guest.refused("batch", { files: [{ path: "a.md" }] })).toMatch(
      /files\.0: Give exactly one of replace/,
    );
    expect(guest.bench.read("a.md")).toBe(NOTES);
  });
});

describe("propose", () => {
  test("[MC16] starts from the text that was read and changes nothing until approval, in each form", async () => {
    const forms: [form: object, becomes: string][] = [
      [{ replace: { old: "Monday", new: "Tuesday" } }, "# Notes\n\nTuesday at ten\nwith Bob\n"],
      [{ append: "bring tea\n" }, "# Notes\n\nMonday at ten\nwith Bob\nbring tea\n"],
      [{ text: NOTES.replace("ten", "noon") }, "# Notes\n\nMonday at noon\nwith Bob\n"],
      [{ patch: "@@ -4 +4,2 @@\n with Ada\n+and tea\n" }, "# Notes\n\nMonday at ten\nwith Bob\nand tea\n"],
    ];
    for (const [form, becomes] of forms) {
      const guest = await McpWorkspace.in({ "a.md": NOTES });
      await guest.say("read", { path: "a.md" });
      const bob = guest.colleague("bob");
      await bob.request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
      const said = await guest.say("propose", { path: "a.md", ...form, reasoning: "because" });
      expect(guest.bench.read("a.md")).toBe(NOTES.replace("Ada", "Bob"));
      await bob.request("proposal.approve", { id: /proposed as (\w+), pending/.exec(said)![1]! });
      expect(guest.bench.read("a.md")).toBe(becomes);
    }
  });

  test("[PL29] patches and proposals take the names of the requirements, unless two say different things", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    const diff = "@@\n-Monday at ten\n+Tuesday at ten\n";
    await guest.say("patch_document", { op: "patch", target_file: "a.md", diff });
    expect(await guest.say("read_document", { path: "a.md" })).toContain("Tuesday");
    await guest.say("propose_edit", { block: "a.md", strategy: "append", content: "x", field: "day" });
    expect(await guest.refused("propose_edit", { block: "a.md", path: "b.md", append: "x" })).toContain(
      "two names",
    );
  });

  test("[MC42] takes strategies by their names, with field and source_query", async () => {
    const strategies: [given: object, becomes: string][] = [
      [{ strategy: "append", content: "bring tea" }, `${NOTES}bring tea\n`],
      [
        { strategy: "replace", old_content: "Monday", content: "Tuesday" },
        NOTES.replace("Monday", "Tuesday"),
      ],
      [{ strategy: "full_replace", content: "new\n" }, "new\n"],
      [{ operation: "append", proposed_value: "bring tea" }, `${NOTES}bring tea\n`],
    ];
    for (const [given, becomes] of strategies) {
      const guest = await McpWorkspace.in({ "a.md": NOTES });
      await guest.say("read", { path: "a.md" });
      const named = { field: "day", source_query: "Which day?" };
      const said = await guest.say("propose", { path: "a.md", ...given, ...named });
      const id = /proposed as (\w+), pending/.exec(said)![1]!;
      const bob = guest.colleague("bob");
      expect(await bob.request("proposal.get", { id })).toMatchObject(named);
      await bob.request("proposal.approve", { id });
      expect(guest.bench.read("a.md")).toBe(becomes);
    }
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    for (const given of [{ strategy: "append" }, { strategy: "replace", content: "x" }, { content: "x" }])
      expect(await guest.refused("propose", { path: "a.md", ...given })).toMatch(/Give /);
  });

  test("[MC16] takes exactly one form, and refuses text that the document lacks", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    expect(await guest.refused("propose", { path: "a.md" })).toContain(
      "Give exactly one of replace, append, text and patch.",
    );
    expect(await guest.refused("propose", { path: "a.md", replace: { old: "Sunday", new: "x" } })).toMatch(
      /^NO_MATCH/,
    );
  });
});

describe("threads", () => {
  test("[MC43] shows what waits, and takes a thread; edits count as part of the answer, which ends it", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    expect(await guest.say("threads")).toBe("No thread waits for an answer.");
    const ada = guest.colleague("ada");
    const asked = { path: "a.md", role: "user", text: "on Tuesday, please" } as const;
    const { thread, messageId } = await ada.request("thread.append", {
      ...asked,
      anchor: { from: 9, to: 15 },
    });
    expect(await guest.say("threads")).toContain(`${thread}  a.md  ada: on Tuesday, please`);
    const taken = await guest.say("threads", { thread });
    expect(taken).toContain('ada (user) about "Monday" in a.md: on Tuesday, please');
    expect(taken).toContain(NOTES);
    expect((await ada.request("thread.get", { thread })).thread.lease).toMatchObject({
      author: "claude-code",
    });
    expect(await (await guest.another("cursor")).refused("threads", { thread })).toContain("OVERLOADED");
    await guest.say("edit", { path: "a.md", old: "Monday", new: "Tuesday" });
    await guest.say("propose", { path: "a.md", append: "x\n" });
    await guest.say("batch", { files: [{ path: "a.md", replace: { old: "ten", new: "noon" } }] });
    await guest.say("answer", { thread, text: "done" });
    const { messages } = await ada.request("thread.get", { thread });
    expect(messages).toMatchObject([
      { id: messageId, changes: [expect.any(String), expect.any(String)], proposals: [expect.any(String)] },
      { role: "assistant", text: "done", author: "claude-code", answers: messageId },
    ]);
    await guest.say("edit", { path: "a.md", old: "noon", new: "ten" });
    expect((await ada.request("thread.get", { thread })).messages[0]!.changes).toHaveLength(2);
  });

  test("[MC69] a session that takes its thread again sees it anew, and is not told to wait for itself", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    const ada = guest.colleague("ada");
    const asked = { path: "a.md", role: "user", text: "on Tuesday, please" } as const;
    const { thread } = await ada.request("thread.append", asked);
    await guest.say("threads", { thread });
    await guest.say("edit", { path: "a.md", old: "Monday", new: "Tuesday" });
    await ada.request("thread.append", { thread, role: "user", text: "and at noon" });
    const again = await guest.say("threads", { thread });
    expect(again).toContain("and at noon");
    expect(again).toContain("Tuesday");
    await guest.say("answer", { thread, text: "done" });
    expect(await guest.say("threads", { thread })).toContain("and at noon");
  });
});

describe("a document that the session has seen", () => {
  test("[MC5] in a version that the history no longer holds is not overwritten until it is read again", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES }, {}, { keepHistoryMs: 1 });
    await guest.say("read", { path: "a.md" });
    const bob = guest.colleague("bob");
    for (const text of ["1\n", "2\n"]) await bob.request("edit.append", { path: "a.md", text });
    const document = await guest.bench.document("a.md");
    await expect.poll(() => Date.now() - document.head.time).toBeGreaterThan(1);
    await expect.poll(() => document.mirror.sweep() ?? document.restful, { timeout: 5000 }).toBe(true);
    await document.compact({ leaving: true });
    await guest.bench.workspace.drop(document);
    expect(await guest.say("read", { path: "a.md", lines: [1, 2] })).toMatch(/changed since .* by others\n/);
    expect(await guest.refused("write", { path: "a.md", text: "mine\n" })).toMatch(
      /^VERSION_REQUIRED: .*\nRead/,
    );
    expect(guest.bench.read("a.md")).toBe(`${NOTES}1\n2\n`);
    await guest.say("read", { path: "a.md" });
    await guest.say("write", { path: "a.md", text: `${NOTES}3\n` });
    expect(guest.bench.read("a.md")).toBe(`${NOTES}3\n`);
  });

  test("[MC3] and that was moved since is edited from the seen version", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    const bob = guest.colleague("bob");
    await bob.request("doc.rename", { path: "a.md", to: "b.md" });
    expect(await guest.say("changes_since")).toMatch(/^b\.md {2}changed since 0-\w+ by bob$/);
    await bob.request("edit.replace", { path: "b.md", old: "Ada", new: "Bob" });
    const files = [{ path: "b.md", replace: { old: "Monday", new: "Tuesday" } }];
    expect(await guest.say("batch", { files })).toContain("the changes of bob");
    expect(await guest.say("edit", { path: "b.md", old: "Tuesday", new: "Friday" })).not.toContain("Merged");
    expect(guest.bench.read("b.md")).toBe("# Notes\n\nFriday at ten\nwith Bob\n");
  });

  test("[MC5] and that was deleted since is created again only by write", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.colleague("bob").request("doc.delete", { path: "a.md" });
    expect(await guest.refused("edit", { path: "a.md", old: "Ada", new: "x" })).toMatch(
      /^(NOT_FOUND|DELETED): /,
    );
    expect(await guest.say("write", { path: "a.md", text: "new\n" })).toMatch(/^a\.md: created/);
    expect(guest.bench.read("a.md")).toBe("new\n");
    expect(await guest.say("edit", { path: "a.md", old: "new", new: "newer" })).not.toContain("Merged");
  });
});

describe("the history", () => {
  test("[MC36] undo undoes own edits, newest first, and changes of others by their ids", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    expect(await guest.refused("undo")).toMatch(/no change in this session/);
    await guest.say("edit", { path: "a.md", old: "Monday", new: "Tuesday" });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    await guest.say("edit", { path: "a.md", old: "ten", new: "noon" });
    expect(await guest.say("undo")).toContain("-Tuesday at noon\n+Tuesday at ten");
    await guest.say("undo");
    expect(guest.bench.read("a.md")).toBe("# Notes\n\nMonday at ten\nwith Bob\n");
    const bobs = /^chg_\w+/.exec(await guest.say("history", { path: "a.md", agent: "bob" }))![0];
    await guest.say("undo", { changeId: bobs });
    expect(guest.bench.read("a.md")).toBe(NOTES);
  });

  test("[MC36] undo without an id takes back what the session did to files, too, and not an older edit", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES, "b.md": "b\n", "c.md": "c\n" });
    await guest.say("edit", { path: "a.md", old: "Monday", new: "Tuesday" });
    await guest.say("write", { path: "new.md", text: "new\n" });
    await guest.say("rename_document", { path: "b.md", to: "d.md" });
    await guest.say("delete_document", { path: "c.md" });
    expect(await guest.say("undo")).toMatch(/^c\.md: /);
    expect(guest.bench.read("c.md")).toBe("c\n");
    expect(await guest.say("undo")).toMatch(/^b\.md: /);
    expect(guest.bench.read("b.md")).toBe("b\n");
    expect(await guest.say("undo")).toMatch(/^new\.md: removed/);
    expect(() => guest.bench.read("new.md")).toThrow();
    expect(guest.bench.read("a.md")).toContain("Tuesday");
    await guest.say("undo");
    expect(guest.bench.read("a.md")).toBe(NOTES);
  });

  test("[MC7] history, blame and diff show authors and changes", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("edit", { path: "a.md", old: "Monday", new: "Tuesday", message: "moved" });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    const [newest, older] = (await guest.say("history", { path: "a.md" })).split("\n");
    expect(newest).toMatch(/^chg_\w+ {2}a\.md {2}2-\w+ {2}bob /);
    expect(older).toMatch(/claude-code .*"moved"/);
    expect(await guest.say("history", { limit: 1 })).toMatch(/… for older changes, pass before: "chg_/);
    expect(await guest.say("blame", { path: "a.md", lines: [4, 4] })).toMatch(/line 4, \d characters: bob, /);
    expect(await guest.say("diff", { path: "a.md" })).toContain(
      "-Monday at ten\n-with Ada\n+Tuesday at ten\n+with Bob",
    );
  });

  test("[MC96] history and changes_since tell what was created, renamed and deleted", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("write", { path: "new.md", text: "one\n" });
    await guest.say("rename_document", { path: "new.md", to: "moved.md" });
    expect(await guest.say("changes_since", { path: "moved.md" })).toContain("renamed new.md → moved.md");
    await guest.say("delete_document", { path: "moved.md" });
    const listed = (await guest.say("history", { limit: 3 })).split("\n");
    for (const [i, done] of ["deleted", "renamed new.md → moved.md", "created"].entries())
      expect(listed[i]).toMatch(new RegExp(`  ${done}$`));
  });

  test("[MC7, MC65] changes_since lists changes of others once, since a version that there was", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES, "b.md": "b\n" });
    await guest.say("read", { path: "a.md" });
    await guest.say("read", { path: "b.md" });
    guest.bench.save("a.md", `${NOTES}saved\n`);
    expect(await guest.say("changes_since")).toMatch(
      /^a\.md {2}changed since 0-\w+ by disk \(a save to the file\)$/,
    );
    const said = await guest.say("changes_since", { path: "a.md" });
    expect(said).toMatch(/chg_\w+ {2}a\.md {2}1-\w+ {2}disk/);
    expect(said).toContain("+saved");
    expect(await guest.say("changes_since", { path: "a.md" })).toMatch(/no changes/);
    expect(await guest.refused("changes_since", { path: "a.md", version: "no-such-version" })).toMatch(
      /^NOT_FOUND: the history of a\.md has no version "no-such-version"\n.*newest version is 1-\w+/,
    );
    expect(await guest.say("changes_since")).toMatch(/No document/);
  });

  test("[MC8, NM1] shows edits under the client's name, or the configured one", async () => {
    const guest = await McpWorkspace.in({ "a.md": "0" });
    const long = await guest.another(`${"x".repeat(99)}\u{1f600}`);
    for (const [host, name] of [
      [guest, "claude-code"],
      [await guest.another("cursor"), "cursor"],
      [await guest.another(" "), "mcp"],
      [await guest.another("claude-code", { agent: "reviewer" }), "reviewer"],
      [long, "x".repeat(99)],
      [await guest.another("spliced"), "spliced (mcp)"],
    ] as const) {
      await host.say("read", { path: "a.md" });
      await host.say("write", { path: "a.md", text: name });
      expect(await host.say("history", { limit: 1 })).toContain(` ${name} `);
    }
  });
});

describe("the rights of a token", () => {
  const rule = (glob: string, level: Level) => ({ glob, level, conflict: "merge" as const });

  test("[MC18] apply to every tool and resource", async () => {
    const guest = await McpWorkspace.in({ "open.md": NOTES, "shut.md": NOTES, "seen.md": NOTES });
    const host = await guest.holding([rule("open.md", "write"), rule("seen.md", "read")]);
    expect(await host.say("list")).toBe("open.md  32\nseen.md  32");
    await host.say("edit", { path: "open.md", old: "Monday", new: "Tuesday" });
    await host.say("read", { path: "seen.md" });
    expect(await host.refused("edit", { path: "seen.md", old: "Monday", new: "x" })).toMatch(
      /^PERMISSION_DENIED/,
    );
    for (const tool of ["read", "blame", "diff"])
      expect(await host.refused(tool, { path: "shut.md" }), tool).toMatch(/^(NOT_FOUND|PERMISSION_DENIED)/);
    const { resources } = await host.client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(["open.md", "seen.md"]);
    await expect(host.client.readResource({ uri: "spliced://doc/shut.md" })).rejects.toThrow();
  });

  test("[MC35] turn edits into proposals for a token that may only propose, and the answer says so", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    const host = await guest.holding([rule("**", "propose")]);
    await host.say("read", { path: "a.md" });
    for (const [tool, args] of [
      ["edit", { old: "Monday", new: "Tuesday" }],
      ["write", { text: "other\n" }],
    ] as const)
      expect(await host.say(tool, { path: "a.md", ...args })).toMatch(
        /became proposal \w+\. The document changes once a person approves it/,
      );
    expect(guest.bench.read("a.md")).toBe(NOTES);
  });
});
