import type { NotificationParams } from "../protocol/schemas/schemas.ts";
import type { Splice } from "../text/splice.ts";
import { DisconnectedError, type LostEditError } from "./errors.ts";

/** A change of a live text. */
export interface LiveChange {
  /** Splices in JavaScript string indices of the text before, ascending and without overlaps. */
  readonly splices: readonly Splice[];
  /** True for an edit just made here; false for a change that the daemon sent. */
  readonly local: boolean;
  /** Author of the change, when it is a single change of another author. */
  readonly author?: string;
  readonly agent?: string;
  readonly origin?: NotificationParams<"doc.changed">["origin"];
  readonly changeId?: string;
}

/**
 * Reason why a live text ended: its document was deleted, reading it was refused, or its owner or client
 * closed it.
 */
export interface LiveEnd {
  readonly why: "deleted" | "refused" | "closed";
  readonly error?: Error;
}

export interface LiveEvents {
  readonly change: LiveChange;
  readonly renamed: { readonly path: string; readonly to: string };
  readonly refused: LostEditError;
  readonly end: LiveEnd;
}

/** Returns the error for a call on a live text that has ended. */
export function endError({ why, error }: LiveEnd): DisconnectedError {
  return new DisconnectedError(`the live text has ended: ${error?.message ?? why}`, { cause: error });
}
