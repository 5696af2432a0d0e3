import { expect, test } from "vitest";
import { changeSummary } from "../../src/workspace/events/change-summary.ts";
import { Bench, tellingReads } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

/** The edits that a save lacked, in the newest change of a document. */
async function lackedIn(talk: Talk): Promise<unknown> {
  const { result } = await talk.ask("history.list", { path: "a.md", limit: 1 });
  return (result as { changes: { lacked?: unknown }[] }).changes[0]?.lacked;
}

/** Has an agent edit line 2, and another program save an older text. */
async function saveStale(talk: Talk, save: string): Promise<void> {
  await talk.ask("subscribe", { path: "a.md" });
  await talk.ask("edit.replace", { path: "a.md", old: "two", new: "TWO" });
  talk.bench.save("a.md", save);
  await talk.ask("doc.read", { path: "a.md" });
}

test("[EV24, EV23] a save that its text alone shows to be stale has the evidence text", async () => {
  const talk = await greeted({ "a.md": "one\ntwo\nthree\n" });
  await saveStale(talk, "one\ntwo\nthree, four\n");
  await expect.poll(() => talk.told("doc.rescued")).toHaveLength(1);
  const lacked = { authors: ["tester"], evidence: "text" };
  expect(talk.told("doc.rescued")[0]!.params).toMatchObject(lacked);
  expect(await lackedIn(talk)).toMatchObject(lacked);
});

test("[EV23] doc.rescued names the evidence of a save that nobody had read anything before", async () => {
  const talk = new Talk(new Bench({ "a.md": "one\ntwo\nthree\n" }, {}, tellingReads()));
  await talk.hello();
  await talk.ask("doc.open", { path: "a.md" });
  talk.bench.readAsProgram("a.md");
  await saveStale(talk, "one\ntwo\nTHREE\n");
  await expect.poll(() => talk.told("doc.rescued")).toHaveLength(1);
  expect(talk.told("doc.rescued")[0]!.params).toMatchObject({ evidence: "unread" });
});

test("[EV24, EV23] a save that removes others' edits names the evidence in doc.conflict and the history", async () => {
  const talk = await greeted({ "a.md": "one\ntwo\nthree\n" });
  await saveStale(talk, "one\nzwei\nthree\n");
  await expect.poll(() => talk.told("doc.conflict")).toHaveLength(1);
  expect(talk.told("doc.conflict")[0]!.params).toMatchObject({ superseded: { evidence: "text" } });
  expect(await lackedIn(talk)).toMatchObject({ evidence: "text" });
});

test.each([
  ["texts", { evidence: "text" }],
  [undefined, {}],
] as const)("[EV24] a record with the evidence %s is read", (evidence, read) => {
  const lacked = { base: "0-a", authors: ["ann"], ...(evidence && { evidence }) };
  const change = { seq: 1, id: "chg_1", author: "disk", agent: "disk", origin: "disk", time: 0 } as const;
  const stored = { ...change, splices: [], removed: [], lacked };
  expect(changeSummary({ id: "doc_1", path: "a.md" }, stored).lacked).toEqual({
    base: "0-a",
    authors: ["ann"],
    ...read,
  });
});
