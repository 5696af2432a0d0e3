import type { IncomingMessage } from "node:http";
import { readJsonBytes } from "../protocol/frame.ts";
import { isRefusal } from "../workspace/refusal.ts";
import type { TokenWorkers } from "../workspace/workers.ts";

/** What a request's body holds, or why it is not read: an HTTP status, and an error's code and message. */
export type Body =
  | { readonly value: unknown }
  | { readonly status: number; readonly code: number; readonly message: string };

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** Reads a body of at most `limit` bytes, and parses it where it holds up nobody (I14). */
export async function bodyOf(request: IncomingMessage, limit: number, workers: TokenWorkers): Promise<Body> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limit)
      return { status: 413, code: INVALID_REQUEST, message: `a request has at most ${limit} bytes` };
    parts.push(part);
  }
  const json = await readJsonBytes(Buffer.concat(parts), workers);
  if (!isRefusal(json)) return json;
  const unreadable = json.code === "INVALID_ARGUMENT";
  const message = json.suggestion === undefined ? json.message : `${json.message}. ${json.suggestion}`;
  return { status: 400, code: unreadable ? PARSE_ERROR : INVALID_REQUEST, message };
}
