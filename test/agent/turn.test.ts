import { afterEach, describe, expect, test, vi } from "vitest";
import { AnswerFailure } from "../../src/agent/failure.ts";
import { Turn } from "../../src/agent/turn.ts";
import type { Client } from "../../src/client/client.ts";

interface Sent {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** Returns a turn whose requests are recorded, and answered with `answer`. */
function turnWith(answer: (method: string) => object = () => ({ stopping: false })) {
  const sent: Sent[] = [];
  const request = (method: string) => async (params: Record<string, unknown>) => {
    sent.push({ method, params });
    return answer(method);
  };
  const thread = { lease: request("lease"), part: request("part"), append: request("append") };
  const client = { thread, on: () => () => {} } as unknown as Client;
  const lease = { leaseId: "lea_1", messageId: "msg_1", until: "", stopping: false };
  const ended = new AbortController();
  const turn = new Turn({ client, thread: "thr_1", lease, limitMs: 100_000, ended: ended.signal });
  return { turn, sent, ended };
}

afterEach(() => void vi.useRealTimers());

describe("an answer under way", () => {
  test("[AW15] renews its lease while nothing is said, until it ends", async () => {
    vi.useFakeTimers();
    const { turn, sent } = turnWith();
    await vi.advanceTimersByTimeAsync(50_000);
    expect(sent.map(({ method }) => method)).toEqual(["lease", "lease", "lease"]);
    turn.say("Done.");
    await turn.close(undefined);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(sent.slice(3).map(({ method }) => method)).toEqual(["part", "append"]);
  });

  test("[AW15] ends when the daemon takes no more of it", async () => {
    vi.useFakeTimers();
    const { turn } = turnWith(() => {
      throw new Error("the lease has ended");
    });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(turn.signal.reason).toBeInstanceOf(AnswerFailure);
    expect(turn.signal.reason.message).toContain("the lease has ended");
  });

  test("[AW7] ends when a renewal says that somebody asked to stop, and at its limit", async () => {
    vi.useFakeTimers();
    const { turn } = turnWith(() => ({ stopping: true }));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(turn.signal.reason).toMatchObject({ kind: "stopped" });
    const slow = turnWith().turn;
    await vi.advanceTimersByTimeAsync(100_000);
    expect(slow.signal.reason).toMatchObject({ kind: "failed", message: expect.stringContaining("100 s") });
  });

  test("[AW4] says why it ended also where an endpoint's words were cut inside a character", async () => {
    const { turn, sent } = turnWith();
    await turn.close(new AnswerFailure(`refused: ${"😀".slice(0, 1)}.`));
    const { parts } = sent[0]!.params as { parts: { text: string }[] };
    expect(parts[0]!.text).toMatch(/^refused: \ufffd\. It changed nothing/);
  });

  test("[AW1] sends its parts in order, and joins the words between", async () => {
    const { turn, sent } = turnWith();
    for (const word of ["I ", "look", "."]) turn.say(word);
    turn.tool({ id: "t1", title: `Reads\n${"x".repeat(400)}`, status: "in_progress" });
    turn.say("Found \ud800.");
    await turn.close(undefined);
    const parts = sent.flatMap(({ params }) => (params["parts"] ?? []) as object[]);
    expect(parts).toMatchObject([
      { kind: "text", text: "I look." },
      { kind: "tool", id: "t1", title: expect.stringMatching(/^Reads x{293}…$/) },
      { kind: "text", text: "Found \ufffd." },
    ]);
    expect(sent.at(-1)).toEqual({
      method: "append",
      params: { thread: "thr_1", role: "assistant", leaseId: "lea_1" },
    });
  });

  test("[AW4, AW6] says of an incomplete answer what it changed", async () => {
    const { turn, sent } = turnWith();
    turn.made = 2;
    await turn.close(new AnswerFailure("The endpoint was silent."));
    expect(sent[0]!.params["parts"]).toMatchObject([
      { text: expect.stringMatching(/^The endpoint was silent\. 2 edits were made before that, and stay\./) },
    ]);
    expect(sent[1]!.params).toMatchObject({ incomplete: "failed" });
  });
});
