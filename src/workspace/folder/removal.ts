import type { FileProblem, Files, Image } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import { type Seq, storeFailure } from "../../store/store.ts";
import type { Document } from "../document/document.ts";
import type { Cause } from "../journal/change.ts";
import type { Refusal } from "../outcome/refusal.ts";
import { fileRefusal, storeRefusal } from "../outcome/refusals.ts";

/** Returns why a document, as it is at that moment, must not be removed. */
export type RemovalCheck = (document: Document) => Refusal | undefined;

/** The reason for the history of a document, and the last check. */
export type Removal = readonly [cause?: Cause, check?: RemovalCheck];

/** More changes than are ever on their way into the store. */
const MOST_UNDER_WAY = 1_000;

/** Returns true where the store may lack a save that the daemon read from a document's file. */
export function mayLackSaves(document: Document): boolean {
  const { closed, kept, head } = document;
  return closed === undefined && !kept && hasSaves(document, head.seq - MOST_UNDER_WAY);
}

/** Waits until the store has the saves that a document's file holds; returns the refusal of a store that refuses one. */
export async function refusalUnlessStored(document: Document): Promise<Refusal | undefined> {
  while (mayLackSaves(document)) {
    const { image } = document.mirror;
    const failure = await storeFailure(document.durable);
    const refused = document.failure?.seq;
    if (failure !== undefined)
      return refused === undefined || hasSaves(document, refused) ? storeRefusal(failure) : undefined;
    if (document.mirror.image === image) return undefined; // otherwise the daemon has read another save meanwhile
  }
  return undefined;
}

/** Returns true where the daemon read one of the newest changes, from `first` on, from the file. */
function hasSaves({ head, versions }: Document, first: Seq): boolean {
  for (let seq = head.seq; seq >= Math.max(first, 0); seq--)
    if (versions.change(seq)?.origin === "disk") return true;
  return false;
}

/** Removes the file of a document, if it has one; returns the refusal where that is not possible. */
export function removeFile(files: Files, document: Document, check?: RemovalCheck): Refusal | undefined {
  const { path, mirror } = document;
  const refused = document.closed ?? check?.(document);
  if (refused !== undefined || mirror.image === undefined) return refused;
  const problem = removeClosed(files, path, mirror.image);
  return problem && fileRefusal(problem);
}

/**
 * Removes a file, unless a program has it open for writing: that would write the rest of its text into a file without a
 * name.
 */
export function removeClosed(files: Files, path: DocPath, expected: Image): FileProblem | undefined {
  return files.openForWriting(path) === true ? openProblem(path) : files.remove(path, expected);
}

function openProblem(path: DocPath): FileProblem {
  return { kind: "changed", message: `${path} is open for writing` };
}
