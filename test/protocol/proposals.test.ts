import { describe, expect, test } from "vitest";
import { Rights } from "../../src/workspace/access/rights.ts";
import type { Message } from "./talk.ts";
import { greeted, Talk } from "./talk.ts";

const CARD = 'name = "Alice"\nage = 25';
const TO_BOB = {
  path: "card.toml",
  operation: "replace",
  old_content: 'name = "Alice"',
  proposed_value: 'name = "Bob"',
  reasoning: "User prefers Bob",
};

const idOf = ({ result }: Message) => result!["id"] as string;

describe("a proposal that replaces the document by a part of it", () => {
  const LINES = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);
  const TEXT = `${LINES.join("\n")}\n`;
  const shrinking: [what: string, params: object][] = [
    ["the whole", { operation: "replace", old_content: TEXT, proposed_value: LINES[3] }],
    [
      "nearly the whole",
      { operation: "replace", old_content: LINES.slice(1).join("\n"), proposed_value: `${LINES[3]}\n` },
    ],
    ["the whole, by nothing", { operation: "replace", old_content: TEXT, proposed_value: "" }],
    ["the whole text", { operation: "full_replace", proposed_value: LINES.slice(0, 5).join("\n") }],
  ];
  for (const [what, params] of shrinking)
    test(`[PO35] is made only once the question is answered: ${what}`, async () => {
      const talk = await greeted({ "a.md": TEXT });
      await talk.ask("doc.read", { path: "a.md" });
      const id = idOf(await talk.ask("proposal.create", { path: "a.md", ...params }));
      const { error } = await talk.ask("proposal.approve", { id });
      expect(error?.data).toMatchObject({ code: "CONFIRMATION_REQUIRED", details: { path: "a.md" } });
      expect(error?.data.details["removes"]).toContain("line 9");
      expect(error?.message).toContain("would remove");
      const confirm = error?.data.details["patch_id"];
      expect((await talk.ask("proposal.approve", { id, confirm: "approve_x" })).error).toBeDefined();
      expect(talk.bench.read("a.md")).toBe(TEXT);
      await talk.ask("edit.append", { path: "a.md", text: "more\n" });
      const moved = (await talk.ask("proposal.approve", { id, confirm })).error;
      expect(moved?.data.code).toBe("CONFIRMATION_REQUIRED");
      const again = moved?.data.details["patch_id"];
      expect((await talk.ask("proposal.approve", { id, confirm: again })).error).toBeUndefined();
      expect(talk.bench.read("a.md")).not.toContain("line 9");
    });

  const plain: [what: string, params: object][] = [
    [
      "a small part goes",
      { operation: "replace", old_content: TEXT, proposed_value: LINES.slice(1).join("\n") },
    ],
    ["a snippet goes", { operation: "replace", old_content: "line 7\nline 8\n", proposed_value: "" }],
    ["another text comes", { operation: "full_replace", proposed_value: "new\n" }],
  ];
  for (const [what, params] of plain)
    test(`[PO35] no question where ${what}`, async () => {
      const talk = await greeted({ "a.md": TEXT });
      await talk.ask("doc.read", { path: "a.md" });
      const id = idOf(await talk.ask("proposal.create", { path: "a.md", ...params }));
      expect((await talk.ask("proposal.approve", { id })).error).toBeUndefined();
    });
});

describe("proposals on the wire", () => {
  test("[PO12] are created, listed, returned and approved, and subscribers are notified of each step", async () => {
    const talk = await greeted({ "card.toml": CARD });
    await talk.ask("subscribe", { path: "card.toml" });
    const made = await talk.ask("proposal.create", TO_BOB);
    const id = idOf(made);
    expect(made.result).toMatchObject({ status: "pending", author: "tester", agent_id: "owner/tester" });
    const listed = await talk.ask("proposal.list", { path: "card.toml", status: "pending" });
    expect(listed.result).toEqual({ proposals: [made.result], more: false });
    expect((await talk.ask("proposal.get", { id })).result).toEqual(made.result);
    const approved = await talk.ask("proposal.approve", { id, hunks: [1] });
    const edit = { path: "card.toml", splices: [{ from: 8, to: 13, insert: "Bob" }], mirrored: true };
    expect(approved.result).toMatchObject({ id, status: "approved", reviewer: "tester", edit });
    expect(talk.bench.read("card.toml")).toBe('name = "Bob"\nage = 25');
    const applied_change = approved.result!["applied_change"];
    expect(talk.told("doc.changed")[0]?.params).toMatchObject({
      origin: "proposal",
      changeId: applied_change,
    });
    expect(talk.told("proposal.changed").map(({ params }) => params)).toMatchObject([
      { path: "card.toml", id, status: "pending", reviewer: null, applied_change: null },
      { path: "card.toml", id, status: "approved", reviewer: "tester", applied_change },
    ]);
    expect((await talk.ask("proposal.list", { status: "pending" })).result).toEqual({
      proposals: [],
      more: false,
    });
  });

  test("[PO12] are rejected with a reason", async () => {
    const talk = await greeted({ "card.toml": CARD });
    const id = idOf(await talk.ask("proposal.create", TO_BOB));
    const rejected = await talk.ask("proposal.reject", { id, reason: "no" });
    expect(rejected.result).toMatchObject({ id, status: "rejected", reason: "no" });
    expect(talk.bench.read("card.toml")).toBe(CARD);
  });

  test("[PO50] are withdrawn by their author, who may only propose, and by no other such agent", async () => {
    const owner = await greeted({ "card.toml": CARD });
    await owner.ask("subscribe", { path: "card.toml" });
    const rights = new Rights([{ glob: "**", level: "propose", conflict: "merge" }]);
    const ann = await owner.again({ name: "ann", rights });
    const bob = await owner.again({ name: "bob", rights });
    const id = idOf(await ann.ask("proposal.create", TO_BOB));
    expect((await bob.ask("proposal.reject", { id })).error?.data).toMatchObject({
      code: "PERMISSION_DENIED",
      details: { level: "propose", needed: "write" },
    });
    const record = { id, status: "rejected", withdrawn: true, user_id: "ann/tester", reason: "better idea" };
    expect((await ann.ask("proposal.reject", { id, reason: "better idea" })).result).toMatchObject(record);
    expect((await owner.ask("proposal.get", { id })).result).toMatchObject(record);
    expect(owner.told("proposal.changed").at(-1)!.params).toMatchObject({ id, status: "rejected" });
    expect((await ann.ask("proposal.reject", { id })).error?.data.details).toMatchObject({ status: 409 });
    const other = idOf(await ann.ask("proposal.create", TO_BOB));
    expect((await ann.ask("proposal.approve", { id: other })).error?.data.code).toBe("PERMISSION_DENIED");
    const rejected = (await owner.ask("proposal.reject", { id: other })).result;
    expect(rejected).toMatchObject({ status: "rejected", user_id: "owner/tester" });
    expect(rejected).not.toHaveProperty("withdrawn");
  });

  test("[PO11] of an edit or a batch answer that no file has the change", async () => {
    const owner = await greeted({ "a.md": "a\n" });
    const rights = new Rights([{ glob: "**", level: "propose", conflict: "merge" }]);
    const ann = await owner.again({ name: "ann", rights });
    const edit = await ann.ask("edit.append", { path: "a.md", text: "b\n" });
    expect(edit.result).toMatchObject({ changeId: null, mirrored: false, durable: true, splices: [] });
    const { version } = edit.result!;
    const batch = await ann.ask("batch.apply", { files: [{ docPath: "a.md", version, text: "b\n" }] });
    expect(batch.result).toMatchObject({ successful: true, result: { files: [{ mirrored: false }] } });
    expect(owner.bench.read("a.md")).toBe("a\n");
  });

  test("[PO8] are approved once, by the faster of two windows", async () => {
    const bench = (await greeted({ "card.toml": CARD })).bench;
    const windows = [new Talk(bench), new Talk(bench)] as const;
    await windows[0].hello({ agent: { name: "left" } });
    await windows[1].hello({ agent: { name: "right" } });
    const id = idOf(await windows[0].ask("proposal.create", TO_BOB));
    const answers = await Promise.all(windows.map((window) => window.ask("proposal.approve", { id })));
    expect(answers[0]?.result).toMatchObject({ status: "approved", reviewer: "left" });
    expect(answers[1]?.error).toMatchObject({
      code: -32014,
      message: expect.stringMatching(/was approved by left at \d{4}-/),
      data: { code: "CONFLICT", details: { status: 409 } },
    });
  });

  test("[PO12] have positions in the connection's unit", async () => {
    const talk = await greeted({ "a.md": "\u{1f600} one" }, { positionEncoding: "utf-16" });
    const wish = { path: "a.md", operation: "replace", old_content: "one", proposed_value: "two" };
    const id = idOf(await talk.ask("proposal.create", wish));
    const { result } = await talk.ask("proposal.approve", { id });
    expect(result?.["edit"]).toMatchObject({ splices: [{ from: 3, to: 6, insert: "two" }] });
  });

  const wrong: [method: string, params: object][] = [
    ["proposal.create", { path: "card.toml" }],
    ["proposal.create", { ...TO_BOB, operation: "erase" }],
    ["proposal.create", { ...TO_BOB, confidence: "sure" }],
    ["proposal.create", { ...TO_BOB, status: "approved" }],
    ["proposal.create", { path: "card.toml", operation: "replace", proposed_value: "x" }],
    ["proposal.approve", { id: "x", hunks: [] }],
    ["proposal.approve", { id: "x", hunks: [0] }],
    ["proposal.list", { status: "open" }],
  ];
  for (const [method, params] of wrong)
    test(`[PO3] ${method} ${JSON.stringify(params).slice(0, 60)} is refused`, async () => {
      const talk = await greeted({ "card.toml": CARD });
      expect((await talk.ask(method, params)).error?.data.code).toBe("INVALID_ARGUMENT");
      expect((await talk.ask("proposal.list", {})).result).toEqual({ proposals: [], more: false });
    });
});
