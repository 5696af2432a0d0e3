import { describe, expect, test } from "vitest";
import { begunAnswer, withParts } from "../../src/web/state/threads/answer-draft.ts";
import type { AnswerDraft, ThreadMessage } from "../../src/web/state/threads/thread-types.ts";
import { DRAFT, placesOfWork } from "../../src/web/views/threads/work.ts";

const until = "2026-01-01T00:00:00Z";
const holder = { author: "claude", agent: "owner/claude", kind: "agent", messageId: "m1" } as const;
const begun = begunAnswer({ lease: { ...holder, until, stopping: false } })!;
const words = (index: number, ...texts: string[]) => ({
  messageId: "m1",
  index,
  parts: texts.map((text) => ({ kind: "text" as const, text })),
});

describe("an answer under way", () => {
  test("[WP121] takes each part once, and asks to be read again after a gap", () => {
    const two = withParts(begun, words(2, "a", "b"));
    expect(two).toMatchObject({ text: "ab", index: 2 });
    expect(withParts(two!, words(3, "b", "c"))).toMatchObject({ text: "abc", index: 3 });
    expect(withParts(two!, words(1, "a"))).toMatchObject({ text: "ab", index: 2 });
    expect(withParts(two!, words(4, "d"))).toBeUndefined();
    expect(withParts(two!, { ...words(3, "c"), messageId: "m2" })).toBeUndefined();
    expect(withParts(null, words(1, "a"))).toBeUndefined();
    expect(begunAnswer({ lease: null })).toBeNull();
  });

  test("[WP121] replaces its plan, a call that it knows, and a text that begins again", () => {
    const call = { kind: "tool", id: "1", title: "Reads", status: "in_progress" } as const;
    const step = { text: "Read", status: "pending" } as const;
    const first = withParts(begun, {
      messageId: "m1",
      index: 4,
      parts: [call, { kind: "plan", steps: [step] }, ...words(0, "x").parts, { kind: "thought", text: "hm" }],
    })!;
    const then = withParts(first, {
      messageId: "m1",
      index: 7,
      parts: [
        { ...call, status: "completed" },
        { kind: "plan", steps: [{ ...step, status: "completed" }] },
        { kind: "text", text: "y", again: true },
      ],
    });
    expect(then).toMatchObject({
      tools: [{ id: "1", title: "Reads", status: "completed" }],
      plan: [{ text: "Read", status: "completed" }],
      text: "y",
      thought: "hm",
      index: 7,
    });
  });
});

describe("the work of an answer", () => {
  const message = (id: string, more: Partial<ThreadMessage> = {}): ThreadMessage => ({
    id,
    role: more.answers === undefined ? "user" : "assistant",
    text: id,
    author: "ada",
    time: until,
    ...more,
  });

  test("[WP123] is below the last answer, below the answer under way, or below the question", () => {
    const question = message("q", { changes: ["c1"], proposals: ["p1"] });
    const first = message("a1", { answers: "q", incomplete: "lost" });
    const last = message("a2", { answers: "q", changes: ["c1", "c2"] });
    const all = { changes: ["c1", "c2"], proposals: ["p1"] };
    expect([...placesOfWork([question, first, last], null)]).toEqual([["a2", all]]);
    expect([...placesOfWork([question], null).keys()]).toEqual(["q"]);
    const draft: AnswerDraft = { ...begun, messageId: "q" };
    expect([...placesOfWork([question, first], draft).keys()]).toEqual([DRAFT]);
  });
});
