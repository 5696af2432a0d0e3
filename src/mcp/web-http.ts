import type { IncomingMessage, ServerResponse } from "node:http";
import { drained } from "./drained.ts";

/** Calls `done` once a response is closed, also if its client has left already. */
export function whenClosed(response: ServerResponse, done: () => void): void {
  if (response.closed) done();
  else response.once("close", done);
}

/** Returns a request of Node in the form of the web, without its body. It aborts once its response is closed. */
export function webRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  whenClosed(response, () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, one);
  // Only the path matters: the listening server has checked the Host header.
  const url = new URL(request.url ?? "/", "http://localhost");
  return new Request(url, { method: request.method ?? "GET", headers, signal: gone.signal });
}

/** Sends a response in the form of the web as the answer. It reads no further while the client does not. */
export async function sendWeb(answer: Response, response: ServerResponse): Promise<void> {
  const reader = answer.body?.getReader();
  const cancel = () => void reader?.cancel().catch(() => undefined); // a stream that failed is over, too
  whenClosed(response, cancel);
  if (response.closed) return;
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    if (!response.write(part.value) && !response.closed) await drained(response);
  }
  response.end();
}
