import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject } from "../json-object.ts";
import { readBody } from "../protocol/request-body.ts";
import type { Holder, Service } from "../protocol/service.ts";
import { type Connection, ProtocolSession } from "../protocol/session.ts";
import { stringifyExactly } from "../text/exact-json.ts";

/** The most requests of one body. */
const MOST_REQUESTS = 16;

/**
 * Answers the requests in the body of a POST to `/rpc`: a list of JSON-RPC requests that begins with `hello`. It makes
 * them one after the other and answers with the list of their answers. A request without an id gets none, as JSON-RPC
 * wants it. A command that lives for some milliseconds needs no WebSocket.
 */
export async function serveBrief(
  service: Service,
  holder: Holder,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(service, holder, request);
  if (!("value" in body)) return refuse(response, body.status, body.message);
  const requests = body.value;
  if (!isListOfObjects(requests) || requests.length > MOST_REQUESTS)
    return refuse(
      response,
      400,
      `send a list of at most ${MOST_REQUESTS} JSON-RPC requests; the first is hello`,
    );
  let answered: (frame: string) => void;
  const connection: Connection = {
    isBrief: true,
    buffered: 0,
    send(frame, taken) {
      if (!frame.startsWith(NOTIFICATION)) answered(frame);
      taken?.();
    },
    hold() {}, // the next request is made once this one is answered
    close() {},
  };
  const session = new ProtocolSession(service, holder, connection);
  const disconnected = service.metrics.connected();
  try {
    const answers: string[] = [];
    for (const { id, ...rest } of requests) {
      const done = new Promise<string>((resolve) => {
        answered = resolve;
      });
      session.receive(stringifyExactly({ id: 0, jsonrpc: "2.0", ...rest }));
      const frame = await done;
      if (id === undefined && typeof rest["method"] === "string") continue;
      // Parsing and encoding a long answer again would block other connections (I14).
      answers.push(frame.replace(ID, () => `"id":${JSON.stringify(id ?? null)}`));
    }
    if (answers.length > 0) answer(response, 200, `[${answers.join(",")}]`);
    else response.writeHead(204).end();
  } finally {
    session.close();
    disconnected();
  }
}

/** The beginning of a frame without an id, and the id of a frame that answers a request. */
const NOTIFICATION = '{"jsonrpc":"2.0","method":';
const ID = /"id":(?:0|null)/;

function isListOfObjects(value: unknown): value is readonly Record<string, unknown>[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

function refuse(response: ServerResponse, status: number, error: string): void {
  answer(response, status, JSON.stringify({ error }));
}

function answer(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    ...(status !== 200 && { connection: "close" }),
  });
  response.end(`${json}\n`);
}
