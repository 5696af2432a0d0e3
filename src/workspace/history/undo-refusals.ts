import { Refusal } from "../outcome/refusal.ts";

/** The refusal of a batch that is not among the newest changes, which are all that the daemon looked at. */
export function noBatch(batchId: string, looked: number): Refusal {
  const message = `there is nothing of ${JSON.stringify(batchId)} among the newest ${looked} changes`;
  return new Refusal("NOT_FOUND", message, {
    suggestion: "Name the changes themselves in changeIds; history.list shows them.",
  });
}

/** The refusal where nothing is left to undo or redo of changes, of a batch or of an agent; of the caller without `whose`. */
export function nothing(what: "undo" | "redo", whose: string | undefined, path?: string): Refusal {
  const none =
    whose === undefined
      ? `you have nothing to ${what}`
      : `there is nothing to ${what} of ${JSON.stringify(whose)}`;
  return new Refusal("NOT_FOUND", path === undefined ? none : `${none} in ${path}`, {
    suggestion: "history.list shows each change, its author, and whether it was undone.",
  });
}

/** The refusal where nothing is left to undo of an agent since a time, or of its session. */
export function nothingSince({ agent, path, session }: Selected): Refusal {
  const refusal = nothing("undo", agent, path);
  if (session === undefined) return refusal;
  return new Refusal(refusal.code, `${refusal.message} of session ${JSON.stringify(session)}`, {
    suggestion:
      "history.list shows the session of each change: the one that hello named in agent.session, or a claim. The id of a connection is none.",
  });
}

/** The changes that an undo of everything selects. */
interface Selected {
  readonly agent?: string | undefined;
  readonly path?: string | undefined;
  readonly session?: string | undefined;
}
