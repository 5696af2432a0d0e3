import type { IncomingMessage } from "node:http";
import { frameBytesOf, type Holder, type Service } from "../service/service.ts";
import { type ReadBody, readRequestBody } from "./frame.ts";

/** A request's body, or the error for its answer with the HTTP status. */
type RequestBody = ReadBody | { readonly status: number; readonly code: number; readonly message: string };

const INVALID_REQUEST = -32600;

/** Reads a request's body. A body is refused if it is longer than the token's longest frame. */
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
      return {
        status: 413,
        code: INVALID_REQUEST,
        message: `The request is larger than the limit of ${limit} bytes.`,
      };
    parts.push(part);
  }
  return readRequestBody(service, holder, Buffer.concat(parts));
}
