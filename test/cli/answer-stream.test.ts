import { describe, expect, test } from "vitest";
import { AnswerStream } from "../../src/cli/agents/answer-stream.ts";

/** Returns a stream of the answer to a message, and what it has shown. */
function streaming() {
  const shown: string[] = [];
  const stream = new AnswerStream("msg_1", {
    text: (text) => shown.push(text),
    line: (line) => shown.push(`[${line}]`),
  });
  return { stream, shown };
}

const text = (text: string, again = false) => ({ kind: "text", text, ...(again && { again }) }) as const;
const call = (title: string) => ({ id: "t", title, status: "pending" }) as const;
const parts = (index: number, ...parts: readonly ReturnType<typeof text>[]) => ({
  messageId: "msg_1",
  index,
  parts: [...parts],
});
const by = { author: "bot", agent: "owner/bot", kind: "agent" } as const;
const draft = (text: string, index: number) => ({
  messages: [],
  draft: { ...by, messageId: "msg_1", text, thought: "", plan: [], tools: [call("Reads")], index },
});
const said = (text: string) =>
  ({ ...by, id: "msg_2", role: "assistant", text, time: "", answers: "msg_1" }) as const;

describe("an answer as it comes", () => {
  test("[TH33] is shown once, from parts and whole states in any order", () => {
    const { stream, shown } = streaming();
    stream.parts(parts(3, text("missed the beginning")));
    stream.state(draft("I will", 2));
    stream.parts(parts(2, text("will")));
    stream.parts(parts(4, text(" do"), text(" it")));
    stream.state(draft("I will", 2));
    stream.state(draft("I will do it.", 5));
    stream.message(said("I will do it. Done."));
    stream.parts(parts(6, text("late")));
    expect(shown).toEqual(["[Reads]", "I will", " do", " it", ".", " Done."]);
    expect(stream.end?.text).toBe("I will do it. Done.");
  });

  test("[TH33] that begins again is shown again, and answers to other messages are not", () => {
    const { stream, shown } = streaming();
    stream.parts(parts(1, text("I wil")));
    stream.parts({ ...parts(2, text("another")), messageId: "msg_0" });
    stream.parts(parts(2, text("You", true)));
    stream.message({ ...said("another"), answers: "msg_0" });
    expect(shown).toEqual(["I wil", "\nYou"]);
    expect(stream.end).toBeUndefined();
  });
});
