import { describe, expect, test } from "vitest";
import { eventsOf } from "../../src/agent/openai/events.ts";
import { type Reply, ReplyReader } from "../../src/agent/openai/reply.ts";

/** Returns the data of the events of a stream whose bytes come in pieces of this size. */
async function eventsIn(text: string, size: number): Promise<string[]> {
  const bytes = new TextEncoder().encode(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const found: string[] = [];
  for await (const data of eventsOf(pieces())) found.push(data);
  return found;
}

function replyOf(...chunks: object[]): Reply {
  const reader = new ReplyReader({ text: () => {}, thought: () => {} });
  for (const chunk of chunks) reader.read(JSON.stringify(chunk));
  return reader.end();
}

const called = (...tool_calls: object[]) => ({ choices: [{ delta: { tool_calls } }] });
const END = { choices: [{ delta: {}, finish_reason: "tool_calls" }] };

describe("the stream of an endpoint", () => {
  test.each([1, 2, 3, 7, 1000])("[AW1] is read alike in pieces of %i bytes", async (size) => {
    const text = ": comment\r\ndata: {é}\r\n\r\nevent: x\ndata: a\ndata: b\n\ndata:[DONE]\n\n";
    expect(await eventsIn(text, size)).toEqual(["{é}", "a\nb", "[DONE]"]);
  });

  test("[AW4] ends with an event that is too long", async () => {
    await expect(eventsIn(`data: ${"x".repeat(5 << 20)}`, 1 << 20)).rejects.toThrow("too long");
  });
});

describe("a reply", () => {
  test("[AW1] has tool calls in pieces, with and without numbers and ids", () => {
    const numbered = replyOf(
      called({ index: 0, id: "a", function: { name: "read", arguments: "" } }),
      called({ index: 1, id: "b", function: { name: "edit", arguments: "{" } }),
      called({ index: 1, function: { arguments: "}" } }),
      END,
    );
    expect(numbered.calls).toEqual([
      { id: "a", name: "read", args: "" },
      { id: "b", name: "edit", args: "{}" },
    ]);
    const bare = replyOf(called({ id: "a", function: { name: "read", arguments: "{}" } }), END);
    expect(bare.calls).toEqual([{ id: "a", name: "read", args: "{}" }]);
    const nameless = replyOf(called({ index: 0, function: { name: "read", arguments: "{}" } }), END);
    expect(nameless.calls).toEqual([{ id: "call_1", name: "read", args: "{}" }]);
  });

  test("[AW4] counts only once it is whole", () => {
    const begun = called({ index: 0, id: "a", function: { name: "edit", arguments: "{}" } });
    expect(() => replyOf(begun)).toThrow("cut before its end");
    expect(() => replyOf(begun, { choices: [{ delta: {}, finish_reason: "length" }] })).toThrow("was cut");
    expect(() => replyOf({ choices: "none" })).toThrow("no chat completion");
    expect(() => replyOf(called({ index: 0, function: { arguments: "{}" } }), END)).toThrow("without a name");
  });
});
