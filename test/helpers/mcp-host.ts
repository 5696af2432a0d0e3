import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

/** The result of a tool: its texts, and whether it is a refusal. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** The host of a model: the client of the official SDK. */
export class Host {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: args });
    const content = result.content as { type: string; text: string }[];
    return { text: content.map(({ text }) => text).join("\n"), isError: result.isError === true };
  }

  /** Returns the text of a tool's result, which must not be a refusal. */
  async say(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { text, isError } = await this.call(name, args);
    if (isError) throw new Error(`${name} was refused: ${text}`);
    return text;
  }

  /** Returns the text of a tool's result, which must be a refusal. */
  async refused(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { text, isError } = await this.call(name, args);
    if (!isError) throw new Error(`${name} was not refused: ${text}`);
    return text;
  }
}

/**
 * Returns a client that is connected to an MCP endpoint. Its stream of notifications is open, by which the daemon knows
 * between two requests that the client is there.
 */
export async function connectOverHttp(url: string, token: string, name: string): Promise<Client> {
  let opened = (_: unknown) => {};
  const streaming = new Promise((resolve) => {
    opened = resolve;
  });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    async fetch(to, init) {
      const response = await fetch(to, init);
      if (init?.method === "GET") opened(response);
      return response;
    },
  });
  const client = new Client({ name, version: "1" });
  // The SDK's own types leave out that a transport's session id may be undefined.
  await client.connect(transport as Transport);
  await streaming;
  return client;
}
