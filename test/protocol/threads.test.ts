import { describe, expect, test, vi } from "vitest";
import type { Method, Result } from "../../src/protocol/schemas/schemas.ts";
import type { Holder } from "../../src/protocol/service/service.ts";
import { shelfOf } from "../../src/store/shelf.ts";
import { StoreError } from "../../src/store/store.ts";
import { MESSAGES } from "../../src/work/bounds.ts";
import { AgentBounds, FULL_RIGHTS, type Level, Rights } from "../../src/workspace/access/rights.ts";
import { SharedShelves } from "../../src/workspace/document/shared-records.ts";
import { messageShelf, threadShelf } from "../../src/workspace/threads/stored.ts";
import { Threads } from "../../src/workspace/threads/threads.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { processorMs } from "../helpers/processor-time.ts";
import { ALICE, accepted, Bench, refused } from "../workspace/harness.ts";
import { greeted, type Message, Talk } from "./talk.ts";

const rule = (glob: string, level: Level) => ({ glob, level, conflict: "merge" }) as const;
const guest = (...rules: readonly [glob: string, level: Level][]): Holder => ({
  name: "guest",
  rights: new Rights(rules.map(([glob, level]) => rule(glob, level))),
});
const OTHER: Holder = { name: "other", rights: FULL_RIGHTS };
const BIG = { maxTokens: 10_000, reserveTokens: 100 };

/** Asks, and returns the result. */
async function did<M extends Method>(talk: Talk, method: M, params: object): Promise<Result<M>> {
  const { result, error } = await talk.ask(method, params);
  expect(error).toBeUndefined();
  return result as Result<M>;
}

/** Asks, and returns the refusal's data. */
async function refusal(
  talk: Talk,
  method: Method,
  params: object,
): Promise<NonNullable<Message["error"]>["data"]> {
  return (await talk.ask(method, params)).error!.data;
}

/** Starts a thread about a document, and returns its id and its first message. */
async function started(talk: Talk, params: object = {}): Promise<{ thread: string; messageId: string }> {
  const about = "paths" in params || "bundle" in params ? {} : { path: "a.md" };
  return did(talk, "thread.append", { ...about, role: "user", text: "shorten it", ...params });
}

const textsOf = async (talk: Talk, thread: string) =>
  (await did(talk, "thread.get", { thread })).messages.map(({ text }) => text);
const part = (text: string) => [{ kind: "text", text }];
const paramsOf = (messages: readonly Message[]) => messages.map(({ params }) => params!);

/** Returns threads of a workspace in memory, with a store that a test can look into. */
function onMemory(clock = new FakeClock()) {
  const store = new MemoryStore();
  const workspace = {
    ports: { store, clock, report() {} },
    pins: { add() {} },
    shared: new SharedShelves(),
    listen: () => () => {},
    isIgnored: () => false,
    loaded: { byId: () => undefined },
    newId: (prefix: string) => `${prefix}_${++made}`,
  };
  let made = 0;
  const again = () => new Threads(workspace as unknown as ConstructorParameters<typeof Threads>[0]);
  return { store, clock, again, threads: again() };
}

const BUNDLE = { docIds: [], bundle: "b" };

async function fill(threads: Threads, to: string, count: number, text: string | ((n: number) => string)) {
  for (let n = 0; n < count; n++)
    accepted(
      await threads.append(ALICE, { to, role: "user", text: typeof text === "string" ? text : text(n) }),
    );
}

describe("a thread", () => {
  test("[TH1] belongs to its document, through renames and restarts, until it is cleared", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const { thread } = await started(talk);
    await did(talk, "thread.append", { thread, role: "assistant", text: "done" });
    await did(talk, "doc.rename", { path: "a.md", to: "b.md" });
    await talk.bench.restart();
    const again = await talk.again();
    expect((await did(again, "thread.list", { path: "b.md" })).threads).toMatchObject([
      { id: thread, paths: ["b.md"], title: "shorten it", messages: 2 },
    ]);
    expect(await textsOf(again, thread)).toEqual(["shorten it", "done"]);
    await did(again, "thread.clear", { thread });
    expect((await refusal(again, "thread.get", { thread })).code).toBe("NOT_FOUND");
    expect((await did(again, "thread.list", {})).threads).toEqual([]);
  });

  test("[TH8] is seen and answered by whoever may read all of its documents, and by nobody else", async () => {
    const talk = await greeted({ "a.md": "a\n", "b.md": "b\n" });
    const both = await talk.again(guest(["*.md", "read"]));
    const one = await talk.again(guest(["a.md", "write"]));
    for (const each of [both, one]) await did(each, "subscribe", { threads: true });
    const { thread } = await started(talk, { paths: ["a.md", "b.md"], bundle: "all" });
    expect(paramsOf(both.told("thread.message"))).toMatchObject([{ message: { text: "shorten it" } }]);
    await did(both, "thread.append", { thread, role: "user", text: "please" });
    expect(await textsOf(talk, thread)).toEqual(["shorten it", "please"]);
    expect(one.told("thread.message")).toEqual([]);
    expect((await refusal(one, "thread.get", { thread })).code).toBe("NOT_FOUND");
    expect((await refusal(one, "subscribe", { thread })).code).toBe("NOT_FOUND");
    expect((await did(one, "thread.list", { path: "a.md" })).threads).toEqual([]);
  });

  test("[TH40] sends its messages to whoever subscribed to one of its documents, by path or pattern, once", async () => {
    const talk = await greeted({ "a.md": "a\n", "b.md": "b\n" });
    const [path, pattern, other, one] = await Promise.all([
      talk.again(),
      talk.again(),
      talk.again(),
      talk.again(guest(["a.md", "write"])),
    ]);
    await did(path, "subscribe", { path: "a.md" });
    for (const target of [{ pattern: "*.md" }, { threads: true }]) await did(pattern, "subscribe", target);
    await did(other, "subscribe", { pattern: "c*" });
    await did(one, "subscribe", { path: "a.md" });
    const { thread } = await started(talk, { paths: ["a.md", "b.md"], bundle: "all" });
    for (const client of [path, pattern])
      expect(paramsOf(client.told("thread.message"))).toMatchObject([{ thread: { id: thread } }]);
    for (const client of [other, one]) expect(client.told("thread.message")).toEqual([]);
  });

  test("[TH8] of a private or an ignored document is none for an agent", async () => {
    const bench = new Bench({ "secret.md": "s\n", ".gitignore": "" });
    const person = new Talk(bench, undefined, { agents: new AgentBounds([], ["secret.md"]) });
    await person.hello({ role: "person" });
    const agent = await person.again();
    const { thread } = await started(person, { paths: ["secret.md"] });
    expect((await refusal(agent, "thread.lease", { thread })).code).toBe("NOT_FOUND");
    expect((await refusal(agent, "thread.append", { path: "secret.md", role: "user", text: "x" })).code).toBe(
      "NOT_FOUND",
    );
    const ignored = await refusal(person, "thread.append", { path: "ignored", role: "user", text: "x" });
    expect(ignored.code).toBe("IGNORED");
  });

  test("[TH11] without documents, or of an earlier version, is seen by its token alone", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const other = await talk.again(OTHER);
    await did(other, "subscribe", { threads: true });
    const { thread } = await started(talk, { bundle: "b" });
    expect((await refusal(other, "thread.get", { thread })).code).toBe("NOT_FOUND");
    expect(other.told("thread.message")).toEqual([]);
    expect((await did(talk, "thread.list", { bundle: "b" })).threads).toMatchObject([{ private: true }]);
  });

  test("[TH12] has an author, an identity and a kind for each message", async () => {
    const talk = await greeted({ "a.md": "a\n" }, { role: "person" });
    const { thread } = await started(talk);
    const agent = await talk.again(OTHER);
    await did(agent, "thread.append", { thread, role: "assistant", text: "done" });
    expect((await did(talk, "thread.get", { thread })).messages).toMatchObject([
      { author: "tester", agent: "owner/tester", kind: "person" },
      { author: "tester", agent: "other/tester", kind: "agent", role: "assistant" },
    ]);
  });

  test("[TH13] of a deleted document stays readable and says so, and returns with the document", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const { thread } = await started(talk);
    await did(talk, "doc.delete", { path: "a.md" });
    expect((await did(talk, "thread.list", { path: "a.md" })).threads).toMatchObject([{ deleted: true }]);
    expect(await textsOf(talk, thread)).toEqual(["shorten it"]);
    await did(talk, "doc.restore", { path: "a.md" });
    expect((await did(talk, "thread.get", { thread })).thread).toMatchObject({ deleted: false });
  });

  test("[TH14] is waiting, open or resolved; a new message opens it again", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const { thread } = await started(talk);
    const ids = async (status: string) =>
      (await did(talk, "thread.list", { status })).threads.map(({ id }) => id);
    expect([await ids("waiting"), await ids("open"), await ids("resolved")]).toEqual([
      [thread],
      [thread],
      [],
    ]);
    await did(talk, "thread.resolve", { thread });
    expect([await ids("waiting"), await ids("open"), await ids("resolved")]).toEqual([[], [], [thread]]);
    await did(talk, "thread.append", { thread, role: "assistant", text: "done" });
    expect([await ids("waiting"), await ids("open"), await ids("resolved")]).toEqual([[], [thread], []]);
    await did(talk, "thread.resolve", { thread });
    await did(talk, "thread.resolve", { thread, resolved: false });
    expect(await ids("open")).toEqual([thread]);
  });

  test("[TH15] is cleared by the token that started it, or with admin on its documents", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const reader = await talk.again(guest(["**", "write"]));
    const { thread } = await started(talk);
    expect((await refusal(reader, "thread.clear", { thread })).code).toBe("PERMISSION_DENIED");
    const own = await started(reader);
    await did(reader, "thread.clear", { thread: own.thread });
    const others = await started(reader);
    await did(talk, "thread.clear", { thread: others.thread });
    expect((await did(talk, "thread.list", {})).threads).toHaveLength(1);
  });

  test("[TH3] expires 30 days after its last message, and leaves the store", async () => {
    const { threads, clock, store } = onMemory();
    const { thread } = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "hello" }));
    await clock.advance(29 * 86_400_000);
    await fill(threads, thread, 1, "still there");
    await clock.advance(30 * 86_400_000 - 1);
    expect(accepted(await threads.get(ALICE, thread)).messages).toHaveLength(2);
    await clock.advance(1);
    expect(refused(await threads.get(ALICE, thread)).code).toBe("NOT_FOUND");
    const events: unknown[] = [];
    threads.listen((event) => events.push(event));
    await threads.expire();
    expect(events).toMatchObject([{ type: "changed", thread: { id: thread, status: "expired" } }]);
    expect([...store.shelf(threadShelf), ...store.shelf(messageShelf)]).toEqual([]);
  });

  test("[TH4] is stored message by message, at any length", async () => {
    const { threads, store } = onMemory();
    const { thread } = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "x" }));
    await fill(threads, thread, 500, "x".repeat(1000));
    const shelve = vi.spyOn(store, "shelve");
    await fill(threads, thread, 1, "last");
    expect(shelve).toHaveBeenCalledOnce();
    expect(JSON.stringify(shelve.mock.calls).length).toBeLessThan(2000);
  });

  test("[TH16] is read page by page, the newest messages first", async () => {
    const { threads } = onMemory();
    const { thread } = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "0" }));
    await fill(threads, thread, 4, (n) => String(n + 1));
    const newest = accepted(await threads.get(ALICE, thread, { limit: 2 }));
    expect([newest.messages.map(({ text }) => text), newest.more]).toEqual([["3", "4"], true]);
    const older = accepted(await threads.get(ALICE, thread, { before: newest.messages[0]!.id, limit: 9 }));
    expect([older.messages.map(({ text }) => text), older.more]).toEqual([["0", "1", "2"], false]);
    expect(refused(await threads.get(ALICE, thread, { before: "msg_none" })).code).toBe("NOT_FOUND");
  });

  test("[TH10] of an earlier version is read, continued, and cleared", async () => {
    for (const form of ["whole", "head"] as const) {
      const { threads, store, again } = onMemory();
      const said = (text: string) => ({
        id: "msg_1",
        role: "user",
        text,
        author: "alice",
        time: "2026-01-01T00:00:00Z",
      });
      const id = JSON.stringify(["owner", "bundle", "b"]);
      const active = Date.UTC(2025, 0, 1);
      if (form === "whole") {
        const record = { id, user: "owner", messages: [said("one"), said("two")], active };
        await store.shelve({ shelf: "threads", id, record });
      } else
        await store.shelve(
          { shelf: "messages", id: `${id}/0`, record: said("one") },
          { shelf: "messages", id: `${id}/1`, record: said("two") },
          { shelf: "threads", id, record: { id, user: "owner", first: 0, next: 2, bytes: 500, active } },
        );
      const texts = async (of: Threads) => accepted(await of.get(ALICE, id)).messages.map(({ text }) => text);
      expect(threads.list(ALICE)).toMatchObject([{ id, bundle: "b", title: "one", private: true }]);
      expect(threads.list({ ...ALICE, agent: "other/alice" })).toEqual([]);
      expect(await texts(threads)).toEqual(["one", "two"]);
      await fill(threads, id, 1, "three");
      expect(await texts(again())).toEqual(["one", "two", "three"]);
      await threads.clear(ALICE, id);
      expect([...store.shelf(threadShelf), ...store.shelf(messageShelf)]).toEqual([]);
    }
  });
});

describe("the limits of threads", () => {
  test("[TH5] refuse a message of more than 1 MB, and one more in a thread with 16 MB or 10,000 messages", async () => {
    const { threads, store } = onMemory();
    const text = "x".repeat(1 << 20);
    const large = await threads.append(ALICE, { to: BUNDLE, role: "user", text: `${text}x` });
    expect(refused(large)).toMatchObject({ code: "TOO_LARGE", details: { limit: 1 << 20 } });
    const { thread } = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text }));
    await fill(threads, thread, 14, text);
    const full = await threads.append(ALICE, { to: thread, role: "user", text });
    expect(refused(full)).toMatchObject({ code: "OVERLOADED", details: { limits: MESSAGES } });
    const other = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "0" })).thread;
    await fill(threads, other, 9_999, "x");
    expect(refused(await threads.append(ALICE, { to: other, role: "user", text: "x" })).code).toBe(
      "OVERLOADED",
    );
    expect([...store.shelf(messageShelf)]).toHaveLength(10_015);
    const get = async () => accepted(await threads.get(ALICE, other, { limit: 200 }));
    expect(await processorMs(get)).toBeLessThan(200);
  });

  test("[TH6] count the threads that a token writes in, and its bytes there; other tokens continue", async () => {
    const { threads, again } = onMemory();
    const other = { ...ALICE, agent: "guest/alice" };
    const start = (text: string, actor = ALICE) => threads.append(actor, { to: BUNDLE, role: "user", text });
    const first = accepted(await start("hello")).thread;
    for (let n = 1; n < 1000; n++) accepted(await start("hello"));
    expect(refused(await start("hello"))).toMatchObject({
      code: "OVERLOADED",
      message: "this token has 1000 threads, which is the limit",
      suggestion: expect.stringContaining("thread.clear"),
    });
    await fill(threads, first, 1, "a thread that is there goes on");
    accepted(await start("hello", other));
    expect(refused(await again().append(ALICE, { to: BUNDLE, role: "user", text: "x" })).code).toBe(
      "OVERLOADED",
    );
    await threads.clear(ALICE, first);
    accepted(await start("hello"));
  });

  test("[TH6] count bytes, also after a restart", async () => {
    const { threads, again } = onMemory();
    const text = "x".repeat(1 << 20);
    const ids: string[] = [];
    for (let n = 0; n < 9; n++) {
      ids.push(accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text })).thread);
      await fill(threads, ids[n]!, n < 8 ? 14 : 6, text);
    }
    const later = again();
    const refusal = refused(await later.append(ALICE, { to: BUNDLE, role: "user", text }));
    expect(refusal).toMatchObject({ code: "OVERLOADED", details: { limits: { bytes: 128 << 20 } } });
    await later.clear(ALICE, ids[0]!);
    accepted(await later.append(ALICE, { to: BUNDLE, role: "user", text }));
  });

  test("[TH6] do not count what a full disk prevented", async () => {
    const { threads, store } = onMemory();
    store.failNext("full", 1000);
    for (let n = 0; n < 1000; n++)
      expect(refused(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "x" })).code).toBe(
        "STORAGE_FULL",
      );
    accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "x" }));
  });

  test("[TH42] take a document beside a thread that is about it, and no other", async () => {
    const talk = await greeted({ "a.md": "a\n", "b.md": "b\n" });
    const message = { role: "user", text: "x" };
    const { thread } = await did(talk, "thread.append", { path: "a.md", ...message });
    expect(await did(talk, "thread.append", { thread, path: "./a.md", ...message })).toMatchObject({
      thread,
    });
    expect(await refusal(talk, "thread.append", { thread, path: "b.md", ...message })).toMatchObject({
      code: "INVALID_ARGUMENT",
      suggestion: expect.stringContaining("a.md"),
    });
    const { error } = await talk.ask("thread.append", { thread, bundle: "c", ...message });
    expect(error?.message).toContain("give one of thread, path, paths, bundle and proposal");
  });

  test("[TH7] require read on all documents of a thread, and on any document for a bundle without", async () => {
    const talk = await greeted({ "a.md": "a\n", "b.md": "b\n" });
    const blind = await talk.again(guest(["**", "none"]));
    const said = { role: "user", text: "hello" };
    expect((await refusal(blind, "thread.append", { bundle: "b", ...said })).code).toBe("PERMISSION_DENIED");
    const reader = await talk.again(guest(["a.md", "read"]));
    await did(reader, "thread.append", { bundle: "b", ...said });
    await did(reader, "thread.append", { path: "a.md", ...said });
    expect((await refusal(reader, "thread.append", { paths: ["a.md", "b.md"], ...said })).code).toBe(
      "NOT_FOUND",
    );
    for (const wrong of [
      { bundle: "b".repeat(101) },
      {},
      { path: "a.md", paths: ["a.md"] },
      { paths: ["a.md"], thread: "x" },
    ])
      expect((await refusal(reader, "thread.append", { ...wrong, ...said })).code).toBe("INVALID_ARGUMENT");
  });
});

describe("the context of a thread", () => {
  test("[TH2] has the whole system prompt and the newest messages that fit, and adds nothing", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const { thread } = await started(talk, { bundle: "b", text: "old ".repeat(30) });
    await did(talk, "thread.append", { thread, role: "assistant", text: "newer" });
    await did(talk, "thread.append", { thread, role: "user", text: "newest" });
    const budget = { maxTokens: 20, reserveTokens: 10 };
    expect(await did(talk, "thread.context", { thread, system: "be brief", budget })).toMatchObject({
      messages: [
        { role: "system", content: "be brief" },
        { role: "assistant", content: "newer" },
        { role: "user", content: "newest" },
      ],
      dropped: 1,
    });
    expect(await textsOf(talk, thread)).toHaveLength(3);
  });

  test("[TH9] is refused if the newest message and the reply do not fit", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const { thread } = await started(talk, { text: "x".repeat(60) });
    const budget = { maxTokens: 20, reserveTokens: 10 };
    const told = await refusal(talk, "thread.context", { thread, budget });
    expect(told).toMatchObject({ code: "TOO_LARGE", details: { message: 20, maxTokens: 20 } });
  });

  test("[TH37] takes a number of tokens as a budget that reserves none", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const { thread } = await started(talk, { text: "x".repeat(60) });
    expect(await did(talk, "thread.context", { thread, budget: 20 })).toMatchObject({ dropped: 0 });
    expect(await refusal(talk, "thread.context", { thread, budget: 19 })).toMatchObject({
      code: "TOO_LARGE",
      details: { maxTokens: 19, reserveTokens: 0 },
    });
    const { error } = await talk.ask("thread.context", { thread, budget: { max: 19 } });
    expect(error?.message).toContain(
      "budget: Invalid input: expected integer | { maxTokens: integer, reserveTokens: integer }",
    );
  });

  test("[TH17] has the documents that fit, with versions and permissions, and rules", async () => {
    const talk = await greeted({ "a.md": "one two\n", "big.md": "x".repeat(100_000) });
    const { thread, messageId } = await started(talk, { paths: ["a.md", "big.md"], bundle: "b" });
    const agent = await talk.again(guest(["a.md", "write"], ["**", "propose"]));
    const context = await did(agent, "thread.context", { thread, budget: BIG });
    expect(context).toMatchObject({
      messageId,
      documents: [
        { path: "a.md", text: "one two\n", permission: "write", deleted: false },
        { path: "big.md", text: null, bytes: 100_000, permission: "propose" },
      ],
    });
    expect(context.rules.join("\n")).toContain(messageId);
    const written = await agent.ask("edit.write", { path: "a.md", text: "1 2\n" });
    expect(written.error).toBeUndefined(); // the session has seen the text
    await did(talk, "doc.delete", { path: "a.md" });
    const later = await did(agent, "thread.context", { thread, budget: BIG });
    expect(later.documents[0]!).toMatchObject({ deleted: true, text: null });
  });
});

describe("the anchor of a message", () => {
  const anchored = async (unit: object = {}) => {
    const talk = await greeted({ "a.md": "one 😀 three\n" }, unit);
    const { thread } = await started(talk, { anchor: { from: 4, to: 6 } });
    const anchor = async (of = talk) => (await did(of, "thread.get", { thread })).anchors[0]!;
    return { talk, thread, anchor };
  };

  test("[TH18] moves with its text, also over a restart, and says when the text is deleted", async () => {
    const { talk, anchor } = await anchored();
    expect(await anchor()).toMatchObject({ path: "a.md", from: 4, to: 6, quote: "😀 ", deleted: false });
    await did(talk, "edit.replace", { path: "a.md", old: "one", new: "number one" });
    expect(await anchor()).toMatchObject({ from: 11, to: 13, deleted: false });
    await talk.bench.restart();
    const again = await talk.again();
    expect(await anchor(again)).toMatchObject({ from: 11, to: 13, deleted: false });
    const { changeId } = await did(again, "edit.replace", { path: "a.md", old: "one 😀 three", new: "one" });
    expect(await anchor(again)).toMatchObject({ quote: "😀 ", deleted: true });
    await did(again, "undo", { changeId });
    expect(await anchor(again)).toMatchObject({ from: 11, to: 13, deleted: false });
  });

  test("[TH18] is in the unit of the connection", async () => {
    const { talk, anchor } = await anchored();
    const wide = new Talk(talk.bench);
    await wide.hello({ positionEncoding: "utf-16" });
    expect(await anchor(wide)).toMatchObject({ from: 4, to: 7 });
  });

  test("[TH18] is listed with the threads of its document", async () => {
    const { talk } = await anchored();
    expect((await did(talk, "thread.list", { path: "a.md" })).threads).toMatchObject([
      { anchors: [{ from: 4, to: 6 }] },
    ]);
  });

  test("[TH19] outside the text, in another document, or too long is refused, and nothing is added", async () => {
    const talk = await greeted({ "a.md": `a${"x".repeat(20_000)}\n`, "b.md": "b\n" });
    const about = { paths: ["a.md"], role: "user", text: "x" };
    const code = async (anchor: object) => (await refusal(talk, "thread.append", { ...about, anchor })).code;
    expect(await refusal(talk, "thread.append", { ...about, anchor: { from: 5, to: 90_000 } })).toMatchObject(
      {
        code: "INVALID_POSITION",
        suggestion: "Send positions from 0 to 20002.",
      },
    );
    expect(await code({ from: 5, to: 4 })).toBe("INVALID_POSITION");
    expect(await code({ from: 0, to: 15_000 })).toBe("TOO_LARGE");
    expect(await code({ path: "b.md", from: 0, to: 1 })).toBe("INVALID_ARGUMENT");
    expect(await code({ from: 0, to: 1, version: "9-x" })).toBe("NOT_FOUND");
    expect((await did(talk, "thread.list", {})).threads).toEqual([]);
  });
});

describe("the lease of a thread", () => {
  const leased = async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const { thread, messageId } = await started(talk);
    const agent = await talk.again(OTHER);
    const { leaseId } = await did(agent, "thread.lease", { thread });
    return { talk, agent, thread, messageId, leaseId: leaseId as string };
  };

  test("[TH20] is one client's at a time; others hear who has it", async () => {
    const { talk, agent, thread, messageId, leaseId } = await leased();
    expect(await refusal(talk, "thread.lease", { thread })).toMatchObject({
      code: "OVERLOADED",
      details: { holder: { name: "tester", agent: "other/tester", kind: "agent" }, messageId },
    });
    expect((await did(talk, "thread.get", { thread })).thread).toMatchObject({
      waiting: false,
      lease: { agent: "other/tester", messageId, stopping: false },
    });
    await did(agent, "thread.lease", { thread, leaseId });
    await did(agent, "thread.release", { leaseId });
    await did(talk, "thread.lease", { thread });
  });

  test("[TH21] is refused to an answer of somebody else, which adds nothing", async () => {
    const { talk, agent, thread, leaseId } = await leased();
    const answer = { thread, role: "assistant", text: "mine" };
    expect((await refusal(talk, "thread.append", answer)).code).toBe("OVERLOADED");
    expect((await refusal(talk, "thread.append", { ...answer, leaseId })).code).toBe("NOT_FOUND");
    expect((await refusal(talk, "thread.part", { leaseId, parts: part("x") })).code).toBe("NOT_FOUND");
    expect((await refusal(talk, "thread.release", { leaseId })).code).toBe("NOT_FOUND");
    const other = await started(talk);
    const misplaced = { ...answer, thread: other.thread, leaseId };
    expect((await refusal(agent, "thread.append", misplaced)).code).toBe("INVALID_ARGUMENT");
    expect(await textsOf(talk, thread)).toEqual(["shorten it"]);
    await did(talk, "thread.append", { thread, role: "user", text: "a user may write on" });
  });

  test("[TH22] ends with its holder's connection; what was sent remains as an incomplete answer", async () => {
    const { talk, agent, thread, messageId, leaseId } = await leased();
    await did(agent, "thread.part", { leaseId, parts: part("half an") });
    agent.session.close();
    await expect.poll(() => textsOf(talk, thread)).toEqual(["shorten it", "half an"]);
    expect(await did(talk, "thread.get", { thread })).toMatchObject({
      thread: { lease: null },
      messages: [{}, { role: "assistant", incomplete: "lost", answers: messageId, agent: "other/tester" }],
      draft: null,
    });
  });

  test("[TH23] ends 60 seconds after its last renewal or part", async () => {
    const { threads, clock } = onMemory();
    const { thread } = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "x" }));
    const { answers } = threads;
    const grant = () => answers.lease(ALICE, thread, { connection: "ses_1" });
    const { leaseId } = accepted(await grant());
    await clock.advance(50_000);
    accepted(answers.parts(ALICE, leaseId, [{ kind: "text", text: "a" }]));
    await clock.advance(50_000);
    accepted(await answers.lease(ALICE, thread, { leaseId, connection: "ses_1" }));
    await clock.advance(59_999);
    expect(refused(await grant()).code).toBe("OVERLOADED");
    await clock.advance(1);
    await answers.close();
    expect(accepted(await threads.get(ALICE, thread)).messages).toMatchObject([{}, { incomplete: "lost" }]);
    expect(refused(answers.parts(ALICE, leaseId, [{ kind: "text", text: "b" }])).code).toBe("NOT_FOUND");
    expect(refused(await answers.lease(ALICE, thread, { leaseId, connection: "ses_1" })).code).toBe(
      "NOT_FOUND",
    );
  });

  test("[TH24] streams text, plan and tool calls to those who follow the thread, and its answer keeps them", async () => {
    const { talk, agent, thread, messageId, leaseId } = await leased();
    const blind = await talk.again(guest(["b.md", "read"]));
    await did(talk, "subscribe", { thread });
    await did(blind, "subscribe", { threads: true });
    const tool = (status: string) => ({
      kind: "tool",
      id: "t1",
      title: "Reads a.md",
      status,
      paths: ["a.md"],
    });
    const plan = { kind: "plan", steps: [{ text: "read", status: "in_progress" }] };
    await did(agent, "thread.part", { leaseId, parts: [...part("I wil"), tool("pending"), plan] });
    await did(agent, "thread.part", {
      leaseId,
      parts: [{ kind: "text", text: "I will", again: true }, ...part(" do"), tool("completed")],
    });
    const { draft: read } = await did(talk, "thread.get", { thread });
    expect(paramsOf(talk.told("thread.part"))).toMatchObject([
      { thread, messageId, index: 3 },
      { thread, messageId, index: 6, parts: [{ again: true }, { text: " do" }, { status: "completed" }] },
    ]);
    const draft = {
      text: "I will do",
      plan: plan.steps,
      tools: [{ id: "t1", status: "completed" }],
      index: 6,
    };
    expect(read).toMatchObject(draft);
    await did(agent, "thread.append", { thread, role: "assistant", leaseId });
    expect(await did(talk, "thread.get", { thread })).toMatchObject({
      draft: null,
      thread: { lease: null, waiting: false },
      messages: [{}, { text: "I will do", answers: messageId, plan: plan.steps, tools: draft.tools }],
    });
    expect(blind.told("thread.part")).toEqual([]);
    expect((await refusal(agent, "thread.part", { leaseId, parts: part("x") })).code).toBe("NOT_FOUND");
  });

  test("[TH25] bounds an answer: parts beyond 1 MB, or too many, are refused and change nothing", async () => {
    const { threads } = onMemory();
    const { thread } = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "x" }));
    const { leaseId } = accepted(await threads.answers.lease(ALICE, thread, { connection: undefined }));
    const add = (count: number, text: string) =>
      threads.answers.parts(ALICE, leaseId, Array(count).fill({ kind: "text", text }));
    accepted(add(1, "x".repeat(1 << 20)));
    expect(refused(add(1, "x"))).toMatchObject({ code: "TOO_LARGE", details: { limit: 1 << 20 } });
    expect(refused(add(100_000, ""))).toMatchObject({ code: "OVERLOADED", details: { limit: 100_000 } });
    expect(accepted(await threads.get(ALICE, thread)).draft).toMatchObject({ index: 1 });
  });

  test("[TH26] brings the wish to stop to its holder", async () => {
    const { talk, agent, thread, leaseId } = await leased();
    expect(await did(talk, "thread.stop", { thread })).toEqual({ asked: true });
    expect(paramsOf(agent.told("thread.stop"))).toEqual([{ thread, leaseId, by: "tester" }]);
    expect(talk.told("thread.stop")).toEqual([]);
    expect(await did(agent, "thread.part", { leaseId, parts: part("I st") })).toMatchObject({
      stopping: true,
    });
    await did(agent, "thread.release", { leaseId });
    expect((await did(talk, "thread.get", { thread })).messages).toMatchObject([
      {},
      { incomplete: "stopped" },
    ]);
    expect(await did(talk, "thread.stop", { thread })).toEqual({ asked: false });
  });

  test("[TH27] survives an answer that the store refused", async () => {
    const { threads, store } = onMemory();
    const { thread } = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "x" }));
    const { leaseId } = accepted(await threads.answers.lease(ALICE, thread, { connection: undefined }));
    accepted(threads.answers.parts(ALICE, leaseId, [{ kind: "text", text: "answer" }]));
    const end = () => threads.append(ALICE, { to: thread, role: "assistant", leaseId });
    store.failNext("full", 1);
    expect(refused(await end()).code).toBe("STORAGE_FULL");
    store.failNext("full", 1);
    expect(refused((await threads.clear(ALICE, thread))!).code).toBe("STORAGE_FULL");
    expect(accepted(await end()).message.text).toBe("answer");
    const changes = { to: thread, role: "assistant", text: "more", changeIds: ["chg_1"] } as const;
    const shelve = store.shelve.bind(store);
    vi.spyOn(store, "shelve")
      .mockImplementationOnce(shelve)
      .mockRejectedValueOnce(new StoreError("full", "no space"));
    expect(refused(await threads.append(ALICE, changes)).code).toBe("STORAGE_FULL");
    expect(accepted(await threads.get(ALICE, thread)).messages).toHaveLength(2);
  });

  test("[TH35] of a daemon that died is an incomplete answer of what anybody was shown, and no answer of nothing", async () => {
    const { threads, again, store, clock } = onMemory();
    const shown: string[] = [];
    threads.listen((event) => {
      if (event.type === "part")
        shown.push(...event.parts.map((one) => ("text" in one ? one.text : one.kind)));
    });
    const lease = async () => {
      const { thread } = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "x" }));
      const { leaseId } = accepted(await threads.answers.lease(ALICE, thread, { connection: "ses_1" }));
      return {
        thread,
        leaseId,
        say: (text: string) => accepted(threads.answers.parts(ALICE, leaseId, [{ kind: "text", text }])),
      };
    };
    const cut = await lease();
    const silent = await lease();
    accepted(threads.answers.parts(ALICE, silent.leaseId, [{ kind: "thought", text: "Hm" }]));
    cut.say("One, ");
    cut.say("two, ");
    await clock.advance(100);
    cut.say("three, ");
    expect(shown).toEqual(["Hm", "One, "]);
    await clock.advance(50);
    cut.say("four");
    expect(shown).toEqual(["Hm", "One, ", "two, ", "three, "]);
    expect([...store.shelf(shelfOf("parts"))]).toHaveLength(3);

    const after = again();
    await after.answers.recover();
    expect(accepted(await after.get(ALICE, cut.thread))).toMatchObject({
      messages: [{ text: "x" }, { text: "One, two, three, ", incomplete: "lost", author: ALICE.name }],
      draft: null,
    });
    expect(accepted(await after.get(ALICE, silent.thread)).messages).toHaveLength(1);
    expect([...store.shelf(shelfOf("parts"))]).toEqual([]);
    await after.answers.recover();
    expect(accepted(await after.get(ALICE, cut.thread)).messages).toHaveLength(2);
  });

  test("[TH35] stores no part beyond its end, and shows parts that a full disk refuses", async () => {
    const { threads, again, store, clock } = onMemory();
    const { thread } = accepted(await threads.append(ALICE, { to: BUNDLE, role: "user", text: "x" }));
    const { leaseId } = accepted(await threads.answers.lease(ALICE, thread, { connection: undefined }));
    const say = (text: string) => accepted(threads.answers.parts(ALICE, leaseId, [{ kind: "text", text }]));
    store.failNext("full", 1);
    say("One, ");
    await drained();
    expect(accepted(await threads.get(ALICE, thread)).draft).toMatchObject({ text: "One, ", index: 1 });
    say("two");
    expect(accepted(await threads.get(ALICE, thread)).draft).toMatchObject({ text: "One, two", index: 2 });
    const other = again();
    await other.answers.recover();
    expect(accepted(await other.get(ALICE, thread)).messages).toMatchObject([{}, { text: "One, two" }]);
    say(", three");
    accepted(await threads.append(ALICE, { to: thread, role: "assistant", leaseId }));
    await clock.advance(1_000);
    expect([...store.shelf(shelfOf("parts"))]).toEqual([]);
  });

  test("[TH28] gives a client that lags a resync with the thread, and then the whole state", async () => {
    const { talk, agent, thread, leaseId } = await leased();
    await did(talk, "subscribe", { thread });
    talk.buffered = 2 << 20;
    await did(agent, "thread.part", { leaseId, parts: part("missed") });
    await drained();
    expect(talk.told("thread.part")).toEqual([]);
    talk.buffered = 0;
    talk.session.drained();
    expect(paramsOf(talk.told("resync"))).toEqual([{ paths: [], threads: [thread] }]);
    expect((await did(talk, "thread.get", { thread })).draft).toMatchObject({ text: "missed", index: 1 });
  });
});

describe("an edit that answers a message", () => {
  const answering = async () => {
    const talk = await greeted({ "a.md": "one\n", "b.md": "b\n" });
    const ids = await started(talk);
    const question = async () => (await did(talk, "thread.get", { thread: ids.thread })).messages[0]!;
    return { talk, ids, question };
  };

  test("[TH29] is noted on the message, and the change names it, also in the history and in the log", async () => {
    const { talk, ids, question } = await answering();
    await did(talk, "subscribe", { path: "a.md" });
    const { changeId } = await did(talk, "edit.append", { path: "a.md", text: "two\n", ...ids });
    await expect.poll(async () => (await question()).changes).toEqual([changeId]);
    expect((await did(talk, "history.list", { path: "a.md" })).changes[0]!).toMatchObject({ answers: ids });
    expect(paramsOf(talk.told("doc.changed"))).toMatchObject([{ changeId, answers: ids }]);
    const logged = talk.logged.filter((line) => line.includes(ids.messageId));
    expect(logged.some((line) => line.includes("thread.message"))).toBe(true);
    expect(logged.some((line) => line.includes(changeId as string))).toBe(true);
    expect(talk.logged.join("\n")).not.toContain("shorten it");
  });

  test("[TH29] is noted after a restart, if a crash came between the change and the note", async () => {
    const { talk, ids, question } = await answering();
    const { changeId } = await did(talk, "edit.append", { path: "a.md", text: "two\n", ...ids });
    await expect.poll(async () => (await question()).changes).toEqual([changeId]);
    const { store } = talk.bench.workspace.ports;
    const { changes: _lost, ...record } = store.shelved(messageShelf, `${ids.thread}/0`)!;
    await store.shelve({ shelf: messageShelf, id: `${ids.thread}/0`, record });
    await talk.bench.restart();
    const again = await talk.again();
    const { messages } = await did(again, "thread.get", { thread: ids.thread });
    expect(messages[0]!.changes).toEqual([changeId]);
  });

  test("[TH29] may be a batch, a preview that a person applies, or a proposal that a person approves", async () => {
    const { talk, ids, question } = await answering();
    const changes: unknown[] = [];
    const sha256 = (await did(talk, "doc.open", { path: "b.md" })).sha256;
    const batch = await did(talk, "batch.apply", {
      files: [{ docPath: "b.md", originalSha256: sha256, text: "B\n" }],
      ...ids,
    });
    changes.push(batch.result!.files[0]!.changeId);
    const params = { path: "a.md", old: "one", new: "1", ...ids };
    const { patch_id, base_hash } = await did(talk, "preview.create", { method: "edit.replace", params });
    const applied = await did(await talk.again(OTHER), "preview.apply", { patch_id, base_hash });
    changes.push(applied.files[0]!.changeId);
    const { id } = await did(talk, "proposal.create", {
      path: "a.md",
      operation: "append",
      proposed_value: "x\n",
      ...ids,
    });
    await expect.poll(async () => (await question()).proposals).toEqual([id]);
    expect(await did(talk, "proposal.get", { id })).toMatchObject({ answers: ids });
    const approved = await did(await talk.again(OTHER), "proposal.approve", { id });
    changes.push(approved.edit.changeId);
    await expect.poll(async () => (await question()).changes).toEqual(changes);
    const lines = talk.logged.filter((line) => line.includes(ids.messageId));
    for (const event of ["batch.applied", "preview.applied", "proposal.approve"])
      expect(lines.some((line) => line.includes(event))).toBe(true);
  });

  test("[TH29] may create, move, delete and restore files", async () => {
    const { talk, ids, question } = await answering();
    await did(talk, "doc.create", { path: "new.md", text: "new\n", ...ids });
    await did(talk, "doc.rename", { path: "new.md", to: "moved.md", ...ids });
    await did(talk, "doc.delete", { path: "moved.md", ...ids });
    await did(talk, "doc.restore", { path: "moved.md", ...ids });
    const { changes } = await did(talk, "history.list", { path: "moved.md" });
    expect(changes.map(({ kind }) => kind)).toEqual(["create", "delete", "rename", "create"]);
    await expect
      .poll(async () => (await question()).changes)
      .toEqual(changes.map(({ changeId }) => changeId).reverse());
  });

  test("[TH30] of a thread that it may not see, or with half of the ids, is refused and made by nobody", async () => {
    const { talk, ids } = await answering();
    const reader = await talk.again(guest(["b.md", "write"]));
    const code = async (extra: object, of = talk) =>
      (await refusal(of, "edit.append", { path: "b.md", text: "x", ...extra })).code;
    expect(await code(ids, reader)).toBe("NOT_FOUND");
    expect(await code({ ...ids, messageId: "msg_none" })).toBe("NOT_FOUND");
    expect(await code({ thread: ids.thread })).toBe("INVALID_ARGUMENT");
    expect(await code({ messageId: ids.messageId })).toBe("INVALID_ARGUMENT");
    expect(talk.bench.read("b.md")).toBe("b\n");
  });

  test("[TH31] may be named with the answer, when it was made without the message's id", async () => {
    const { talk, ids, question } = await answering();
    const { changeId } = await did(talk, "edit.append", { path: "a.md", text: "two\n" });
    const answer = { thread: ids.thread, role: "assistant", text: "done" };
    const wrong = await refusal(talk, "thread.append", { ...answer, changeIds: [changeId, "chg_none"] });
    expect(wrong.code).toBe("NOT_FOUND");
    expect(await textsOf(talk, ids.thread)).toHaveLength(1);
    await did(talk, "thread.append", { ...answer, changeIds: [changeId] });
    expect((await question()).changes).toEqual([changeId]);
  });
});
