import type { WireError } from "../protocol/errors.ts";
import type { Splice } from "../text/splice.ts";

/** A request was refused; `code` is the protocol's name for why. */
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

/** The daemon does not take the token, or not any more; trying again is of no use. */
export function unauthenticated(message: string, suggestion: string): RefusedError {
  return new RefusedError({
    code: -32001,
    message,
    data: { code: "UNAUTHENTICATED", details: {}, suggestion },
  });
}

/** The connection ended, or never began; whether requests under way were done is not known. */
export class DisconnectedError extends Error {
  override readonly name = "DisconnectedError";
}

/** An edit of a LiveText was not made, and its text is taken back out. */
export class LostEditError extends Error {
  override readonly name = "LostEditError";
  /** Puts the text back where it was, given to `edit` at once. */
  readonly splices: readonly Splice[];
  /** The proposal that the edit became, where it has to be approved first. */
  readonly proposal: string | undefined;
  /** The refusal; undefined where it became a proposal, or was too large to be sent. */
  declare readonly cause: RefusedError | undefined;

  constructor(message: string, lost: Pick<LostEditError, "splices" | "proposal" | "cause">) {
    super(message, { cause: lost.cause });
    this.splices = lost.splices;
    this.proposal = lost.proposal;
  }
}
