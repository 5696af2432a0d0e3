import { afterEach, expect, test, vi } from "vitest";
import { answerTo } from "../../src/cli/agents/chat.ts";
import type { Client } from "../../src/client/client.ts";

afterEach(() => void vi.useRealTimers());

const ANSWER = { id: "msg_2", role: "assistant", text: "Done.", answers: "msg_1" };
const UNHELD = { id: "thr_1", lease: null };
const HELD = { id: "thr_1", lease: { messageId: "msg_1" } };

test("[TH33] a whole state from before the lease does not end the wait for the answer", async () => {
  const listeners = new Map<string, (params: unknown) => void>();
  const client = {
    on: (name: string, listener: (params: unknown) => void) => listeners.set(name, listener),
    closed: new Promise(() => {}),
    subscribe: () => Promise.resolve(),
    thread: {
      get: () => {
        // The lease began while the daemon put this state together.
        listeners.get("thread.changed")!({ thread: HELD });
        return Promise.resolve({ thread: UNHELD, messages: [], draft: null });
      },
    },
  } as unknown as Client;
  const answer = answerTo(client, "thr_1", "msg_1", { wait: 5, json: true });
  await Promise.resolve().then(() => new Promise(setImmediate));
  listeners.get("thread.message")!({ thread: UNHELD, message: ANSWER });
  expect(await answer).toBe(ANSWER);
});

test("[TH33] a command whose daemon goes away does not live on until its patience ends", async () => {
  vi.useFakeTimers();
  const client = {
    on: () => () => {},
    closed: Promise.resolve(),
    reason: new Error("the daemon is stopping"),
    subscribe: () => new Promise(() => {}),
  } as unknown as Client;
  const answer = answerTo(client, "thr_1", "msg_1", { wait: 600, json: true });
  await expect(answer).rejects.toThrow("the daemon is stopping");
  expect(vi.getTimerCount()).toBe(0);
});
