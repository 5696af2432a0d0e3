/** Returns why a write failed, in the system's words. A failed commit rejects with a promise of the reason. */
export async function lmdbReasonOf(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if (!("commitError" in error)) return withoutAddresses(error.message);
  try {
    return String(await error.commitError);
  } catch (reason) {
    return withoutAddresses(reason instanceof Error ? reason.message : String(reason));
  }
}

/** Ends the reason of a write that failed before the flush. LMDB reports a write that a full disk cut short as EIO. */
export const IN_A_WRITE = " in a write";

/** Replaces the place in LMDB's file, which LMDB adds to the reason. */
function withoutAddresses(message: string): string {
  return message.replace(/: Attempting to write page.*/s, IN_A_WRITE);
}

/** The number of open stores; all of them share one listener. */
let openStores = 0;

/**
 * Handles, until the returned function is called, the rejections that lmdb leaves unhandled. When a commit fails, lmdb
 * also rejects a promise that no caller can reach, and Node would end the process for it. Other unhandled rejections
 * still end the process.
 */
export function ignoreUnhandledCommits(): () => void {
  if (openStores++ === 0) process.on("unhandledRejection", ignoreCommitErrors);
  return () => {
    if (--openStores === 0) process.off("unhandledRejection", ignoreCommitErrors);
  };
}

function ignoreCommitErrors(reason: unknown): void {
  if (!(reason instanceof Error && "commitError" in reason)) throw reason;
  void lmdbReasonOf(reason);
}
