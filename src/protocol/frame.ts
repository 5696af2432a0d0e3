import { setImmediate } from "node:timers/promises";
import { ENCODED_AT_ONCE, INLINE_FRAME_BYTES } from "../work/bounds.ts";
import { type Json, readJson } from "../work/json.ts";
import { Refusal } from "../workspace/refusal.ts";
import type { TokenWorkers } from "../workspace/workers.ts";
import { type BadFrame, type Call, callOf, type Id } from "./rpc.ts";

/** A frame that was read: a call, or why it is none. */
export type Frame = Call | BadFrame;

/** Reads a frame; a promise for one that a worker parses, because it would hold up everybody here (I14). */
export function readFrame(bytes: Uint8Array, workers: TokenWorkers): Frame | Promise<Frame> {
  if (bytes.length <= INLINE_FRAME_BYTES) return frameOf(readJson(bytes), bytes);
  return workers
    .run("json", bytes)
    .then((json) =>
      json instanceof Refusal ? { id: idIn(bytes), refusal: json } : frameOf(json as Json, bytes),
    );
}

function frameOf(json: Json, bytes: Uint8Array): Frame {
  if ("value" in json) return callOf(json.value);
  if (json.problem === "not JSON")
    return { id: null, refusal: new Refusal("INVALID_ARGUMENT", "the frame is not JSON"), unreadable: true };
  const { problem, limit } = json;
  const what =
    problem === "too deep"
      ? `nests objects and arrays deeper than ${limit}`
      : `holds more than ${limit} values (names, strings, numbers, objects, arrays)`;
  return {
    id: idIn(bytes),
    refusal: new Refusal("TOO_LARGE", `the frame ${what}`, {
      suggestion:
        "Send the work in several requests; send a long list of lines as one string where the method has one.",
      details: { limit },
    }),
  };
}

const ID = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{0,100}")\s*[,}]/;

/** The id of a frame that was not parsed, where it comes first. */
function idIn(bytes: Uint8Array): Id | null {
  const found = ID.exec(Buffer.from(bytes.subarray(0, 200)).toString("latin1"))?.[1];
  return found === undefined ? null : (JSON.parse(found) as Id);
}

/** A message as a frame. Others get their turns while a long list in its result is encoded (I14). */
export function encodeFrame(message: Readonly<Record<string, unknown>>): string | Promise<string> {
  const result = message["result"];
  const long = isRecord(result) && Object.values(result).some(isLong);
  return long ? encodeLong(message) : JSON.stringify(message);
}

async function encodeLong(value: unknown): Promise<string> {
  if (isLong(value)) return `[${await encodeItems(value)}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const holdsLong = isLong(inner) || (isRecord(inner) && Object.values(inner).some(isLong));
    const encoded = holdsLong ? await encodeLong(inner) : JSON.stringify(inner);
    if (encoded !== undefined) fields.push(`${JSON.stringify(key)}:${encoded}`);
  }
  return `{${fields.join(",")}}`;
}

async function encodeItems(items: readonly unknown[]): Promise<string> {
  const parts: string[] = [];
  for (let from = 0; from < items.length; from += ENCODED_AT_ONCE) {
    parts.push(JSON.stringify(items.slice(from, from + ENCODED_AT_ONCE)).slice(1, -1));
    await setImmediate();
  }
  return parts.join(",");
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ENCODED_AT_ONCE;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
