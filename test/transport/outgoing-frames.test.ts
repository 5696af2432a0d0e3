import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { OutgoingFrames } from "../../src/transport/outgoing-frames.ts";

/** A connected pair: the server's side with its frames, and what the client has received. */
async function connected() {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const accepted = once(server, "connection");
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => client.terminate());
  const received: string[] = [];
  client.on("message", (data, isBinary) => received.push(isBinary ? "binary" : String(data)));
  const [ws, { socket }] = (await accepted) as [WebSocket, { socket: Duplex }];
  await once(client, "open");
  const onEmpty = vi.fn();
  return { ws, socket, client, received, onEmpty, frames: new OutgoingFrames(ws, socket, onEmpty) };
}

test("[SE16] texts of every length arrive whole and in order, also beside frames of the WebSocket itself", async () => {
  const { ws, received, frames } = await connected();
  const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000];
  const texts = lengths.flatMap((length) => ["x".repeat(length), `${"é😀".repeat(length >> 3)}.`]);
  for (const text of texts) frames.add(text);
  await setImmediate();
  for (const [i, text] of texts.entries()) {
    frames.add(text);
    if (i % 3 === 0) ws.ping();
    if (i % 2 === 0) await setImmediate();
  }
  await expect.poll(() => received.length).toBe(2 * texts.length);
  expect(received).toEqual([...texts, ...texts]);
});

test("[SE16] the frames of one turn are one write, and a text for several sockets is encoded once", async () => {
  const [one, other] = [await connected(), await connected()];
  const writes = [one, other].map(({ socket }) => vi.spyOn(socket, "write"));
  const sent = vi.fn();
  for (const text of ["a", "b", "c"]) one.frames.add(text, sent);
  expect(one.frames.buffered).toBe(9);
  await expect.poll(() => one.received).toEqual(["a", "b", "c"]);
  expect(writes[0]!.mock.calls).toHaveLength(1);
  expect(sent).toHaveBeenCalledTimes(3);
  expect(one.frames.buffered).toBe(0);
  for (const { frames } of [one, other]) frames.add("to both");
  await expect.poll(() => [one.received.at(-1), other.received.at(-1)]).toEqual(["to both", "to both"]);
  expect(writes[0]!.mock.calls[1]![0]).toBe(writes[1]!.mock.calls[0]![0]);
});

test("[SE16] what a closed connection did not send counts as done", async () => {
  const { ws, client, received, frames } = await connected();
  const sent = vi.fn();
  frames.add("before", sent);
  frames.flush();
  ws.close();
  frames.add("after", sent);
  await once(client, "close");
  await expect.poll(() => sent.mock.calls.length).toBe(2);
  expect([received, frames.buffered]).toEqual([["before"], 0]);
});

test("[SE8] a connection hears that the system has taken all bytes, also where it took them at once", async () => {
  const { socket, client, received, onEmpty, frames } = await connected();
  frames.add("taken at once");
  await expect.poll(() => received).toHaveLength(1);
  expect(onEmpty).toHaveBeenCalledTimes(1);
  client.pause();
  const long = "x".repeat(64 << 20);
  frames.add(long);
  frames.flush();
  expect(socket.writableNeedDrain).toBe(true);
  frames.add("last");
  frames.flush();
  expect(onEmpty).toHaveBeenCalledTimes(1);
  client.resume();
  await expect.poll(() => received.at(-1), { timeout: 10_000 }).toBe("last");
  expect(onEmpty).toHaveBeenCalledTimes(2);
});
