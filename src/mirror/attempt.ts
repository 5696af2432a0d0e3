import type { FileProblem, Image, Swapped } from "./files.ts";

/** The outcome of one attempt to write a new version over the file. */
export type Attempt = ({ readonly is: "landed" } & Swapped) | Unready;

/** The outcome of an attempt to make the file of a document that has none. */
export type Placement = { readonly is: "placed"; readonly image: Image } | Unready;

export type Unready =
  | { readonly is: "prevented"; readonly problem: FileProblem }
  /** The journal refused the edits, so the file must not contain them; or the mirror has ended. */
  | { readonly is: "refused" };
