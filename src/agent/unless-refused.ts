import { RefusedError } from "../client/errors.ts";

/** Resolves as a request does; with undefined if the daemon refuses it. */
export async function unlessRefused<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof RefusedError) return undefined;
    throw error;
  }
}
