import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Client } from "../client/client.ts";
import { createMcpSession } from "./server.ts";

interface StdioOptions {
  readonly version: string;
  readonly agent?: string | undefined;
  /** Opens a client under a name. Each request of that client finds or starts a daemon if it has none. */
  readonly connect: (name: string) => Client;
  readonly input: Readable;
  /** The stream of the protocol; nothing else may be written to it. */
  readonly output: Writable;
  /** Logs one line about an error. */
  readonly log: (line: string) => void;
}

/** Bytes of the longest message: a document's text, escaped. */
const MOST_BYTES = 64 << 20;

/** Serves one MCP client over a pair of streams until the input ends or `signal` aborts. */
export async function serveStdio(options: StdioOptions, signal: AbortSignal): Promise<void> {
  const { version, agent, connect, input, output, log } = options;
  const open = (name: string) => {
    const client = connect(name);
    // Starts the daemon before the first call. The next call reports the same error again.
    client.ready().catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
    return client;
  };
  const session = createMcpSession({ version, open, agent, ready: () => !output.writableNeedDrain });
  const { server } = session;
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    input.once("end", end);
    input.once("close", end);
    output.once("error", end); // the client has gone
    signal.addEventListener("abort", end, { once: true });
    server.onclose = end;
  });
  server.onerror = (error) => log(error.message);
  await server.connect(new StdioServerTransport(input, output, { maxBufferSize: MOST_BYTES }));
  await ended;
  if (!signal.aborted) {
    // Calls from just before the end of the input still get their answers.
    await new Promise((resolve) => setImmediate(resolve));
    await session.idle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await session.close();
}
