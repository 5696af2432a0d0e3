/** Why a write was not kept, in the system's words. A commit rejects with an error that holds a promise of that. */
export async function lmdbReasonOf(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if (!("commitError" in error)) return withoutAddresses(error.message);
  try {
    return String(await error.commitError);
  } catch (reason) {
    return withoutAddresses(reason instanceof Error ? reason.message : String(reason));
  }
}

/** LMDB adds to the reason where in its file the page was to go. */
function withoutAddresses(message: string): string {
  return message.replace(/: Attempting to write page.*/s, "");
}

/** Stores that are open; they share one listener. */
let listening = 0;

/**
 * A commit that fails also rejects a promise that the lmdb package makes for itself and hands to nobody; unheard,
 * it would end the process. Until the answer is called, those are taken care of here, and no others.
 */
export function takeOrphans(): () => void {
  if (listening++ === 0) process.on("unhandledRejection", hear);
  return () => {
    if (--listening === 0) process.off("unhandledRejection", hear);
  };
}

function hear(reason: unknown): void {
  if (!(reason instanceof Error && "commitError" in reason)) throw reason;
  void lmdbReasonOf(reason);
}
