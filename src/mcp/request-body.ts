import type { IncomingMessage } from "node:http";
import { type ReadBody, readRequestBody } from "../protocol/frame.ts";
import { frameBytesOf, type Holder, type Service } from "../protocol/service.ts";

/** What a request's body holds, or the error that it is answered with, and its HTTP status. */
export type RequestBody =
  | ReadBody
  | { readonly status: number; readonly code: number; readonly message: string };

const INVALID_REQUEST = -32600;

/** Reads a body that is no longer than the token's frames may be. */
export async function readBody(
  service: Service,
  holder: Holder,
  request: IncomingMessage,
): Promise<RequestBody> {
  const limit = frameBytesOf(holder, service.maxMessageBytes);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limit)
      return { status: 413, code: INVALID_REQUEST, message: `a request has at most ${limit} bytes` };
    parts.push(part);
  }
  return readRequestBody(service, holder, Buffer.concat(parts));
}
