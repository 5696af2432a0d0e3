import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "./cleanup.ts";

/** A request that the endpoint got. */
interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string | null }[];
    readonly tools: readonly { readonly function: { readonly name: string } }[];
  };
}

/** Answers one request; the last one of a script also answers those after it. */
export type Scene = (response: ServerResponse, asked: Asked) => void;

export interface ScriptedEndpoint {
  readonly url: string;
  readonly asked: Asked[];
  /** Forgets the requests so far, and answers the next ones by these scenes. */
  play(...scenes: readonly Scene[]): void;
}

/** Starts an OpenAI-compatible endpoint on this machine that answers each request by the next scene. */
export async function scriptedEndpoint(...first: readonly Scene[]): Promise<ScriptedEndpoint> {
  let scenes = first;
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    asked.push({ headers: request.headers, body: JSON.parse(text) });
    scenes[Math.min(asked.length, scenes.length) - 1]!(response, asked.at(-1)!);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    play(...next) {
      asked.length = 0;
      scenes = next;
    },
  };
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

function chunk(response: ServerResponse, delta: object, finish: string | null = null): void {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  response.write(`data: ${JSON.stringify({ object: "chat.completion.chunk", choices })}\n\n`);
}

interface Said {
  readonly text?: string;
  /** Tool calls, as names with arguments; a string is sent as it is. */
  readonly calls?: readonly (readonly [name: string, args: object | string])[];
  readonly finish?: string;
  readonly tokens?: number;
}

/** A whole reply, its text word by word. */
export function says({ text = "", calls = [], finish, tokens }: Said): Scene {
  return (response) => {
    begin(response);
    for (const word of text.split(/(?<= )/)) chunk(response, { content: word });
    calls.forEach(([name, args], index) => {
      const json = typeof args === "string" ? args : JSON.stringify(args);
      chunk(response, { tool_calls: [{ index, id: `c${index}`, type: "function", function: { name } }] });
      for (const piece of json.match(/.{1,7}/gs) ?? [])
        chunk(response, { tool_calls: [{ index, function: { arguments: piece } }] });
    });
    chunk(response, {}, finish ?? (calls.length > 0 ? "tool_calls" : "stop"));
    if (tokens !== undefined)
      response.write(
        `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: 1 } })}\n\n`,
      );
    response.end("data: [DONE]\n\n");
  };
}

/** Sends the beginning of a reply with a tool call, then cuts the connection. */
export function cutsAfter(text: string, name: string, args: object): Scene {
  return (response) => {
    begin(response);
    if (text !== "") chunk(response, { content: text });
    const called = { name, arguments: JSON.stringify(args) };
    chunk(response, { tool_calls: [{ index: 0, id: "c0", function: called }] });
    setTimeout(() => response.destroy(), 200);
  };
}

/** Sends the beginning of a reply, and nothing more. */
export function hangsAfter(text: string): Scene {
  return (response) => {
    begin(response);
    chunk(response, { content: text });
  };
}

/** Answers with a status. */
export function refuses(status: number, message: string, headers: Record<string, string> = {}): Scene {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message } }));
  };
}

/** Sends these bytes as a stream of events. */
export function sends(bytes: string): Scene {
  return (response) => {
    begin(response);
    response.end(bytes);
  };
}

/** Sends text without an end. */
export function floods(): Scene {
  return (response) => {
    begin(response);
    const more = () => {
      while (!response.destroyed && response.write(WORD));
    };
    response.on("drain", more);
    more();
  };
}

const WORD = `data: ${JSON.stringify({ choices: [{ delta: { content: "word ".repeat(200) } }] })}\n\n`;
