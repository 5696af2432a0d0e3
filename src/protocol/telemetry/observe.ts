import { StoreError } from "../../store/store.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import { storeRefusal } from "../../workspace/outcome/refusals.ts";
import { internal } from "../errors.ts";
import { common } from "../schemas/edits.ts";
import { isMethod, type Method, methods } from "../schemas.ts";
import type { Service } from "../service.ts";
import { round } from "./histogram.ts";
import { rejectionReasonOf } from "./rejection.ts";

/** A request as it came in. */
export interface ObservedRequest {
  readonly method: string;
  readonly params: unknown;
  /** Who asks, once that is known. */
  readonly actor: () => Actor | undefined;
}

/** Characters of a path that are logged: one that no document can have may be as long as a message. */
const LONGEST_PATH = 1024;

/**
 * Performs one request, and is the one place where it is timed, counted, logged and, when an edit does not fit
 * its document, told of. A defect becomes INTERNAL here. `perform` has run up to its first wait on return.
 */
export async function observe(
  service: Service,
  asked: ObservedRequest,
  perform: () => Promise<Outcome<unknown>>,
): Promise<Outcome<unknown>> {
  const request = service.workspace.newId("req");
  const method = isMethod(asked.method) ? asked.method : undefined;
  const began = performance.now();
  let outcome: Outcome<unknown>;
  try {
    outcome = await perform();
  } catch (error) {
    if (!(error instanceof StoreError))
      service.log("error", "request.failed", { request, method, reason: describe(error) });
    outcome = error instanceof StoreError ? storeRefusal(error) : internal(request);
  }
  const ms = round(performance.now() - began);
  const ended = isRefusal(outcome) ? outcome.code : "ok";
  service.metrics.request(method ?? "unknown", ended, ms);
  const actor = asked.actor();
  const changes = method !== undefined && changesSomething(method);
  const line = lineOf(asked, outcome, { request, method: method ?? "unknown", agent: actor?.agent });
  if (changes) line["lengths"] = lengthsOf(asked, outcome);
  line["outcome"] = ended;
  line["ms"] = ms;
  service.log(changes ? "info" : "debug", "request", line);
  if (changes && actor !== undefined && isRefusal(outcome))
    service.rejected(actor, { method, path: pathOf(asked, outcome) }, outcome);
  return outcome;
}

function changesSomething(method: Method): boolean {
  const { level } = methods[method];
  return level !== "none" && level !== "read";
}

/** What may be logged of a request and its answer: names and ids, never text (R8). */
function lineOf(
  asked: ObservedRequest,
  outcome: Outcome<unknown>,
  line: Record<string, unknown>,
): Record<string, unknown> {
  const path = pathOf(asked, outcome);
  if (path !== undefined) line["path"] = path.slice(0, LONGEST_PATH);
  if (isRefusal(outcome)) line["reason"] = rejectionReasonOf(outcome);
  else line["changeId"] = (outcome as { changeId?: string }).changeId;
  return line;
}

/** How long each text and list is. Of parameters that were not accepted nothing: their very keys may be text. */
function lengthsOf({ params }: ObservedRequest, outcome: Outcome<unknown>): Record<string, number> {
  const lengths: Record<string, number> = {};
  if (isRefusal(outcome) && outcome.code === "INVALID_ARGUMENT") return lengths;
  for (const [key, value] of Object.entries((params ?? {}) as Record<string, unknown>))
    if (!Object.hasOwn(common, key) && (typeof value === "string" || Array.isArray(value)))
      lengths[key] = value.length;
  return lengths;
}

/** The document that a request is about: an undo does not name it, but its refusal does. */
function pathOf({ params }: Pick<ObservedRequest, "params">, outcome: Outcome<unknown>): string | undefined {
  const refused = isRefusal(outcome) ? outcome.details["path"] : undefined;
  const path = refused ?? (params as { path?: unknown } | undefined)?.path;
  return typeof path === "string" ? path : undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
