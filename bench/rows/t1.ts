import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Client } from "../../src/client/client.ts";
import type { Bench } from "../bench.ts";
import { startNode } from "../child.ts";
import { startDaemon } from "../daemon.ts";
import { interleave } from "../interleave.ts";
import { atMostOver, type Line, lineOf } from "../line.ts";
import type { Scope } from "../scope.ts";

/** The times that the endpoint takes to its first word, and from there to its second, in milliseconds. */
const THINKS_MS = 50;
const GOES_ON_MS = 300;
const NOTES = "notes.md";

/** Measures the time from a message to the first word of its answer, beside the endpoint's own time. */
export async function* t1(bench: Bench): AsyncGenerator<Line> {
  const { scope, bin, nodeArgs } = bench;
  const root = scope.folder();
  const daemon = await startDaemon(bench, root);
  const person = await daemon.connect("person");
  await person.request("doc.create", { path: NOTES, text: "# Notes\n\nA line.\n" });
  const base = await startEndpoint(scope);
  startNode(scope, [...nodeArgs, bin, "agent", "--openai", base, "--model", "bench"], root);
  const rounds = { name: "T1", rounds: 40, warmup: 3 };
  const took = await interleave(
    bench,
    rounds,
    async () => [await firstWord(person)],
    async () => [await ownFirstWord(base)],
  );
  const titles = { row: "T1", what: "message → first word of the answer", against: "the endpoint alone" };
  yield lineOf({ ...titles, ...took }, atMostOver(100));
}

/** Asks in a new thread, and returns the time to the first word. */
async function firstWord(person: Client): Promise<number> {
  let heard: (ms: number) => void;
  const word = new Promise<number>((resolve) => {
    heard = resolve;
  });
  const started = performance.now();
  const { thread } = await person.request("thread.append", { path: NOTES, role: "user", text: "Hello." });
  const ended = new Promise<void>((resolve) => {
    const stops = [
      person.on("thread.part", (event) => {
        const hasWord = event.parts.some((part) => part.kind === "text" && part.text !== "");
        if (event.thread === thread && hasWord) heard(performance.now() - started);
      }),
      person.on("thread.message", (event) => {
        if (event.thread.id !== thread || event.message.role !== "assistant") return;
        for (const stop of stops) stop();
        resolve();
      }),
    ];
  });
  await person.subscribe({ thread });
  const ms = await word;
  await ended;
  await person.unsubscribe({ thread });
  await person.request("thread.clear", { thread });
  return ms;
}

async function ownFirstWord(base: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${base}/chat/completions`, { method: "POST", body: "{}" });
  const reader = response.body!.getReader();
  await reader.read();
  const ms = performance.now() - started;
  while (!(await reader.read()).done);
  return ms;
}

/** Starts an endpoint that says two words, with a pause before each. Returns its base URL. */
async function startEndpoint(scope: Scope): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    setTimeout(() => {
      say(response, { content: "Hello " });
      setTimeout(() => {
        say(response, { content: "there." });
        say(response, {}, "stop");
        response.end("data: [DONE]\n\n");
      }, GOES_ON_MS);
    }, THINKS_MS);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  scope.defer(() => server.closeAllConnections());
  scope.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function say(response: ServerResponse, delta: object, finish: string | null = null): void {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  response.write(`data: ${JSON.stringify({ object: "chat.completion.chunk", choices })}\n\n`);
}
