import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "../e2e/cleanup.ts";

/** One step of a scripted model: a call of a tool, or its last words. */
export type Step = { readonly tool: string; readonly args: object } | { readonly text: string };

export interface ModelServer {
  /** The address, without a path. */
  readonly url: string;
  /** The requests that no dialect knows, and those for which the script has no answer. */
  readonly problems: readonly string[];
}

/** How the requests and answers of one kind of endpoint are written. */
interface Dialect {
  readonly path: RegExp;
  /** Returns how many results of tools a request passes back; undefined for a request that offers no tools. */
  readonly results: (body: Body) => number | undefined;
  readonly send: (response: ServerResponse, step: Step, at: number) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: each dialect reads the few fields of its requests that it needs.
type Body = any;

/** Starts a model on this machine that plays the steps in the dialect in which it is asked, so that real agents run. */
export async function scriptedModel(steps: () => readonly Step[]): Promise<ModelServer> {
  const problems: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const dialect = DIALECTS.find(({ path }) => path.test(request.url!));
    if (request.method !== "POST" || dialect === undefined) {
      problems.push(`${request.method} ${request.url}`);
      return void response.writeHead(404).end("{}");
    }
    const at = dialect.results(JSON.parse(text));
    const script = steps();
    // Agents also ask for titles and summaries, without tools.
    dialect.send(
      response,
      at === undefined ? { text: "Notes" } : script[Math.min(at, script.length - 1)]!,
      at ?? 0,
    );
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, problems };
}

function events(response: ServerResponse, ...list: readonly object[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of list) {
    if ("type" in event) response.write(`event: ${event.type}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function offers(tools: readonly unknown[] | undefined, results: number): number | undefined {
  return tools === undefined || tools.length === 0 ? undefined : results;
}

const chat: Dialect = {
  path: /\/chat\/completions$/,
  results: ({ tools, messages }) =>
    offers(tools, messages.filter((each: Body) => each.role === "tool").length),
  send(response, step, at) {
    const delta =
      "text" in step
        ? { role: "assistant", content: step.text }
        : {
            role: "assistant",
            tool_calls: [
              {
                index: 0,
                id: `call_${at}`,
                type: "function",
                function: { name: step.tool, arguments: JSON.stringify(step.args) },
              },
            ],
          };
    const finish = "text" in step ? "stop" : "tool_calls";
    const chunk = (choice: object) => ({
      id: "a",
      object: "chat.completion.chunk",
      created: 0,
      choices: [choice],
    });
    events(
      response,
      chunk({ index: 0, delta, finish_reason: null }),
      chunk({ index: 0, delta: {}, finish_reason: finish }),
    );
  },
};

const gemini: Dialect = {
  path: /:(stream)?[gG]enerateContent/,
  results: ({ tools, contents }) =>
    offers(
      tools,
      contents.flatMap(({ parts }: Body) => parts).filter((part: Body) => part.functionResponse !== undefined)
        .length,
    ),
  send(response, step) {
    const part =
      "text" in step ? { text: step.text } : { functionCall: { name: step.tool, args: step.args } };
    const content = { role: "model", parts: [part] };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    events(response, { candidates: [{ index: 0, content, finishReason: "STOP" }], usageMetadata });
  },
};

const anthropic: Dialect = {
  path: /\/v1\/messages(\?|$)/,
  results: ({ tools, messages }) =>
    offers(
      tools,
      messages.flatMap(({ content }: Body) => content).filter(({ type }: Body) => type === "tool_result")
        .length,
    ),
  send(response, step, at) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const block =
      "text" in step
        ? { type: "text", text: "" }
        : { type: "tool_use", id: `toolu_${at}`, name: step.tool, input: {} };
    const delta =
      "text" in step
        ? { type: "text_delta", text: step.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(step.args) };
    const message = {
      id: `msg_${at}`,
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [],
      usage,
    };
    events(
      response,
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "text" in step ? "end_turn" : "tool_use", stop_sequence: null },
        usage,
      },
      { type: "message_stop" },
    );
  },
};

const responses: Dialect = {
  path: /\/responses$/,
  results: ({ tools, input }) =>
    offers(tools, input.filter(({ type }: Body) => /_output$/.test(type)).length),
  send(response, step, at) {
    const item =
      "text" in step
        ? { type: "message", role: "assistant", content: [{ type: "output_text", text: step.text }] }
        : {
            type: "function_call",
            call_id: `call_${at}`,
            name: step.tool,
            arguments: JSON.stringify(step.args),
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    events(
      response,
      { type: "response.created", response: { id: `resp_${at}` } },
      { type: "response.output_item.done", output_index: 0, item: { id: `item_${at}`, ...item } },
      { type: "response.completed", response: { id: `resp_${at}`, usage } },
    );
  },
};

const DIALECTS: readonly Dialect[] = [chat, gemini, anthropic, responses];
