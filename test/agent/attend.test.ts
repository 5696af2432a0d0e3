import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { attend } from "../../src/agent/attend.ts";
import type { Client } from "../../src/client/client.ts";
import { DisconnectedError, RefusedError } from "../../src/client/errors.ts";

/** A daemon with one thread that waits until it is answered; `failures` refuse what the agent does first. */
function daemonWith(failures: { connect?: Error[]; list?: Error[]; lease?: Error[] }) {
  const done: string[] = [];
  let waits = true;
  const perform = (what: "connect" | "list" | "lease") => {
    done.push(what);
    const failure = failures[what]?.shift();
    if (failure !== undefined) throw failure;
  };
  const last = { id: "msg_1", role: "user", kind: "person", author: "ada", text: "Shorten it." };
  const thread = { id: "thr_1", status: "open", lease: null, waiting: true, last };
  const client = {
    on: () => () => {},
    subscribe: async () => ({}),
    closed: new Promise(() => {}),
    close: async () => {},
    thread: {
      list: async () => {
        perform("list");
        return { threads: waits ? [thread] : [] };
      },
      lease: async () => {
        perform("lease");
        return { leaseId: "lea_1", messageId: "msg_1", until: "", stopping: false };
      },
      get: async () => ({ messages: [last] }),
      part: async () => ({ stopping: false }),
      append: async () => {
        done.push("answer");
        waits = false;
      },
    },
  } as unknown as Client;
  const connect = async (reconnect: boolean) => {
    if (!reconnect) perform("connect");
    return client;
  };
  return { connect, done };
}

function attended(daemon: ReturnType<typeof daemonWith>) {
  const ended = new AbortController();
  const answerer = { atOnce: 1, answer: async () => {}, close: async () => {} };
  const { connect } = daemon;
  const options = { name: "bot", connect, answerer, limitMs: 100_000, log: () => {}, ended: ended.signal };
  return { running: attend(options), ended };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("[AW18] a thread that waits is answered", () => {
  const overloaded = () =>
    new RefusedError({ code: -32000, message: "busy", data: { code: "OVERLOADED", details: {} } });

  test.each([
    [
      "takes no connection for a while",
      { connect: [new DisconnectedError("429"), new DisconnectedError("429")] },
    ],
    ["lists no threads for a while", { list: [overloaded()] }],
    ["grants no lease for a while", { lease: [overloaded()] }],
  ])("also if the daemon %s", async (_what, failures) => {
    const daemon = daemonWith(failures);
    const { running, ended } = attended(daemon);
    await vi.advanceTimersByTimeAsync(10_000);
    ended.abort();
    await running;
    expect(daemon.done.filter((what) => what === "answer")).toEqual(["answer"]);
  });

  test("and one that the daemon refuses for good is not asked for again and again", async () => {
    const forbidden = new RefusedError({
      code: -32000,
      message: "no",
      data: { code: "PERMISSION_DENIED", details: {} },
    });
    const daemon = daemonWith({ lease: [forbidden] });
    const { running, ended } = attended(daemon);
    await vi.advanceTimersByTimeAsync(600_000);
    ended.abort();
    await running;
    expect(daemon.done).toEqual(["list", "connect", "lease"]);
  });

  test("no timer outlives the agent", async () => {
    const daemon = daemonWith({ connect: [new DisconnectedError("429")] });
    const { running, ended } = attended(daemon);
    await vi.advanceTimersByTimeAsync(10);
    ended.abort();
    await running;
    expect(vi.getTimerCount()).toBe(0);
  });
});
