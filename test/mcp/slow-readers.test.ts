import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { StdioTransport } from "../../src/mcp/stdio-transport.ts";
import { sendWeb } from "../../src/mcp/web-http.ts";

/** Returns the listeners to the end of a stream, which a client that reads slowly must not multiply. */
const listening = (stream: PassThrough) => stream.listenerCount("close") + stream.listenerCount("drain");

describe("[MC76] a client that reads slowly", () => {
  test("leaves nothing behind over standard streams", async () => {
    const output = new PassThrough({ highWaterMark: 10 });
    const transport = new StdioTransport(new PassThrough(), output, async () => {});
    const before = listening(output);
    for (let id = 0; id < 12; id++) {
      const sent = transport.send({
        jsonrpc: "2.0",
        id,
        result: { text: "x".repeat(100) },
      } as JSONRPCMessage);
      output.read();
      await sent;
    }
    expect(listening(output)).toBe(before);
  });

  test("leaves nothing behind over HTTP, while its stream of notifications stays open", async () => {
    const response = Object.assign(new PassThrough({ highWaterMark: 10 }), {
      writeHead() {},
      flushHeaders() {},
    });
    let more: (part: string | undefined) => void = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        more = (part) =>
          part === undefined ? controller.close() : controller.enqueue(new TextEncoder().encode(part));
      },
    });
    const sending = sendWeb(new Response(body), response as unknown as ServerResponse);
    const counts: number[] = [];
    for (let i = 0; i < 12; i++) {
      more("x".repeat(100));
      await expect.poll(() => response.read() !== null).toBe(true);
      await new Promise(setImmediate);
      counts.push(listening(response));
    }
    expect(counts.at(-1)).toBe(counts[0]);
    more(undefined);
    response.resume();
    await sending;
  });
});
