import type { WireError } from "../protocol/base/errors.ts";
import type { Splice } from "../text/splice.ts";

/** A request that the daemon refused; `code` is the protocol's code. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: WireError["data"]["code"];
  readonly details: WireError["data"]["details"];
  readonly suggestion: string | undefined;

  constructor(error: WireError) {
    super(error.message);
    this.code = error.data.code;
    this.details = error.data.details;
    this.suggestion = error.data.suggestion;
  }
}

/** Returns the error for a token that the daemon refuses or has revoked; another attempt cannot succeed. */
export function unauthenticated(message: string, suggestion: string): RefusedError {
  return new RefusedError({
    code: -32001,
    message,
    data: { code: "UNAUTHENTICATED", details: {}, suggestion },
  });
}

/** The connection ended or never opened; requests under way may or may not have been applied. */
export class DisconnectedError extends Error {
  override readonly name = "DisconnectedError";
}

/** An edit of a LiveText that the daemon did not apply and the live text reverted. */
export class LostEditError extends Error {
  override readonly name = "LostEditError";
  /** Splices that restore the edit when passed to `edit` at once. */
  readonly splices: readonly Splice[];
  /** Id of the proposal that the edit became when it needs approval. */
  readonly proposal: string | undefined;
  /** The refusal; undefined when the edit became a proposal or was too large to send. */
  declare readonly cause: RefusedError | undefined;

  constructor(message: string, lost: Pick<LostEditError, "splices" | "proposal" | "cause">) {
    super(message, { cause: lost.cause });
    this.splices = lost.splices;
    this.proposal = lost.proposal;
  }
}
