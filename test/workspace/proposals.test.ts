import { describe, expect, test, vi } from "vitest";
import { StoreError } from "../../src/store/store.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import type { EditResult } from "../../src/workspace/edits/request.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planAppend, planWrite } from "../../src/workspace/planners/whole.ts";
import type { ProposalQuery } from "../../src/workspace/proposals/page.ts";
import type { ProposeRequest } from "../../src/workspace/proposals/proposer.ts";
import { proposalShelf } from "../../src/workspace/proposals/record.ts";
import { noHunk } from "../../src/workspace/proposals/refusals.ts";
import type { ShownProposal } from "../../src/workspace/proposals/show.ts";
import { ALICE, accepted, Bench, BOB, EXPIRE_DAYS, refused } from "./harness.ts";

const PERSON = { name: "pat", agent: "owner/pat", rights: FULL_RIGHTS };
const CARD = 'name = "Alice"\nage = 25';
const TO_BOB = {
  path: "card.toml",
  operation: "replace",
  oldContent: 'name = "Alice"',
  proposedValue: 'name = "Bob"',
} as const;
const DAY_MS = 24 * 60 * 60 * 1000;

async function propose(bench: Bench, request: ProposeRequest): Promise<ShownProposal> {
  return accepted(await bench.proposals.create(ALICE, request));
}

async function approve(bench: Bench, id: string, hunks?: number[]) {
  return accepted(await bench.proposals.approve(PERSON, { id, hunks }));
}

async function get(bench: Bench, { id }: { id: string }): Promise<ShownProposal> {
  return accepted(await bench.proposals.get(ALICE, id));
}

/** Alice's proposal to make one text of another. */
const wish = (oldContent: string, proposedValue: string, path = "a.md"): ProposeRequest => ({
  path,
  operation: "replace",
  oldContent,
  proposedValue,
});

const listed = async (bench: Bench, query: ProposalQuery = {}) =>
  accepted(await bench.proposals.list(ALICE, query)).proposals;

const edit = (bench: Bench, old: string, updated: string) =>
  bench.edit(BOB, { path: "a.md", plan: planReplace(old, updated, "first") });

const numbered = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`);
const events = (bench: Bench) => bench.events.flatMap((e) => (e.type === "proposal" ? [e.status] : []));

describe("a proposal", () => {
  test("[PO1] of S0: shown as a red and a green line, approving changes only that line", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const proposal = await propose(bench, { ...TO_BOB, reasoning: "User prefers Bob", field: "name" });
    expect(proposal.diff).toContain('\n-name = "Alice"\n+name = "Bob"\n');
    expect(bench.read("card.toml")).toBe(CARD);
    const approved = await approve(bench, proposal.id);
    expect(bench.read("card.toml")).toBe('name = "Bob"\nage = 25');
    expect(approved.proposal).toMatchObject({ status: "approved", reviewer: "pat", userId: "owner/pat" });
    expect(approved.results[0]!.changeId).toBe(approved.proposal.appliedChange);
  });

  test("[PO1] keeps every field, also over a restart", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const made = await propose(bench, { ...TO_BOB, confidence: "high", sourceQuery: "who am I?" });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^prop_/),
      path: "card.toml",
      field: null,
      operation: "replace",
      currentValue: 'name = "Alice"',
      proposedValue: 'name = "Bob"',
      reasoning: "No reasoning provided",
      confidence: "high",
      sourceQuery: "who am I?",
      status: "pending",
      reviewedAt: null,
      appliedChange: null,
      agentId: ALICE.agent,
      author: "alice",
      userId: null,
      reviewer: null,
      reason: null,
      stale: false,
    });
    expect(Date.parse(made.createdAt)).not.toBeNaN();
    await bench.restart();
    expect(await get(bench, made)).toEqual(made);
    await approve(bench, made.id);
    expect(bench.read("card.toml")).toBe('name = "Bob"\nage = 25');
  });

  test("[PO18] approved is the proposer's change, with the start of its reasoning as message", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const reasoning = `${"why\n".repeat(19)}abc\u{1f600}`;
    await approve(bench, (await propose(bench, { ...TO_BOB, reasoning })).id);
    expect((await bench.document("card.toml")).head).toMatchObject({
      author: "alice",
      agent: ALICE.agent,
      origin: "proposal",
      message: `${"why ".repeat(19)}abc`,
    });
  });

  test("[PO2] says what it would replace: the snippet, nothing, the whole text, or nothing", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\n" });
    const patch = "@@ -1 +1 @@\n-one\n+1\n";
    const wishes: [Omit<ProposeRequest, "path">, string][] = [
      [{ operation: "replace", oldContent: "one", proposedValue: "1" }, "one"],
      [{ operation: "append", proposedValue: "three" }, ""],
      [{ operation: "full_replace", proposedValue: "1\n" }, "one\ntwo\n"],
      [{ operation: "patch", patch }, ""],
    ];
    for (const [request, currentValue] of wishes)
      expect(await propose(bench, { path: "a.md", ...request })).toMatchObject({ currentValue });
  });

  test("[PO19] replaces the first occurrence only", async () => {
    const bench = new Bench({ "a.md": "x\nx\n" });
    await approve(bench, (await propose(bench, wish("x", "y"))).id);
    expect(bench.read("a.md")).toBe("y\nx\n");
  });

  const appended: [before: string, after: string][] = [
    ["a\n", "a\nx\ny\n"],
    ["a", "a\nx\ny"],
    ["", "x\ny\n"],
    ["a\r\n", "a\r\nx\r\ny\r\n"],
  ];
  for (const [before, after] of appended)
    test(`[PO20] appends whole lines: two at the end of ${JSON.stringify(before)}`, async () => {
      const bench = new Bench({ "a.md": before });
      const ends = ["x", "y\n"].map((proposedValue) => ({
        path: "a.md",
        operation: "append" as const,
        proposedValue,
      }));
      const made = [await propose(bench, ends[0]!), await propose(bench, ends[1]!)];
      for (const { id } of made) await approve(bench, id);
      expect(bench.read("a.md")).toBe(after);
    });

  const wrong: [name: string, request: Omit<ProposeRequest, "path">, code: string, message: RegExp][] = [
    [
      "no old content",
      { operation: "replace", proposedValue: "x" },
      "INVALID_ARGUMENT",
      /no old content specified/,
    ],
    [
      "old content that is not there",
      { operation: "replace", oldContent: `two.\n${"z".repeat(60)}`, proposedValue: "x" },
      "NO_MATCH",
      /old content not found: expected "two\.\\nz{45}\.\.\."; the document may have changed since .*line 2 is "two" instead of "two\."/,
    ],
    ["no value", { operation: "append" }, "INVALID_ARGUMENT", /append needs proposed_value/],
    [
      "a patch that goes with nothing",
      { operation: "append", proposedValue: "x", patch: "y" },
      "INVALID_ARGUMENT",
      /patch does not go with append/,
    ],
    [
      "a patch that does not fit",
      { operation: "patch", patch: "@@ -1 +1 @@\n-uno\n+1\n" },
      "PATCH_REJECTED",
      /./,
    ],
    [
      "nothing that is not there already",
      { operation: "full_replace", proposedValue: "one\ntwo\n" },
      "INVALID_ARGUMENT",
      /already has this text/,
    ],
    [
      "what would be too large",
      { operation: "append", proposedValue: "x".repeat(2 << 20) },
      "TOO_LARGE",
      /./,
    ],
  ];
  for (const [name, request, code, message] of wrong)
    test(`[PO3] with ${name} is refused, and nothing of it is kept`, async () => {
      const bench = new Bench({ "a.md": "one\ntwo\n" });
      const refusal = refused(await bench.proposals.create(ALICE, { path: "a.md", ...request }));
      expect(refusal.code).toBe(code);
      expect(refusal.message).toMatch(message);
      expect(await listed(bench)).toEqual([]);
    });

  test("[PO21] with the same opId is the first one, at once and after a restart", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const request = { ...wish("one", "1"), opId: "op-1" };
    const [first, second] = await Promise.all([propose(bench, request), propose(bench, request)]);
    await bench.restart();
    expect([second!.id, (await propose(bench, request)).id]).toEqual([first!.id, first!.id]);
    expect(accepted(await bench.proposals.create(BOB, request)).id).not.toBe(first!.id);
  });

  test("[PO3] against an older version is resolved there", async () => {
    const bench = new Bench({ "a.md": "the cat sat\n" });
    const { version } = await bench.document("a.md");
    accepted(await edit(bench, "cat", "dog"));
    const proposal = await propose(bench, { ...wish("cat sat", "cat ran"), version });
    expect(proposal).toMatchObject({ stale: true, base: version, conflicts: [] });
    await approve(bench, proposal.id);
    expect(bench.read("a.md")).toBe("the dog ran\n");
  });
});

describe("while a proposal waits", () => {
  test("[PO4] edits and saves stay: it is shown against the text as it is now, and lands there", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\nthree\n" });
    const made = await propose(bench, wish("two", "2"));
    accepted(await edit(bench, "one", "zero\none"));
    bench.save("a.md", "zero\none\ntwo\nthree\nfour\n");
    const shown = await get(bench, made);
    expect(shown).toMatchObject({
      stale: true,
      status: "pending",
      conflicts: [],
      version: (await bench.document("a.md")).version,
    });
    expect(shown.diff).toContain("@@ -1,5 +1,5 @@\n zero\n one\n-two\n+2\n three\n four\n");
    await approve(bench, made.id);
    expect(bench.read("a.md")).toBe("zero\none\n2\nthree\nfour\n");
  });

  test("[PO23] of a whole text deletes nothing that came since its base", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\n" });
    const made = await propose(bench, {
      path: "a.md",
      operation: "full_replace",
      proposedValue: "one\n2\n",
    });
    bench.save("a.md", "intro\n\none\ntwo\n\nmuch that was written since\n");
    await approve(bench, made.id);
    expect(bench.read("a.md")).toBe("intro\n\none\n2\n\nmuch that was written since\n");
  });

  test("[PO4] several of one document are approved in any order", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\nthree\n" });
    const made = [await propose(bench, wish("one", "1")), await propose(bench, wish("three", "3"))];
    const written = {
      path: "a.md",
      operation: "full_replace",
      proposedValue: "one\n2\nthree\nfour\n",
    } as const;
    made.push(await propose(bench, written));
    for (const { id } of made.reverse()) await approve(bench, id);
    expect(bench.read("a.md")).toBe("1\n2\n3\nfour\n");
  });

  test("[PO5] later edits of the same characters are conflicts: it is refused and stays pending", async () => {
    const bench = new Bench({ "a.md": "intro\nsay hello to all\n" });
    const made = await propose(bench, wish("hello to all", "goodbye"));
    accepted(await edit(bench, "hello", "moin"));
    expect(await get(bench, made)).toMatchObject({
      status: "pending",
      conflicts: [
        { lines: [2, 2], was: "say hello to all\n", now: "say moin to all\n", proposed: "say goodbye\n" },
      ],
    });
    for (const hunks of [undefined, [1]])
      expect(await bench.proposals.approve(PERSON, { id: made.id, hunks })).toMatchObject({
        code: "CONFLICT",
        message: expect.stringMatching(
          /expected: "hello to all".*line 2 now reads "say moin to all".*stays pending/,
        ),
        details: { status: 409 },
      });
    expect(bench.read("a.md")).toBe("intro\nsay moin to all\n");
    accepted(await edit(bench, "moin", "hello"));
    await approve(bench, made.id);
    expect(bench.read("a.md")).toBe("intro\nsay goodbye\n");
  });

  test("[PO24] that all of it is there already, or its target is gone, makes it superseded", async () => {
    const bench = new Bench({ "a.md": "one\nname = Alice\n" });
    const [same, other, gone] = [
      await propose(bench, wish("Alice", "Robert")),
      await propose(bench, wish("Alice", "Carol")),
      await propose(bench, wish("one\n", "1\n")),
    ];
    await approve(bench, (await propose(bench, wish("Alice", "Robert"))).id);
    bench.save("a.md", "name = Robert\n");
    expect(await bench.text("a.md")).toBe("name = Robert\n");
    for (const made of [same, other, gone])
      expect(refused(await bench.proposals.approve(PERSON, { id: made.id })).message).toContain("superseded");
    await bench.restart();
    for (const made of [same, other, gone]) expect((await get(bench, made)).status).toBe("superseded");
    expect(events(bench).filter((status) => status === "superseded")).toHaveLength(3);
    expect(bench.read("a.md")).toBe("name = Robert\n");
  });

  test("[PO7] its document may be renamed, by us or by anybody, and it follows", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\n" });
    const made = await propose(bench, wish("two", "2"));
    accepted(await bench.workspace.rename(BOB, await bench.document("a.md"), "b.md"));
    expect((await get(bench, made)).path).toBe("b.md");
    bench.rename("b.md", "c.md");
    await bench.document("c.md");
    expect(await listed(bench, { path: "c.md" })).toMatchObject([{ id: made.id, path: "c.md" }]);
    await approve(bench, made.id);
    expect(bench.read("c.md")).toBe("one\n2\n");
  });

  test("[PO26] its document may be deleted: it waits until that is back, or is rejected", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\n" });
    const [made, unwanted] = [await propose(bench, wish("two", "2")), await propose(bench, wish("one", "1"))];
    bench.remove("a.md");
    expect(refused(await bench.proposals.approve(PERSON, { id: made.id })).code).toBe("DELETED");
    expect(await get(bench, made)).toMatchObject({
      status: "pending",
      problem: expect.stringContaining("deleted"),
      hunks: [],
    });
    accepted(await bench.proposals.reject(PERSON, unwanted.id, null));
    accepted(await bench.workspace.restore(BOB, "a.md"));
    await approve(bench, made.id);
    expect(bench.read("a.md")).toBe("one\n2\n");
  });

  async function compacted(bench: Bench) {
    const document = await bench.document("a.md");
    await expect.poll(() => document.mirror.sweep() ?? document.restful, { timeout: 5000 }).toBe(true);
    await document.compact({ leaving: true });
    await bench.workspace.drop(document);
    return document;
  }

  for (const limits of [{}, { keepHistoryMs: 1 }])
    test(`[PO27] its base is kept, whatever is compacted, with ${JSON.stringify(limits)}`, async () => {
      const bench = new Bench({ "a.md": "one\ntwo\n" }, limits);
      accepted(await edit(bench, "one\n", "zero\none\n"));
      const made = await propose(bench, wish("two", "2"));
      const { store } = bench.workspace.ports;
      for (let i = 0; i < 70; i++)
        accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend(`${i}\n`), ack: "durable" }));
      const { id, head } = await compacted(bench);
      expect(store.snapshot(id)!.seq).toBe(head.seq);
      expect(store.oldest(id)!.seq).toBe("keepHistoryMs" in limits ? 1 : 0);
      await approve(bench, made.id);
      expect(bench.read("a.md")).toMatch(/^zero\none\n2\n0\n1\n(\d+\n)*69\n$/);
    });

  test("[PO7] once reviewed it stays so when its history is dropped", async () => {
    const bench = new Bench({ "a.md": "one\n" }, { keepHistoryMs: 1 });
    const made = await propose(bench, wish("one", "1"));
    const [applied] = (await approve(bench, made.id)).results as [EditResult];
    for (let i = 0; i < 3; i++) accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend("x") }));
    await expect.poll(async () => Date.now() - (await bench.document("a.md")).head.time).toBeGreaterThan(1);
    const { id } = await compacted(bench);
    expect(bench.workspace.ports.store.oldest(id)!.seq).toBeGreaterThan(1);
    expect(await get(bench, made)).toMatchObject({ status: "approved", appliedChange: applied.changeId });
  });
});

describe("a list", () => {
  test("[PO30] has the newest first, so many, of one document or in one status", async () => {
    const bench = new Bench({ "a.md": "one\n", "b.md": "one\n" });
    const clock = vi.spyOn(bench.workspace.ports.clock, "now");
    const ids: string[] = [];
    for (const [i, path] of ["a.md", "b.md", "a.md"].entries()) {
      clock.mockReturnValue(Date.now() + i);
      ids.unshift((await propose(bench, wish("one", `${i}`, path))).id);
    }
    clock.mockRestore();
    const idsOf = async (query: ProposalQuery) => (await listed(bench, query)).map(({ id }) => id);
    expect(await idsOf({})).toEqual(ids);
    expect(await idsOf({ path: "b.md" })).toEqual([ids[1]]);
    expect(await bench.proposals.list(ALICE, { limit: 2 })).toMatchObject({
      more: true,
      proposals: [{}, {}],
    });
    await approve(bench, ids[1]!);
    expect(await idsOf({ status: "pending" })).toEqual([ids[0], ids[2]]);
    expect(await idsOf({ status: "approved" })).toEqual([ids[1]]);
  });
});

describe("a review", () => {
  const three = numbered.with(1, "LINE 2\n").with(14, "LINE 15\n").with(28, "LINE 29\n").join("");
  const propose3 = (bench: Bench) =>
    propose(bench, { path: "a.md", operation: "full_replace", proposedValue: three });

  test("[PO33, PO48] of some hunks applies those; the rest stays pending with its numbers", async () => {
    const bench = new Bench({ "a.md": numbered.join("") });
    const made = await propose3(bench);
    expect(made.hunks).toHaveLength(3);
    const first = await approve(bench, made.id, [3, 1]);
    expect(bench.read("a.md")).toBe(numbered.with(1, "LINE 2\n").with(28, "LINE 29\n").join(""));
    expect(first.proposal).toMatchObject({
      status: "pending",
      reviewer: "pat",
      appliedChange: first.results[0]!.changeId,
    });
    expect(first.proposal.hunks.map(({ number, diff }) => [number, diff.includes("+LINE 15\n")])).toEqual([
      [2, true],
    ]);
    await bench.restart();
    accepted(await edit(bench, "line 1\n", "line 0\nline 1\n"));
    expect(refused(await bench.proposals.approve(PERSON, { id: made.id, hunks: [1] }))).toMatchObject({
      message: `${made.id} has no hunk 1; it waits with the hunk 2`,
    });
    expect((await approve(bench, made.id, [2])).proposal).toMatchObject({ status: "approved", hunks: [] });
    expect(bench.read("a.md")).toBe(`line 0\n${three}`);
    expect((await get(bench, made)).approvals).toMatchObject([
      { changes: [{ change: first.results[0]!.changeId }], reviewer: "pat" },
      { changes: [{ change: (await bench.document("a.md")).head.id }] },
    ]);
  });

  test("[PO6] of a hunk that is not there is refused", async () => {
    const bench = new Bench({ "a.md": numbered.join("") });
    const { id } = await propose3(bench);
    expect(refused(await bench.proposals.approve(PERSON, { id, hunks: [4] }))).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: `${id} has no hunk 4; it waits with the hunks 1, 2, 3`,
    });
    expect(bench.read("a.md")).toBe(numbered.join(""));
  });

  test("[PO6] of a hunk where none is open is refused in these words", () => {
    expect(noHunk("prop_1", 2, []).message).toBe("prop_1 has no hunk 2; no hunk of it is open");
  });

  test("[PO48] of the hunks one by one approves each as it was first numbered", async () => {
    const bench = new Bench({ "a.md": numbered.join("") });
    const { id } = await propose3(bench);
    await approve(bench, id, [1]);
    await approve(bench, id, [2]);
    expect(bench.read("a.md")).toBe(numbered.with(1, "LINE 2\n").with(14, "LINE 15\n").join(""));
    await approve(bench, id, [3]);
    expect(bench.read("a.md")).toBe(three);
  });

  test("[PO48] of a hunk beside one that somebody else made counts as before", async () => {
    const bench = new Bench({ "a.md": numbered.join("") });
    const { id } = await propose3(bench);
    accepted(await edit(bench, "line 2\n", "LINE 2\n"));
    expect((await get(bench, { id })).hunks.map(({ number }) => number)).toEqual([2, 3]);
    await approve(bench, id, [3]);
    expect(bench.read("a.md")).toBe(numbered.with(1, "LINE 2\n").with(28, "LINE 29\n").join(""));
  });

  test("[PO48] counts the hunks of each context by themselves", async () => {
    const bench = new Bench({ "a.md": numbered.join("") });
    const proposedValue = numbered.with(1, "LINE 2\n").with(3, "LINE 4\n").with(28, "LINE 29\n").join("");
    const { id } = await propose(bench, { path: "a.md", operation: "full_replace", proposedValue });
    accepted(await bench.proposals.approve(PERSON, { id, hunks: [1], context: 0 }));
    const numbersOf = async (context: number) =>
      accepted(await bench.proposals.get(PERSON, id, context)).hunks.map(({ number }) => number);
    expect(await numbersOf(0)).toEqual([2, 3]);
    expect(await numbersOf(3)).toEqual([1, 2]);
  });

  test("[PO49] of hunks whose first text is lost names the version that was shown", async () => {
    const bench = new Bench({ "a.md": numbered.join("") });
    const { id } = await propose3(bench);
    await approve(bench, id, [1]);
    const { store } = bench.workspace.ports;
    const record = { ...store.shelved(proposalShelf, id)!, base: "9-gone" };
    await store.shelve({ shelf: proposalShelf, id, record });
    await bench.restart();
    expect(refused(await bench.proposals.approve(PERSON, { id, hunks: [2] }))).toMatchObject({
      code: "STALE_VERSION",
      details: { status: 409 },
    });
    expect(bench.read("a.md")).toBe(numbered.with(1, "LINE 2\n").join(""));
    const { version, hunks } = await get(bench, { id });
    expect(hunks.map(({ number }) => number)).toEqual([1, 2]);
    accepted(await bench.proposals.approve(PERSON, { id, hunks: [2], version: version! }));
    expect(bench.read("a.md")).toBe(numbered.with(1, "LINE 2\n").with(28, "LINE 29\n").join(""));
  });

  test("[PO56] of a hunk that two grew into names the version that was shown", async () => {
    const bench = new Bench({ "a.md": numbered.join("") });
    const { id } = await propose3(bench);
    accepted(await edit(bench, numbered.slice(3, 13).join(""), "between\n"));
    const { version, hunks } = await get(bench, { id });
    expect(hunks.map(({ number }) => number)).toEqual([4, 3]);
    expect(refused(await bench.proposals.approve(PERSON, { id, hunks: [3, 4] }))).toMatchObject({
      code: "STALE_VERSION",
      details: { status: 409, version },
    });
    await approve(bench, id, [3]);
    const seen = await get(bench, { id });
    accepted(await bench.proposals.approve(PERSON, { id, hunks: [4], version: seen.version! }));
    expect(bench.read("a.md")).toMatch(/^line 1\nLINE 2\nline 3\nbetween\nline 14\nLINE 15\n/);
  });

  test("[PO25] of what was shown at another version is refused", async () => {
    const bench = new Bench({ "a.md": numbered.join("") });
    const { id, version } = await propose3(bench);
    accepted(await edit(bench, "line 8", "line eight"));
    const stale = await bench.proposals.approve(PERSON, { id, hunks: [1], version: version! });
    expect(refused(stale)).toMatchObject({ code: "CONFLICT", details: { status: 409 } });
    const seen = await get(bench, { id });
    accepted(await bench.proposals.approve(PERSON, { id, hunks: [1], version: seen.version! }));
  });

  test("[PO8] is done once: of two at once the second is told by whom, when, and what came of it", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const { id } = await propose(bench, TO_BOB);
    const [first, second] = await Promise.all([
      bench.proposals.approve(PERSON, { id }),
      bench.proposals.approve(BOB, { id }),
    ]);
    const { reviewedAt, appliedChange } = accepted(first!).proposal;
    expect(refused(second!)).toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining(`was approved by pat at ${reviewedAt}`),
      details: {
        status: 409,
        proposal: { id, status: "approved", reviewer: "pat", appliedChange },
      },
    });
    expect(refused(await bench.proposals.reject(BOB, id, null)).message).toContain("was approved by pat");
    expect(bench.events.filter(({ type }) => type === "changed")).toHaveLength(1);
  });

  test("[PO28] that rejects changes nothing, and says why", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const { id } = await propose(bench, TO_BOB);
    const rejected = accepted(await bench.proposals.reject(PERSON, id, "her name is Alice"));
    expect(rejected).toMatchObject({
      status: "rejected",
      reviewer: "pat",
      reason: "her name is Alice",
      appliedChange: null,
    });
    expect(refused(await bench.proposals.approve(BOB, { id })).message).toContain("was rejected by pat");
    expect(bench.read("card.toml")).toBe(CARD);
    expect(events(bench)).toEqual(["pending", "rejected"]);
  });

  test("[PO8] of one that is not there is refused", async () => {
    const bench = new Bench({});
    expect(refused(await bench.proposals.approve(PERSON, { id: "prop_x" })).code).toBe("NOT_FOUND");
    expect(refused(await bench.proposals.get(ALICE, "prop_x")).code).toBe("NOT_FOUND");
  });

  test("[PO9] comes too late when the proposal has expired", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const { id, createdAt } = await propose(bench, TO_BOB);
    const now = vi.spyOn(bench.workspace.ports.clock, "now");
    now.mockReturnValue(Date.parse(createdAt) + EXPIRE_DAYS * DAY_MS - 1);
    expect((await get(bench, { id })).status).toBe("pending");
    now.mockReturnValue(Date.parse(createdAt) + EXPIRE_DAYS * DAY_MS);
    expect(refused(await bench.proposals.approve(PERSON, { id }))).toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("has expired"),
    });
    now.mockRestore();
    expect((await get(bench, { id })).status).toBe("expired");
    expect(bench.read("card.toml")).toBe(CARD);
  });

  test("[PO9] is told of when the daemon starts", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const { createdAt } = await propose(bench, TO_BOB);
    await bench.proposals.expire();
    const now = vi.spyOn(bench.workspace.ports.clock, "now");
    now.mockReturnValue(Date.parse(createdAt) + EXPIRE_DAYS * DAY_MS);
    await bench.proposals.expire();
    now.mockRestore();
    expect(events(bench)).toEqual(["pending", "expired"]);
  });
});

describe("a store that refuses", () => {
  const full = () => Promise.reject(new StoreError("full", "no space left"));

  test("[PO10] leaves the proposal pending and the text as it was", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const { id } = await propose(bench, TO_BOB);
    const append = vi.spyOn(bench.workspace.ports.store, "append").mockImplementation(full);
    expect(refused(await bench.proposals.approve(PERSON, { id })).code).toBe("STORAGE_FULL");
    append.mockRestore();
    expect(await get(bench, { id })).toMatchObject({
      status: "pending",
      reviewer: null,
      appliedChange: null,
    });
    expect(bench.read("card.toml")).toBe(CARD);
    expect(events(bench)).toEqual(["pending"]);
    await bench.restart();
    await approve(bench, id);
    expect(bench.read("card.toml")).toBe('name = "Bob"\nage = 25');
  });

  test("[PO29] and takes back a change that an approval stood on, takes back the approval", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const { id } = await propose(bench, TO_BOB);
    const document = await bench.document("card.toml");
    await approve(bench, id);
    const { seq } = document.head;
    await bench.restart(() => undefined);
    await bench.workspace.ports.store.truncate(document.id, seq);
    expect(await listed(bench, { status: "pending" })).toMatchObject([
      { id, appliedChange: null, reviewedAt: null },
    ]);
  });

  test("[PO10] refuses a proposal, and a rejection, that it cannot keep", async () => {
    const bench = new Bench({ "card.toml": CARD });
    const { id } = await propose(bench, TO_BOB);
    const shelve = vi.spyOn(bench.workspace.ports.store, "shelve").mockImplementation(full);
    expect(refused(await bench.proposals.create(ALICE, TO_BOB)).code).toBe("STORAGE_FULL");
    expect(refused(await bench.proposals.reject(PERSON, id, null)).code).toBe("STORAGE_FULL");
    shelve.mockRestore();
    expect(await listed(bench)).toMatchObject([{ id, status: "pending" }]);
  });
});

describe("an edit that its author may not make", () => {
  const kinds: [kind: string, plan: ReturnType<typeof planAppend>, operation: string, value: string][] = [
    ["replace", planReplace("one", "1", "unique"), "patch", "-one\n+1\n"],
    ["append", planAppend("three\n"), "append", "three\n"],
    ["write", planWrite("1\ntwo\n"), "full_replace", "1\ntwo\n"],
  ];
  for (const [kind, plan, operation, value] of kinds)
    test(`[PO11] becomes a proposal: ${kind}`, async () => {
      const bench = new Bench({ "a.md": "one\ntwo\n" });
      const request = { kind, path: "a.md", plan, opId: "op-1", message: "as asked" };
      const result = accepted(await bench.proposals.proposeInstead(BOB, request));
      expect(result).toMatchObject({ changeId: null, splices: [], durable: true, mirrored: false });
      expect(result.summary).toContain(`waits for approval as ${result.proposal}`);
      expect(bench.read("a.md")).toBe("one\ntwo\n");
      const proposal = await get(bench, { id: result.proposal! });
      expect(proposal).toMatchObject({ operation, reasoning: "as asked", author: "bob" });
      expect(proposal.proposedValue).toContain(value);
      await approve(bench, proposal.id);
      const wanted = plan({
        text: (await bench.document("a.md")).versions.textAt(0)!,
        eol: "lf",
        maxBytes: 1 << 24,
      });
      expect(bench.read("a.md")).toBe(
        "splices" in wanted &&
          (await bench.document("a.md")).versions.textAt(0)!.splice(wanted.splices).toString(),
      );
      expect(accepted(await bench.proposals.proposeInstead(BOB, request)).proposal).toBe(proposal.id);
    });

  test("[PO11] that changes nothing, or cannot be made, is answered as ever", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const ask = (old: string, updated: string) =>
      bench.proposals.proposeInstead(BOB, {
        kind: "replace",
        path: "a.md",
        plan: planReplace(old, updated, "unique"),
      });
    expect(accepted(await ask("one", "one"))).toMatchObject({
      changeId: null,
      summary: expect.stringContaining("nothing to change"),
    });
    expect(refused(await ask("two", "2")).code).toBe("NO_MATCH");
    expect(await listed(bench)).toEqual([]);
  });
});
