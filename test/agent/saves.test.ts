import { expect, onTestFinished, test, vi } from "vitest";
import { finish } from "../../src/agent/acp/finish.ts";
import { Saves } from "../../src/agent/acp/saves.ts";
import type { Turn } from "../../src/agent/turn.ts";
import type { Client } from "../../src/client/client.ts";
import { LeftAnswers } from "../../src/state/left-answers.ts";

test("[KR18] an answer ends once the daemon has taken in what its tools did, however late that is", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const heard = new Map<string, (news: object) => void>();
  let takenIn = (_answer: object) => {};
  const waiting = new Promise<object>((answer) => {
    takenIn = answer;
  });
  const keeper = {
    hello: { agent: { id: "owner/bot" } },
    on: (event: string, listener: (news: object) => void) => heard.set(event, listener),
    subscribe: async () => ({}),
    claim: {
      open: async () => ({ claimId: "clm_1" }),
      close: async ({ wait = false }) => (wait ? waiting : {}),
    },
  } as unknown as Client;
  const left = new LeftAnswers("/nowhere");
  const log = () => {};
  const saves = await Saves.watching({ keeper, name: "bot", restricted: false, lane: undefined, left, log });
  const turn = { thread: "thr_1", answers: {}, changeIds: [] as string[], made: 0 };
  saves.begin(turn as unknown as Turn);
  saves.open("call", undefined);
  saves.close("call");
  const ending = saves.end();
  await vi.advanceTimersByTimeAsync(10_000);
  heard.get("doc.changed")!({
    agent: "owner/bot",
    author: "bot",
    changeId: "chg_1",
    path: "a.md",
    splices: [],
  });
  takenIn({});
  await ending;
  expect(turn.changeIds).toEqual(["chg_1"]);
});

test("[KR18] a left answer is finished once the daemon has taken in what its tools did", async () => {
  const asked: string[] = [];
  const keeper = {
    hello: { agent: { id: "owner/bot" } },
    claim: { close: async ({ wait = false }) => void asked.push(wait ? "waits" : "closes") },
    history: {
      list: async () => {
        asked.push("lists");
        return { changes: [], more: false };
      },
    },
  } as unknown as Client;
  const client = { thread: { get: async () => ({ thread: {}, messages: [] }) } } as unknown as Client;
  const left = { name: "bot", thread: "thr_1", messageId: "msg_1", since: "2000-01-01T00:00:00Z" };
  expect(await finish(left, { client, keeper, log: () => {} })).toBe(true);
  expect(asked).toEqual(["waits", "lists"]);
});
