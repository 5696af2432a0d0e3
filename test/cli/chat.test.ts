import { afterEach, expect, test, vi } from "vitest";
import { answerTo, chat } from "../../src/cli/agents/chat.ts";
import type { Client } from "../../src/client/client.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

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

test.each([
  [undefined, 0],
  ["failed", 1],
  ["stopped", 1],
  ["lost", 1],
])("[TM86] a command whose answer is %s ends with %i", async (incomplete, code) => {
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  const answer = incomplete === undefined ? ANSWER : { ...ANSWER, incomplete };
  const client = {
    on: () => () => {},
    closed: new Promise(() => {}),
    subscribe: () => Promise.resolve(),
    thread: {
      list: () => Promise.resolve({ threads: [{ id: "thr_1", private: false }] }),
      append: () => Promise.resolve({ thread: "thr_1", messageId: "msg_1" }),
      get: () => Promise.resolve({ thread: UNHELD, messages: [answer], draft: null }),
    },
  } as unknown as Client;
  const request = { document: "a.md", path: "a.md", message: "Shorten it.", wait: 5, json: true };
  const ended = chat(client, request).then(
    () => 0,
    ({ exitCode }: { readonly exitCode: number }) => exitCode,
  );
  expect(await ended).toBe(code);
});
