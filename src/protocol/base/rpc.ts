import { Refusal } from "../../workspace/outcome/refusal.ts";

/** The id of a request; a notification has none. */
export type Id = string | number;

export interface RpcCall {
  readonly id: Id | undefined;
  readonly method: string;
  readonly params: unknown;
}

export interface BadFrame {
  readonly id: Id | null;
  readonly refusal: Refusal;
  /** True when the frame is not even JSON. */
  readonly unreadable?: boolean;
  /** True for a request of a method whose parameters are no object. */
  readonly positional?: boolean;
}

/**
 * Reads one JSON-RPC 2.0 request or notification. Arrays are refused: a client may send many frames at once.
 */
export function callOf(message: unknown): RpcCall | BadFrame {
  if (Array.isArray(message))
    return bad(null, "a frame is one object, not an array; send one frame per request");
  if (typeof message !== "object" || message === null) return bad(null, "a request is an object");
  const { jsonrpc, id, method, params: given } = message as Record<string, unknown>;
  if (id !== undefined && typeof id !== "string" && !(typeof id === "number" && Number.isFinite(id)))
    return bad(null, "the id must be a string or a number, and a whole number at most 2^53 - 1");
  const known = id ?? null;
  if (jsonrpc !== "2.0") return bad(known, 'jsonrpc must be "2.0"');
  if (typeof method !== "string") return bad(known, "method must be a string");
  const params = given ?? undefined; // null counts as left out, as it does among the parameters
  if (params !== undefined && (typeof params !== "object" || Array.isArray(params)))
    return { ...bad(known, "params must be an object: parameters go by name"), positional: true };
  return { id, method, params };
}

function bad(id: Id | null, problem: string): BadFrame {
  return { id, refusal: new Refusal("INVALID_ARGUMENT", problem) };
}
