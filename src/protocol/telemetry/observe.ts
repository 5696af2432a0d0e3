import { isPathProblem, parsePath } from "../../mirror/path.ts";
import type { Actor } from "../../workspace/actor.ts";
import { isRefusal, isRejection, type Outcome, type Refusal } from "../../workspace/refusal.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { internal } from "../errors.ts";
import { common } from "../schemas/edits.ts";
import { isMethod, type Method, methods } from "../schemas.ts";
import type { Service } from "../service.ts";
import { round } from "./histogram.ts";

/** A request as it came in. */
export interface Asked {
  readonly method: string;
  readonly params: unknown;
  /** Who asks, once that is known. */
  readonly actor: () => Actor | undefined;
}

/**
 * Performs one request, and is the one place where it is timed, counted, logged and, when an edit does not fit
 * its document, told of. A defect becomes INTERNAL here. `perform` has run up to its first wait on return.
 */
export async function observe(
  service: Service,
  asked: Asked,
  perform: () => Promise<Outcome<unknown>>,
): Promise<Outcome<unknown>> {
  const request = service.workspace.newId("req");
  const method = isMethod(asked.method) ? asked.method : undefined;
  const began = performance.now();
  let outcome: Outcome<unknown>;
  try {
    outcome = await perform();
  } catch (error) {
    service.log("error", "request.failed", { request, method, reason: describe(error) });
    outcome = internal(request);
  }
  const ms = round(performance.now() - began);
  const ended = isRefusal(outcome) ? outcome.code : "ok";
  service.metrics.request(method ?? "unknown", ended, ms);
  const actor = asked.actor();
  const changes = method !== undefined && changesSomething(method);
  const details = { request, method: method ?? "unknown", agent: actor?.agent, ...metadata(asked, outcome) };
  service.log(changes ? "info" : "debug", "request", { ...details, outcome: ended, ms });
  if (changes && actor !== undefined && isRefusal(outcome))
    tellOf(service.workspace, actor, { ...asked, method }, outcome);
  return outcome;
}

function changesSomething(method: Method): boolean {
  const { level } = methods[method];
  return level !== "none" && level !== "read";
}

/**
 * What may be logged of a request and its answer: names, ids and lengths, never text (R8). Nothing of parameters
 * that were not accepted, whose very keys may be anything.
 */
function metadata({ params }: Asked, outcome: Outcome<unknown>): Record<string, unknown> {
  if (isRefusal(outcome) && outcome.code === "INVALID_ARGUMENT") return {};
  const given = Object.entries((params ?? {}) as Record<string, unknown>);
  const lengths = given.flatMap(([key, value]) =>
    !Object.hasOwn(common, key) && (typeof value === "string" || Array.isArray(value))
      ? [[key, value.length] as const]
      : [],
  );
  const path = given.find(([key]) => key === "path")?.[1];
  const changeId = isRefusal(outcome) ? undefined : (outcome as { changeId?: unknown }).changeId;
  const reason = isRefusal(outcome) ? reasonOf(outcome) : undefined;
  return {
    ...(typeof path === "string" && { path }),
    lengths: Object.fromEntries(lengths),
    ...(typeof changeId === "string" && { changeId }),
    ...(reason !== undefined && { reason }),
  };
}

/** A refused patch says why in one word; other codes speak for themselves. */
function reasonOf({ code, details }: Refusal): string {
  const { reason } = details;
  return typeof reason === "string" && /^[a-z_]+$/.test(reason) ? reason : code.toLowerCase();
}

/** Tells of an edit that was refused for not fitting its document. */
function tellOf(
  workspace: Workspace,
  { name, agent }: Actor,
  { method, params }: { readonly method: Method; readonly params: unknown },
  refusal: Refusal,
): void {
  const { code, message, suggestion, details } = refusal;
  if (!isRejection(code)) return;
  const given = details["path"] ?? (params as { path?: unknown } | undefined)?.path;
  const path = typeof given === "string" ? parsePath(given) : undefined;
  if (path === undefined || isPathProblem(path)) return;
  const real = workspace.ports.files.resolve(path);
  workspace.tell({
    type: "rejected",
    path: typeof real === "string" ? real : path,
    author: name,
    agent,
    method,
    code,
    reason: reasonOf(refusal),
    message,
    ...(suggestion !== undefined && { suggestion }),
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
