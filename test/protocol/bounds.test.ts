import { expect, test } from "vitest";
import { SessionSubscriptions } from "../../src/protocol/session/subscriptions.ts";
import { MOST_LINE_CHANGES, MOST_SPLICES, MOST_SUBSCRIBED_PATHS } from "../../src/work/bounds.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { Bench } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

test("[BD10] one connection subscribes to 10,000 documents at most", async () => {
  const { service } = new Talk(new Bench({}));
  // Opening so many real documents would take minutes.
  const workspace = Object.assign(Object.create(service.workspace), {
    open: async (path: string) => ({ path }),
  });
  const subscriptions = new SessionSubscriptions({ ...service, workspace }, "session", "owner", {
    notify() {},
    notifyOfPresence() {},
  });
  const actor = { name: "owner", agent: "owner", rights: FULL_RIGHTS };
  const requester = {
    actor,
    user: "owner",
    unit: "utf-32",
    session: "session",
    role: "agent",
    isBrief: false,
  } as const;
  const subscribe = (path: string) => subscriptions.subscribe(requester, { path });
  for (let i = 0; i < MOST_SUBSCRIBED_PATHS; i++) expect(isRefusal(await subscribe(`${i}.md`))).toBe(false);
  expect(MOST_SUBSCRIBED_PATHS).toBe(10_000);
  expect(await subscribe("one-more.md")).toMatchObject({ code: "OVERLOADED", details: { limit: 10_000 } });
  expect(await subscribe("7.md")).toEqual({ matched: 1 });
  subscriptions.unsubscribe({ path: "7.md" });
  expect(await subscribe("one-more.md")).toEqual({ matched: 1 });
});

test("[BD25] one edit sends 10,000 splices or line changes at most", async () => {
  const talk = await greeted({ "a.md": "x" });
  const repeated = (value: object, count: number) => Array.from({ length: count }, () => value);
  const splice = { from: 0, to: 0, insert: "y" };
  const change = { operation: "insert", afterLine: 0, newLines: ["y"] };
  const base = { path: "a.md", version: (await talk.ask("doc.open", { path: "a.md" })).result!["version"] };
  for (const [method, key, value, most] of [
    ["edit.splice", "splices", splice, MOST_SPLICES],
    ["edit.lines", "changes", change, MOST_LINE_CHANGES],
  ] as const) {
    expect(most).toBe(10_000);
    const { error } = await talk.ask(method, { ...base, [key]: repeated(value, most + 1) });
    expect(error).toMatchObject({ data: { code: "INVALID_ARGUMENT" } });
    expect(error?.message).toContain("one edit takes at most 10000");
  }
  expect(talk.bench.read("a.md")).toBe("x");
});
