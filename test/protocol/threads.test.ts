import { describe, expect, test, vi } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { FULL_RIGHTS, Rights } from "../../src/workspace/access/rights.ts";
import { messageShelf, threadShelf } from "../../src/workspace/threads/records.ts";
import { type ThreadKey, Threads } from "../../src/workspace/threads/threads.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { ALICE, accepted, Bench, BOB, refused } from "../workspace/harness.ts";
import { greeted } from "./talk.ts";

const KEY = { user: "owner", about: { bundle: "b" } };
const RULE = { glob: "**", conflict: "merge" } as const;
const budget = (maxTokens: number, reserveTokens = 10) => ({ maxTokens, reserveTokens });

function threadsOf(bench: Bench, clock = bench.workspace.ports.clock) {
  return new Threads({ ...bench.workspace.ports, clock }, bench.workspace.newId);
}

const portsOf = (store: MemoryStore) => ({ store, clock: systemClock, report() {} });

/** Returns threads on a store in memory. */
function onMemory(): { readonly threads: Threads; readonly store: MemoryStore } {
  const store = new MemoryStore();
  return { threads: new Threads(portsOf(store), String), store };
}

/** Adds messages with one text, or with a text each. */
async function fill(threads: Threads, key: ThreadKey, count: number, text: string | ((n: number) => string)) {
  for (let n = 0; n < count; n++)
    accepted(await threads.append(key, ALICE, "user", typeof text === "string" ? text : text(n)));
}

const textsOf = async (threads: Threads, key: ThreadKey) =>
  (await threads.messages(key)).map(({ text }) => text);

describe("threads", () => {
  test("[TH1] belong to their document, through renames and restarts, until they are cleared", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    await talk.ask("thread.append", { path: "a.md", role: "user", text: "shorten it" });
    await talk.ask("thread.append", { path: "a.md", role: "assistant", text: "done" });
    await talk.ask("doc.rename", { path: "a.md", to: "b.md" });
    await talk.bench.restart();
    const again = await talk.again();
    const { messages } = (await again.ask("thread.get", { path: "b.md" })).result!;
    expect(messages).toMatchObject([
      { role: "user", text: "shorten it" },
      { role: "assistant", text: "done" },
    ]);
    await again.ask("thread.clear", { path: "b.md" });
    expect((await again.ask("thread.get", { path: "b.md" })).result).toEqual({ messages: [] });
  });

  test("[TH8] belong to one token; its connections are notified of messages, others are not", async () => {
    const talk = await greeted({});
    const [same, other] = [await talk.again(), await talk.again({ name: "guest", rights: FULL_RIGHTS })];
    await talk.ask("thread.append", { bundle: "b", role: "user", text: "hello" });
    expect(same.told("thread.message")).toMatchObject([
      { params: { bundle: "b", message: { text: "hello" } } },
    ]);
    expect(other.told("thread.message")).toEqual([]);
    expect((await other.ask("thread.get", { bundle: "b" })).result).toEqual({ messages: [] });
    expect((await other.ask("thread.get", {})).error?.data.code).toBe("INVALID_ARGUMENT");
  });

  test("[TH2] give a model the whole system prompt and the newest messages that fit", async () => {
    const threads = threadsOf(new Bench({}));
    for (const [i, text] of ["old ".repeat(30), "newer", "newest"].entries())
      await threads.append(KEY, ALICE, i % 2 ? "assistant" : "user", text);
    const told = await threads.context(KEY, ALICE, { system: "be brief", message: "go", budget: budget(30) });
    expect(accepted(told)).toEqual({
      messages: [
        { role: "system", content: "be brief" },
        { role: "assistant", content: "newer" },
        { role: "user", content: "newest" },
        { role: "user", content: "go" },
      ],
      dropped: 1,
    });
    expect((await threads.messages(KEY)).at(-1)).toMatchObject({ role: "user", text: "go" });
  });

  test("[TH9] refuse a message that cannot fit, and a second request at a time, and do not change", async () => {
    const clock = new FakeClock();
    const threads = threadsOf(new Bench({}), clock);
    const ask = (message: string) =>
      threads.context(KEY, ALICE, { system: "s", message, budget: budget(20) });
    expect(refused(await ask("x".repeat(60))).code).toBe("TOO_LARGE");
    expect(await threads.messages(KEY)).toEqual([]);
    const both = await Promise.all([ask("one"), ask("two")]);
    expect(refused(both[1]).code).toBe("OVERLOADED");
    expect(await threads.messages(KEY)).toHaveLength(1);
    await threads.append(KEY, ALICE, "assistant", "answer");
    accepted(await ask("three"));
    await clock.advance(6 * 60_000);
    accepted(await ask("nobody answered"));
  });

  test("[TH4] are stored message by message, at any length", async () => {
    const { threads, store } = onMemory();
    await fill(threads, KEY, 500, "x".repeat(1000));
    const shelve = vi.spyOn(store, "shelve");
    await threads.append(KEY, ALICE, "user", "last");
    expect(shelve).toHaveBeenCalledOnce();
    expect(JSON.stringify(shelve.mock.calls).length).toBeLessThan(1000);
    expect(await threads.messages(KEY)).toHaveLength(501);
  });

  test("[TH10] of an earlier version are read, continued, and cleared", async () => {
    const { threads, store } = onMemory();
    const said = (text: string) => ({
      id: "msg_1",
      role: "user",
      text,
      author: "alice",
      time: "2026-01-01T00:00:00Z",
    });
    const id = JSON.stringify(["owner", "bundle", "b"]);
    const record = { id, user: "owner", messages: [said("one"), said("two")], active: Date.now() };
    await store.shelve({ shelf: "threads", id, record });
    expect(await textsOf(threads, KEY)).toEqual(["one", "two"]);
    accepted(await threads.append(KEY, ALICE, "user", "three"));
    expect(await textsOf(threads, KEY)).toEqual(["one", "two", "three"]);
    expect(await textsOf(new Threads(portsOf(store), String), KEY)).toEqual(["one", "two", "three"]);
    await threads.clear(KEY);
    expect([...store.shelf(threadShelf), ...store.shelf(messageShelf)]).toEqual([]);
  });

  test("[TH5] refuse a message of more than 1 MB, and keep the newest 1,000 messages and 16 MB", async () => {
    const { threads, store } = onMemory();
    const large = await threads.append(KEY, ALICE, "user", "x".repeat((1 << 20) + 1));
    expect(refused(large)).toMatchObject({ code: "TOO_LARGE", details: { limit: 1 << 20 } });
    await fill(threads, KEY, 1001, (n) => String(n));
    expect([(await textsOf(threads, KEY))[0], [...store.shelf(messageShelf)].length]).toEqual(["1", 1000]);
    await fill(threads, KEY, 20, "x".repeat(1 << 20));
    expect(await threads.messages(KEY)).toHaveLength(15);
    expect([...store.shelf(messageShelf)]).toHaveLength(15);
  });

  test("[TH6] are limited for each token, which can clear some; other tokens continue", async () => {
    const { threads } = onMemory();
    const about = (n: number | string, user = "owner") => ({ user, about: { bundle: `b${n}` } });
    for (let n = 0; n < 1000; n++) accepted(await threads.append(about(n), ALICE, "user", "hello"));
    const more = await threads.append(about("more"), ALICE, "user", "hello");
    expect(refused(more)).toMatchObject({
      code: "OVERLOADED",
      message: "this token has 1000 threads, which is the limit",
      suggestion: expect.stringContaining("thread.clear"),
    });
    accepted(await threads.append(about(0), ALICE, "user", "a thread that is there goes on"));
    accepted(await threads.append(about("more", "guest"), BOB, "user", "hello"));
    await threads.clear(about(1));
    accepted(await threads.append(about("more"), ALICE, "user", "hello"));
  });

  test("[TH6] are limited in bytes for each token, also after a restart", async () => {
    const { threads, store } = onMemory();
    const about = (n: number) => ({ user: "owner", about: { bundle: `b${n}` } });
    for (let n = 0; n < 8; n++) await fill(threads, about(n), 15, "x".repeat(1 << 20));
    await fill(threads, about(8), 7, "x".repeat(1 << 20));
    const again = new Threads(portsOf(store), String);
    const refusal = refused(await again.append(about(9), ALICE, "user", "x".repeat(1 << 20)));
    expect(refusal).toMatchObject({ code: "OVERLOADED", details: { limits: { bytes: 128 << 20 } } });
    await again.clear(about(0));
    accepted(await again.append(about(9), ALICE, "user", "x".repeat(1 << 20)));
  });

  test("[TH6] that a full disk prevented are not counted", async () => {
    const { threads, store } = onMemory();
    store.failNext("full", 1000);
    for (let n = 0; n < 1000; n++) {
      const key = { user: "owner", about: { bundle: `b${n}` } };
      expect(refused(await threads.append(key, ALICE, "user", "hello")).code).toBe("STORAGE_FULL");
    }
    accepted(await threads.append(KEY, ALICE, "user", "hello"));
  });

  test("[TH7] about a bundle require read on any document, and a name of at most 100 characters", async () => {
    const talk = await greeted({});
    const blind = await talk.again({ name: "blind", rights: new Rights([{ ...RULE, level: "none" }]) });
    const message = { role: "user", text: "hello" };
    for (const [method, params] of Object.entries({
      "thread.append": message,
      "thread.get": {},
      "thread.clear": {},
    }))
      expect((await blind.ask(method, { bundle: "b", ...params })).error?.data.code).toBe(
        "PERMISSION_DENIED",
      );
    const reader = await talk.again({
      name: "reader",
      rights: new Rights([{ ...RULE, glob: "x.md", level: "read" }]),
    });
    expect((await reader.ask("thread.append", { bundle: "b", ...message })).error).toBeUndefined();
    const long = await reader.ask("thread.append", { bundle: "b".repeat(101), ...message });
    expect(long.error?.data.code).toBe("INVALID_ARGUMENT");
  });

  test("[TH3] expire 30 days after their last message", async () => {
    const clock = new FakeClock();
    const threads = threadsOf(new Bench({}), clock);
    await threads.append(KEY, ALICE, "user", "hello");
    await clock.advance(29 * 86_400_000);
    await threads.append(KEY, ALICE, "user", "still there");
    await clock.advance(29 * 86_400_000);
    expect(await threads.messages(KEY)).toHaveLength(2);
    await clock.advance(2 * 86_400_000);
    expect(await threads.messages(KEY)).toEqual([]);
  });
});
