import type { Unnoted } from "../../mirror/mirrored-document.ts";
import type { StoreError } from "../../store/store.ts";

/**
 * Returns the problem of a store that refused the note of a staged version. `hasNote`: the store kept an earlier note of
 * the same version. Only a store without space surely keeps nothing of what it refuses.
 */
export function unnoted({ kind, message }: StoreError, hasNote = false): Unnoted {
  const isFull = kind === "full";
  return {
    kind: isFull ? "full" : "io",
    message: `the state folder: ${message}`,
    mayBeNoted: hasNote || !isFull,
  };
}
