import { FolderError } from "../../mirror/files.ts";
import { StoreError } from "../../store/store.ts";
import { isRefusal, type Outcome, type Refusal } from "../../workspace/outcome/refusal.ts";
import { fileRefusal, storeRefusal } from "../../workspace/outcome/refusals.ts";
import { internal } from "../base/errors.ts";
import { common } from "../schemas/edits.ts";
import { isMethod, type Method, methods } from "../schemas/schemas.ts";
import type { Requester, Service } from "../service/service.ts";
import { capture } from "../telemetry/captures.ts";
import { round } from "../telemetry/histogram.ts";
import { rejectionReasonOf } from "../telemetry/rejection.ts";

/** A request as it arrived. */
interface ObservedRequest {
  readonly method: string;
  readonly params: unknown;
  /** Returns the request's sender, once known. */
  readonly requester: () => Pick<Requester, "actor" | "role"> | undefined;
}

/**
 * Longest part of a path that the log contains, in UTF-16 units; an invalid path may be as long as a message.
 */
const LONGEST_PATH = 1024;

/**
 * Performs one request and records it: its duration, its count, its log entry, and the notification of an
 * edit that does not fit its document. A defect becomes INTERNAL here. On return, `perform` has run to its
 * first wait.
 */
export async function observe(
  service: Service,
  observed: ObservedRequest,
  perform: () => Promise<Outcome<unknown>>,
): Promise<Outcome<unknown>> {
  const request = service.workspace.newId("req");
  const method = isMethod(observed.method) ? observed.method : undefined;
  const began = performance.now();
  let outcome: Outcome<unknown>;
  try {
    outcome = await perform();
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined)
      service.log("error", "request.failed", { request, method, reason: describe(error) });
    outcome = refusal ?? internal(request);
  }
  const ms = round(performance.now() - began);
  const ended = isRefusal(outcome) ? outcome.code : "ok";
  service.metrics.request(method ?? "unknown", ended, ms);
  const requester = observed.requester();
  const actor = requester?.actor;
  const changes = method !== undefined && changesSomething(method);
  const entry = logEntryOf(observed, outcome, { request, method: method ?? "unknown", agent: actor?.agent });
  if (changes) entry["lengths"] = lengthsOf(observed, outcome);
  entry["outcome"] = ended;
  entry["ms"] = ms;
  service.log(changes ? "info" : "debug", "request", entry);
  if (service.captures !== undefined)
    capture(
      service.captures,
      { request, method: observed.method, params: observed.params },
      requester,
      outcome,
    );
  if (changes && actor !== undefined && isRefusal(outcome))
    service.rejected(actor, { method, path: pathOf(observed, outcome) }, outcome);
  return outcome;
}

/** Returns the refusal for an error of the system that a client may see; undefined for a defect. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof StoreError) return storeRefusal(error);
  return error instanceof FolderError ? fileRefusal(error.problem) : undefined;
}

function changesSomething(method: Method): boolean {
  const { level } = methods[method];
  return level !== "none" && level !== "read";
}

/** The ids in an answer: of a change, and for an approved proposal also of its edit and of its message. */
interface LoggedOutcome {
  readonly changeId?: string;
  readonly edit?: { readonly changeId: string };
  readonly answers?: { readonly messageId: string };
}

/** Returns the loggable parts of a request and its answer: names and ids, never text (R8). */
function logEntryOf(
  observed: ObservedRequest,
  outcome: Outcome<unknown>,
  entry: Record<string, unknown>,
): Record<string, unknown> {
  const path = pathOf(observed, outcome);
  if (path !== undefined) entry["path"] = path.slice(0, LONGEST_PATH);
  if (isRefusal(outcome)) entry["reason"] = rejectionReasonOf(outcome);
  else {
    const { changeId, edit, answers } = outcome as LoggedOutcome;
    entry["changeId"] = changeId ?? edit?.changeId;
    entry["messageId"] =
      (observed.params as { messageId?: string } | undefined)?.messageId ?? answers?.messageId;
  }
  return entry;
}

/**
 * Returns the lengths of texts and lists. Invalid parameters have none here, because their keys may be text.
 */
function lengthsOf({ params }: ObservedRequest, outcome: Outcome<unknown>): Record<string, number> {
  const lengths: Record<string, number> = {};
  if (isRefusal(outcome) && outcome.code === "INVALID_ARGUMENT") return lengths;
  for (const [key, value] of Object.entries((params ?? {}) as Record<string, unknown>))
    if (!Object.hasOwn(common, key) && (typeof value === "string" || Array.isArray(value)))
      lengths[key] = value.length;
  return lengths;
}

/** Returns the path of a request's document. An undo does not name it, but its refusal does. */
function pathOf({ params }: Pick<ObservedRequest, "params">, outcome: Outcome<unknown>): string | undefined {
  const refused = isRefusal(outcome) ? outcome.details["path"] : undefined;
  const path = refused ?? (params as { path?: unknown } | undefined)?.path;
  return typeof path === "string" ? path : undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
