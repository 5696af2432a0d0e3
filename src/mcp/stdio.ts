import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Client } from "../client/client.ts";
import { createMcpSession } from "./server.ts";

export interface StdioOptions {
  readonly version: string;
  readonly agent?: string | undefined;
  /** A client under a name, which finds or starts a daemon whenever it is asked for something and has none. */
  readonly connect: (name: string) => Client;
  readonly input: Readable;
  /** Carries the protocol and nothing else. */
  readonly output: Writable;
  /** Told in a line what goes wrong. */
  readonly log: (line: string) => void;
}

/** The longest message that is taken: a document's text, escaped. */
const MOST_BYTES = 64 << 20;

/** Serves one MCP client over a pair of streams until it ends its input or `signal` says so. */
export async function serveStdio(options: StdioOptions, signal: AbortSignal): Promise<void> {
  const { version, agent, connect, input, output, log } = options;
  const open = (name: string) => {
    const client = connect(name);
    // So that the daemon is there by the time of the first call; what is wrong is told again then.
    client.ready().catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
    return client;
  };
  const session = createMcpSession({ version, open, agent, ready: () => !output.writableNeedDrain });
  const { server } = session;
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    input.once("end", end);
    input.once("close", end);
    output.once("error", end); // nobody reads any more
    signal.addEventListener("abort", end, { once: true });
    server.onclose = end;
  });
  server.onerror = (error) => log(error.message);
  await server.connect(new StdioServerTransport(input, output, { maxBufferSize: MOST_BYTES }));
  await ended;
  if (!signal.aborted) {
    // What was asked just before the end of the input is answered still.
    await new Promise((resolve) => setImmediate(resolve));
    await session.idle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await session.close();
}
