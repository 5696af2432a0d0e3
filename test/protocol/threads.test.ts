import { describe, expect, test } from "vitest";
import { EVERYTHING } from "../../src/workspace/rights.ts";
import { Threads } from "../../src/workspace/threads.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { ALICE, accepted, Bench, refused } from "../workspace/harness.ts";
import { greeted } from "./talk.ts";

const KEY = { user: "owner", about: { bundle: "b" } };
const budget = (maxTokens: number, reserveTokens = 10) => ({ maxTokens, reserveTokens });

function threadsOf(bench: Bench, clock = bench.workspace.ports.clock) {
  return new Threads({ ...bench.workspace.ports, clock }, bench.workspace.newId);
}

describe("threads", () => {
  test("[TH1] are kept for their document, through renames and restarts, until they are cleared", async () => {
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

  test("[TH1] are one token's own; its connections hear of messages, others do not", async () => {
    const talk = await greeted({});
    const [same, other] = [await talk.again(), await talk.again({ name: "guest", rights: EVERYTHING })];
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

  test("[TH2] refuse a message that cannot fit, and a second request at a time, and stay as they are", async () => {
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

  test("[TH3] are forgotten 30 days after their last message", async () => {
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
