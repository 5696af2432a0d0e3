import { setImmediate } from "node:timers/promises";
import { isJsonObject } from "../../json-object.ts";
import { ENCODED_AT_ONCE } from "../../work/bounds.ts";
import { type ParsedJson, parsesFast, readJson } from "../../work/json.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { TokenWorkers } from "../../workspace/workers/workers.ts";
import { INVALID_REQUEST, PARSE_ERROR } from "../base/errors.ts";
import { type BadFrame, callOf, type Id, type RpcCall } from "../base/rpc.ts";
import type { Holder, Service } from "../service/service.ts";

type JsonValue = Extract<ParsedJson, { readonly value: unknown }>;

/** The content of a frame: a call, or the reason why it is none. */
export type ClientFrame = RpcCall | BadFrame;

/**
 * Reads a frame; returns a promise when a worker parses it. The reader owns the bytes from then on. `failed` returns the
 * refusal for a defect of the worker.
 */
export function readFrame(
  bytes: Uint8Array,
  workers: TokenWorkers,
  failed: (error: unknown) => Refusal,
): ClientFrame | Promise<ClientFrame> {
  if (parsesFast(bytes)) return frameOf(checkedJson(readJson(bytes)), () => idIn(bytes));
  const id = idIn(bytes);
  const parsing = parseInWorker(bytes, workers).catch(failed);
  return parsing.then((json) => frameOf(json, () => id));
}

/** The content of an HTTP request's body, or the error for its answer. */
export type ReadBody = JsonValue | { readonly status: 400; readonly code: number; readonly message: string };

/** Reads the body of an HTTP request under the rules for frames. */
export async function readRequestBody(
  service: Service,
  holder: Holder,
  bytes: Uint8Array,
): Promise<ReadBody> {
  const workers = new TokenWorkers(service.workspace.ports.workers, holder);
  const json = parsesFast(bytes) ? checkedJson(readJson(bytes)) : await parseInWorker(bytes, workers);
  if (!isRefusal(json)) return json;
  const code = json.code === "INVALID_ARGUMENT" ? PARSE_ERROR : INVALID_REQUEST;
  const message = json.suggestion === undefined ? json.message : `${json.message}. ${json.suggestion}`;
  return { status: 400, code, message };
}

/** Parses bytes in a worker, because parsing them here would block all other connections (I14). */
async function parseInWorker(bytes: Uint8Array, workers: TokenWorkers): Promise<Outcome<JsonValue>> {
  const json = await workers.run("json", bytes);
  return isRefusal(json) ? json : checkedJson(json);
}

function checkedJson(json: ParsedJson): Outcome<JsonValue> {
  if ("value" in json) return json;
  if (json.problem === "not JSON") return new Refusal("INVALID_ARGUMENT", "the frame is not JSON");
  const { problem, limit } = json;
  const excess =
    problem === "too deep"
      ? `nests objects and arrays deeper than ${limit}`
      : `contains more than ${limit} values (names, strings, numbers, objects, arrays)`;
  return new Refusal("TOO_LARGE", `the frame ${excess}`, {
    suggestion:
      "Send the work in several requests; send many lines as one string where the method takes one.",
    details: { limit },
  });
}

function frameOf(json: Outcome<JsonValue>, id: () => Id | null): ClientFrame {
  if (!isRefusal(json)) return callOf(json.value);
  if (json.code === "INVALID_ARGUMENT") return { id: null, refusal: json, unreadable: true };
  return { id: id(), refusal: json };
}

const ID = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{0,100}")\s*[,}]/;

/** Finds the id at the beginning of a frame that is not parsed. */
function idIn(bytes: Uint8Array): Id | null {
  const found = ID.exec(Buffer.from(bytes.subarray(0, 200)).toString("latin1"))?.[1];
  return found === undefined ? null : (JSON.parse(found) as Id);
}

/**
 * Encodes a message as a frame. Other connections get turns while a long list in the result is encoded (I14).
 */
export function encodeFrame(message: Readonly<Record<string, unknown>>): string | Promise<string> {
  const result = message["result"];
  const long = isJsonObject(result) && Object.values(result).some(isLong);
  return long ? encodeLong(message) : JSON.stringify(message);
}

async function encodeLong(value: unknown): Promise<string> {
  if (isLong(value)) return `[${await encodeItems(value)}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const holdsLong = isLong(inner) || (isJsonObject(inner) && Object.values(inner).some(isLong));
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
