import { describe, expect, onTestFinished, test } from "vitest";
import { makeClient } from "../../src/client/client.ts";
import { DisconnectedError } from "../../src/client/errors.ts";
import type { WireListener } from "../../src/client/wire.ts";

const HELLO = {
  protocol: 1,
  session: "s",
  agent: { id: "a", name: "tester" },
  server: { name: "spliced", version: "0" },
  positionEncoding: "utf-32",
  limits: {},
};

/** A client of something that answers each frame as `answer` says; its first connection is the only one. */
function clientOf(
  answer: (listener: WireListener, method: string, id: number) => void,
  patience?: AbortSignal,
) {
  const closed: string[] = [];
  const client = makeClient(
    async (listener) => ({
      send(frame) {
        const { method, id } = JSON.parse(frame) as { method: string; id: number };
        setImmediate(() => answer(listener, method, id));
      },
      close: () => void closed.push("closed"),
    }),
    { name: "tester", reconnect: false },
    {
      wait: async () => {},
      random: () => 0,
      now: () => 0,
      helloTimeout: () => patience ?? new AbortController().signal,
    },
  );
  onTestFinished(() => client.close());
  return { client, closed };
}

const NO_MESSAGES = [
  "garbage{{{",
  "",
  "null",
  "17",
  "[]",
  '{"method":5}',
  '{"method":"doc.changed"}',
  '{"method":"doc.changed","params":null}',
  '{"id":1,"error":null}',
  '{"id":1,"error":"no"}',
  '{"id":1,"error":{}}',
];

describe("a client of what is no daemon", () => {
  test.each(NO_MESSAGES)("[CN13] ends the connection that says %j, and nothing throws", async (frame) => {
    const early = clientOf((listener) => listener.frame(frame));
    await expect(early.client.ready()).rejects.toThrow(DisconnectedError);
    expect(early.closed).not.toEqual([]);
    const late = clientOf((listener, method, id) =>
      listener.frame(method === "hello" ? JSON.stringify({ id, result: HELLO }) : frame),
    );
    await late.client.ready();
    await expect(late.client.doc.list()).rejects.toThrow("no message of the protocol");
    await late.client.closed;
  });

  test.each([null, {}, { ...HELLO, protocol: 2 }])("[CN13] is not greeted by %j", async (result) => {
    const { client } = clientOf((listener, _method, id) => listener.frame(JSON.stringify({ id, result })));
    await expect(client.ready()).rejects.toThrow("does not speak protocol 1");
  });

  test("[CN13] waits for a greeting for a while and not for ever", async () => {
    const patience = new AbortController();
    const { client, closed } = clientOf(() => patience.abort(), patience.signal);
    await expect(client.ready()).rejects.toThrow("did not answer hello in time");
    expect(closed).not.toEqual([]);
  });

  test("[CN13] is told of its own state by nobody else", async () => {
    const { client } = clientOf((listener, method, id) => {
      listener.frame('{"method":"state","params":{}}');
      listener.frame(JSON.stringify({ id, result: method === "hello" ? HELLO : {} }));
    });
    const states: unknown[] = [];
    client.on("state", (state) => states.push(state));
    await client.ready();
    await client.doc.list();
    expect(states).toEqual(["connected"]);
  });
});
