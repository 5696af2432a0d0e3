import { type FileProblem, type Image, isFileProblem, sameContentStamp, sameImage } from "./files.ts";

/**
 * The action after a look at a file, given its last image. `none`: no process has written to it. `read`: only the
 * content shows whether it changed. `replaced`: another file took its place, complete unless a process still writes to
 * it. `settle`: a process wrote in place or emptied it, so the write may be half done (I5). `missing`: no file, which
 * is not yet a deletion (I10). `blocked`: the file is there but cannot be used.
 */
export type Action =
  | { readonly do: "none" | "settle" | "missing" }
  /** `seen` is the image of the look: the reading must find the same. */
  | { readonly do: "read"; readonly seen: Image | undefined }
  /** `afterwards`: the file came here after its last write, as by a rename. */
  | { readonly do: "replaced"; readonly seen: Image; readonly afterwards: boolean }
  | { readonly do: "blocked"; readonly problem: FileProblem };

export function reconcile(known: Image | undefined, seen: Image | FileProblem): Action {
  if (isFileProblem(seen)) {
    if (seen.kind !== "missing") return { do: "blocked", problem: seen };
    return { do: known === undefined ? "none" : "missing" };
  }
  if (known === undefined) return { do: "settle" };
  if (sameImage(known, seen)) return { do: "none" };
  const replaced = known.ino !== seen.ino || known.dev !== seen.dev;
  // The same stamp with another change time: a chmod, or a write whose time was set back.
  if (!replaced && sameContentStamp(known, seen)) return { do: "read", seen };
  return replaced && seen.size > 0
    ? { do: "replaced", seen, afterwards: seen.ctimeNs > seen.mtimeNs }
    : { do: "settle" };
}
