import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "../e2e/cleanup.ts";

/** One turn of a scripted model: a call of one of our tools. */
export interface Turn {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Runs before the call: what others do meanwhile. */
  readonly before?: () => void | Promise<void>;
}

interface Request {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** A model behind an endpoint in OpenAI's form that plays a script, so that real agents run without a network. */
export class ScriptedModel {
  readonly url: string;
  /** The results of the calls so far, as the agent passed them back. */
  readonly results: string[] = [];
  /** Why the script could not be played. */
  readonly problems: string[] = [];

  private constructor(url: string) {
    this.url = url;
  }

  static async playing(turns: readonly Turn[]): Promise<ScriptedModel> {
    const server = createServer(async (asked, answer) => {
      const parts: Buffer[] = [];
      for await (const part of asked) parts.push(part as Buffer);
      if (asked.method !== "POST") return void answer.writeHead(404).end();
      await model.#answer(JSON.parse(Buffer.concat(parts).toString("utf8")) as Request, turns, answer);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    atEnd(() => {
      server.close();
      server.closeAllConnections();
    });
    const model = new ScriptedModel(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    return model;
  }

  async #answer(
    { model, stream, messages, tools = [] }: Request,
    turns: readonly Turn[],
    answer: ServerResponse,
  ) {
    const results = messages.filter(({ role }) => role === "tool");
    const turn = turns[results.length];
    // Agents also ask for titles and summaries, without tools.
    if (tools.length === 0 || turn === undefined) {
      if (tools.length > 0) this.#keep(results);
      return send(answer, model, stream, { role: "assistant", content: "Done." }, "stop");
    }
    this.#keep(results);
    await turn.before?.();
    // Some agents put the server's name before ours.
    const name = tools.map((tool) => tool.function.name).find((one) => one.endsWith(turn.tool));
    if (name === undefined)
      this.problems.push(`no tool ${turn.tool} among ${tools.map((tool) => tool.function.name).join(", ")}`);
    const call = {
      index: 0,
      id: `call_${results.length}`,
      type: "function",
      function: { name: name ?? turn.tool, arguments: JSON.stringify(turn.args) },
    };
    send(answer, model, stream, { role: "assistant", content: null, tool_calls: [call] }, "tool_calls");
  }

  #keep(results: readonly { readonly content: unknown }[]): void {
    this.results.splice(0, this.results.length, ...results.map(({ content }) => JSON.stringify(content)));
  }
}

function send(
  answer: ServerResponse,
  model: string,
  stream: boolean | undefined,
  message: object,
  finish_reason: string,
): void {
  const common = { id: "answer", created: 0, model };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  if (stream !== true) {
    answer.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, message, finish_reason }];
    return void answer.end(JSON.stringify({ ...common, object: "chat.completion", choices, usage }));
  }
  answer.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (delta: object, finish: string | null) =>
    JSON.stringify({
      ...common,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
      usage: finish === null ? null : usage,
    });
  answer.end(`data: ${chunk(message, null)}\n\ndata: ${chunk({}, finish_reason)}\n\ndata: [DONE]\n\n`);
}
