import type { NotificationParams } from "../protocol/schemas.ts";
import type { Splice } from "../text/splice.ts";
import { DisconnectedError, type LostEditError } from "./errors.ts";

/** How the shown text changed. */
export interface LiveChange {
  /** In JavaScript string indices of the text before, ascending and not overlapping. */
  readonly splices: readonly Splice[];
  /** It is an own edit, just made; all else comes from the daemon. */
  readonly local: boolean;
  /** Whose change it is, where it is a single one of somebody else. */
  readonly author?: string;
  readonly agent?: string;
  readonly origin?: NotificationParams<"doc.changed">["origin"];
  readonly changeId?: string;
}

/** Why a live text goes on no more: its document was deleted, may not be read any more, or somebody closed it. */
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

/** What is thrown at who asks something of a live text that goes on no more. */
export function endError({ why, error }: LiveEnd): DisconnectedError {
  return new DisconnectedError(`the document is followed no more: ${error?.message ?? why}`, {
    cause: error,
  });
}
