import { isJsonObject } from "../../json-object.ts";
import { programState } from "../../own-program.ts";
import { Refusal, type RefusalCode } from "../../workspace/outcome/refusal.ts";

/** JSON-RPC's numbers for the refusals that it defines, and own numbers for all others. */
const NUMBERS: Record<RefusalCode, number> = {
  INVALID_ARGUMENT: -32602,
  INTERNAL: -32603,
  UNAUTHENTICATED: -32001,
  PERMISSION_DENIED: -32002,
  NOT_FOUND: -32003,
  ALREADY_EXISTS: -32004,
  DELETED: -32005,
  INVALID_POSITION: -32006,
  PATH_ESCAPE: -32007,
  NOT_TEXT: -32008,
  TOO_LARGE: -32009,
  NO_MATCH: -32010,
  AMBIGUOUS_MATCH: -32011,
  PATCH_REJECTED: -32012,
  STALE_VERSION: -32013,
  CONFLICT: -32014,
  CONFIRMATION_REQUIRED: -32015,
  STORAGE_FULL: -32016,
  MIRROR_BLOCKED: -32017,
  OVERLOADED: -32018,
  VERSION_REQUIRED: -32019,
  IGNORED: -32020,
};

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = NUMBERS.INVALID_ARGUMENT;

export function numberOf(code: RefusalCode): number {
  return NUMBERS[code];
}

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data: {
    readonly code: RefusalCode;
    readonly details: Readonly<Record<string, unknown>>;
    readonly suggestion?: string;
  };
}

/** The names on the wire of details that have another name in the workspace. */
const WIRE_NAMES: Readonly<Record<string, string>> = {
  patchId: "patch_id",
  baseHash: "base_hash",
  reviewedAt: "reviewed_at",
  appliedChange: "applied_change",
};

/** Returns the details of a refusal, and those of objects in them, under their names on the wire. */
export function wireDetails(details: Refusal["details"]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [
      WIRE_NAMES[key] ?? key,
      isJsonObject(value) ? wireDetails(value) : value,
    ]),
  );
}

/** Returns the error object of a refusal; no other place makes one. */
export function wireError(refusal: Refusal, code: number = NUMBERS[refusal.code]): WireError {
  const { message, suggestion, details } = refusal;
  return {
    code,
    message,
    data: {
      code: refusal.code,
      details: wireDetails(details),
      ...(suggestion !== undefined && { suggestion }),
    },
  };
}

/** Returns the refusal for a defect. The log has its reason; the caller gets the id of the log entry. */
export function internal(correlation: string): Refusal {
  return new Refusal(
    "INTERNAL",
    `the daemon failed to perform this request (${correlation}); the request changed nothing`,
    {
      suggestion:
        programState() === "same"
          ? "Try again. If the error persists, look in the daemon's log for that id."
          : "The daemon's program was removed or replaced while it runs, as by npm. A person may run: spliced restart",
    },
  );
}
