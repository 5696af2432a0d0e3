import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { isJsonObject } from "../json-object.ts";
import { callOf } from "../protocol/base/rpc.ts";
import { readBody } from "../protocol/frames/request-body.ts";
import type { Holder, Service } from "../protocol/service/service.ts";
import { type Connection, ProtocolSession } from "../protocol/session/session.ts";

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
  let answered: (frame: Frame) => void;
  const connection: Connection = {
    isBrief: true,
    buffered: 0,
    send(text, taken = () => {}) {
      if (text.startsWith(NOTIFICATION)) taken();
      else answered({ text, taken });
    },
    hold() {}, // the next request is made once this one is answered
    close() {},
  };
  const session = new ProtocolSession(service, holder, connection);
  const disconnected = service.metrics.connected();
  try {
    for (const { id, ...rest } of requests) {
      const done = new Promise<Frame>((resolve) => {
        answered = resolve;
      });
      session.receive(callOf({ id: 0, jsonrpc: "2.0", ...rest }));
      const { text, taken } = await done;
      if (id !== undefined || typeof rest["method"] !== "string") {
        const separator = response.headersSent ? "," : "[";
        if (!response.headersSent) response.writeHead(200, HEADERS);
        // Parsing and encoding a long answer again would block other connections (I14).
        const own = text.replace(ID, () => `"id":${JSON.stringify(id ?? null)}`);
        // Each answer leaves before the next one is made, so that a client that reads nothing fills no memory (I15).
        await written(request.socket, response, separator + own);
      }
      taken();
    }
    if (response.headersSent) response.end("]\n");
    else response.writeHead(204).end();
  } finally {
    session.close();
    disconnected();
  }
}

/** An answer of the session; `taken` is called once it has left. */
interface Frame {
  readonly text: string;
  readonly taken: () => void;
}

/** Writes a part of a body; resolves once the system has taken it, or the connection has ended. */
function written(socket: Duplex, response: ServerResponse, part: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const end = () => {
      socket.off("close", end);
      resolve();
    };
    socket.once("close", end);
    response.write(part, end);
  });
}

/** The beginning of a frame without an id, and the id of a frame that answers a request. */
const NOTIFICATION = '{"jsonrpc":"2.0","method":';
const ID = /"id":(?:0|null)/;

const HEADERS = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

function isListOfObjects(value: unknown): value is readonly Record<string, unknown>[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

function refuse(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { ...HEADERS, connection: "close" });
  response.end(`${JSON.stringify({ error })}\n`);
}
