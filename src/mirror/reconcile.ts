import { type FileProblem, type Image, isFileProblem, sameContentStamp, sameImage } from "./files.ts";

/**
 * What to do after a look at a file, given what it was known to be.
 * `none`: nobody has written. `read`: only the content tells. `replaced`: another file took its place; what
 * is there is complete unless it is still being written. `settle`: written in place or emptied, so it may be
 * half done; read only once it holds still (I5). `vanished`: no file; not yet a deletion (I10). `blocked`: it
 * is there but cannot be used.
 */
export type Action =
  | { readonly do: "none" | "settle" | "vanished" }
  /** `seen` is what was looked at: what is read must be just that. */
  | { readonly do: "read"; readonly seen: Image | undefined }
  /** `afterwards`: its last write was before it came here, as by a rename. */
  | { readonly do: "replaced"; readonly seen: Image; readonly afterwards: boolean }
  | { readonly do: "blocked"; readonly problem: FileProblem };

export function reconcile(known: Image | undefined, seen: Image | FileProblem): Action {
  if (isFileProblem(seen)) {
    if (seen.kind !== "missing") return { do: "blocked", problem: seen };
    return { do: known === undefined ? "none" : "vanished" };
  }
  if (known === undefined) return { do: "settle" };
  if (sameImage(known, seen)) return { do: "none" };
  const replaced = known.ino !== seen.ino || known.dev !== seen.dev;
  // Same stamp but another change time: a chmod, or a write whose time was set back. Only the content tells.
  if (!replaced && sameContentStamp(known, seen)) return { do: "read", seen };
  return replaced && seen.size > 0
    ? { do: "replaced", seen, afterwards: seen.ctimeNs > seen.mtimeNs }
    : { do: "settle" };
}
