import type { Client } from "@modelcontextprotocol/sdk/client/index.js";

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
