import type { Readable, Writable } from "node:stream";
import { serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import type { Client } from "../client/client.ts";
import { McpSession } from "./session.ts";
import { StdioTransport } from "./stdio-transport.ts";

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

/** Serves one MCP client over a pair of streams until the input ends or `signal` aborts. */
export async function serveStdio(options: StdioOptions, signal: AbortSignal): Promise<void> {
  const { version, agent, connect, input, output, log } = options;
  const open = (name: string) => {
    const client = connect(name);
    // Starts the daemon before the first call. The next call reports the same error again.
    client.ready().catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
    return client;
  };
  const session = new McpSession({ version, open, agent, ready: () => !output.writableNeedDrain });
  const transport = new StdioTransport(input, output, (filter, client) => session.listen(filter, client));
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    input.once("end", end);
    input.once("close", end);
    output.once("error", end); // the client has gone
    signal.addEventListener("abort", end, { once: true });
    void transport.closed.then(end);
  });
  const connection = serveConnection(({ era }) => session.server(era), {
    transport,
    onerror: (error) => log(error.message),
  });
  await ended;
  if (!signal.aborted) await transport.idle();
  await session.close();
  await connection.close();
}
