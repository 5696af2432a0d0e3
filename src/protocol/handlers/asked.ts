import { crc32 } from "node:zlib";
import { stringifyExactly } from "../../text/exact-json.ts";
import type { Method } from "../schemas.ts";

/** Parameters in which a request and its repetition may differ: its base, what it waits for, and how it is told. */
const BESIDE: ReadonlySet<string> = new Set([
  "opId",
  "version",
  "sha256",
  "onStale",
  "ack",
  "confirm",
  "message",
  "thread",
  "messageId",
]);

/**
 * Returns 16 bits that the content of a request and its checked parameters determine; undefined for a request without
 * an `opId`. Two bytes find nearly every `opId` that a client uses for two requests.
 */
export function askedOf(method: Method, params: object): number | undefined {
  if (!("opId" in params) || params.opId === undefined) return undefined;
  const content = Object.entries(params).filter(([name]) => !BESIDE.has(name));
  return crc32(stringifyExactly([method, content])) & 0xffff;
}
