import type { Client } from "@modelcontextprotocol/sdk/client/index.js";

/** What a tool answered: its texts, and whether it is a refusal. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** A model's host: the official SDK's client. */
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

  /** What a tool says, which must not be a refusal. */
  async say(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { text, isError } = await this.call(name, args);
    if (isError) throw new Error(`${name} was refused: ${text}`);
    return text;
  }

  /** What a tool says against it, which must be a refusal. */
  async refused(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { text, isError } = await this.call(name, args);
    if (!isError) throw new Error(`${name} was not refused: ${text}`);
    return text;
  }
}
