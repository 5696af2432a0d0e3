import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeClient } from "../../src/client/client.ts";
import { DisconnectedError } from "../../src/client/errors.ts";
import { dialing } from "../../src/client/node.ts";
import type { WireListener } from "../../src/client/wire.ts";

const HELLO = {
  protocol: 1,
  session: "s",
  agent: { id: "a", name: "tester" },
  server: { name: "spliced", version: "0" },
  positionEncoding: "utf-32",
  limits: {},
};

/** Returns a client of a server that answers each frame with `answer`; it connects once. */
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

describe("a client of another server", () => {
  test.each(NO_MESSAGES)("[CN13] ends the connection after %j, and nothing throws", async (frame) => {
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

  test.each([null, {}, { ...HELLO, protocol: 2 }])(
    "[CN13] does not accept %j as an answer to hello",
    async (result) => {
      const { client } = clientOf((listener, _method, id) => listener.frame(JSON.stringify({ id, result })));
      await expect(client.ready()).rejects.toThrow("does not speak protocol 1");
    },
  );

  test("[CN13] limits its wait for the answer to hello", async () => {
    const patience = new AbortController();
    const { client, closed } = clientOf(() => patience.abort(), patience.signal);
    await expect(client.ready()).rejects.toThrow("did not answer hello in time");
    expect(closed).not.toEqual([]);
  });

  test("[CN13] says that a server which accepts the connection and stays silent did not answer in time", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    silent.on("connection", (socket) => onTestFinished(() => void socket.destroy()));
    const { port } = silent.address() as AddressInfo;
    const dial = dialing({ rpc: `ws://127.0.0.1:${port}/rpc`, token: "key" });
    const attempt = dial({ frame: () => undefined, end: () => undefined }, AbortSignal.timeout(50));
    await expect(attempt).rejects.toThrow(/no daemon answers at .*: it did not answer in time/);
  });

  test("[CN13] ignores its own events from the server", async () => {
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
