import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../protocol/request-body.ts";
import type { Holder, Service } from "../protocol/service.ts";
import { type Connection, ProtocolSession } from "../protocol/session.ts";

/** The most requests of one body. */
const MOST_REQUESTS = 16;

/**
 * Answers the requests in the body of a POST to `/rpc`: a list of JSON-RPC requests that begins with `hello`. It makes
 * them one after the other and answers with the list of their answers. A command that lives for some milliseconds
 * needs no WebSocket.
 */
export async function serveBrief(
  service: Service,
  holder: Holder,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(service, holder, request);
  if (!("value" in body)) return answer(response, body.status, { error: body.message });
  const requests = body.value;
  if (!isListOfObjects(requests) || requests.length > MOST_REQUESTS)
    return answer(response, 400, {
      error: `send a list of at most ${MOST_REQUESTS} JSON-RPC requests; the first is hello`,
    });
  const answered = new Map<unknown, (frame: object) => void>();
  const connection: Connection = {
    isBrief: true,
    buffered: 0,
    send(frame, taken) {
      const message = JSON.parse(frame) as { readonly id?: unknown };
      answered.get(message.id)?.(message);
      taken?.();
    },
    hold() {}, // the next request is made once this one is answered
    close() {},
  };
  const session = new ProtocolSession(service, holder, connection);
  const disconnected = service.metrics.connected();
  try {
    const answers: object[] = [];
    for (const [i, { id = null, ...rest }] of requests.entries()) {
      const done = new Promise<object>((resolve) => answered.set(i, resolve));
      session.receive(JSON.stringify({ jsonrpc: "2.0", ...rest, id: i }));
      answers.push({ ...(await done), id });
    }
    answer(response, 200, answers);
  } finally {
    session.close();
    disconnected();
  }
}

function isListOfObjects(value: unknown): value is readonly Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.every((one) => typeof one === "object" && one !== null && !Array.isArray(one))
  );
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    ...(status !== 200 && { connection: "close" }),
  });
  response.end(`${JSON.stringify(body)}\n`);
}
