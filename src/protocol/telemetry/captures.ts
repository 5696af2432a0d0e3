import type { Actor } from "../../workspace/access/actor.ts";
import type { Role } from "../../workspace/access/rights.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";

/** An edit of an agent with its text, and its outcome. */
export interface Capture {
  /** The id of the request in the log. */
  readonly request: string;
  /** ISO 8601. */
  readonly time: string;
  readonly agent: string;
  readonly method: string;
  readonly params: unknown;
  readonly outcome: "ok" | { readonly code: string; readonly message: string; readonly details: unknown };
}

/** The place of captures, which no method reads. */
export interface CaptureStore {
  /** Hours after which a capture is deleted. */
  readonly hours: number;
  /** The folder relative to the workspace. */
  readonly folder: string;
  add(capture: Capture): void;
}

interface CapturedRequest {
  readonly request: string;
  readonly method: string;
  readonly params: unknown;
}

/** Matches the methods that carry the output of a model. */
const OUTPUT = /^(?:edit\.[a-z]+|batch\.apply|preview\.create|proposal\.create|doc\.create|thread\.append)$/;

/** Stores a request of an agent that carries the output of a model, with its outcome. */
export function capture(
  store: CaptureStore,
  asked: CapturedRequest,
  requester: { readonly actor: Actor; readonly role: Role } | undefined,
  outcome: Outcome<unknown>,
): void {
  if (requester === undefined || requester.role === "person" || !OUTPUT.test(asked.method)) return;
  const ended = isRefusal(outcome)
    ? { code: outcome.code, message: outcome.message, details: outcome.details }
    : "ok";
  store.add({ ...asked, time: new Date().toISOString(), agent: requester.actor.agent, outcome: ended });
}
