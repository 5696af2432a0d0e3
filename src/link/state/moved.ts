import type { DocPath } from "../../mirror/path.ts";
import type { Vector } from "../base/vector.ts";
import type { Name } from "./names.ts";

/** A former path of a document, and the message after which the document has another one. */
export interface Moved {
  readonly from: DocPath;
  readonly machine: string;
  readonly number: number;
}

/** The places of a document, as far as this machine knows them. */
interface Placed {
  readonly name: Name;
  readonly moved?: readonly Moved[];
  readonly ignoredAt?: DocPath | null;
}

/** More moves than happen to one document while a message is on its way. */
const MOST_MOVES = 8;

type By = Pick<Moved, "machine" | "number">;

/** Returns a document under the name that a message gives it; it notes the path that the document had before. */
export function named<T extends Placed>(linked: T, name: Name, by: By): T {
  const before = linked.ignoredAt === undefined ? moved(linked, linked.name.path, name.path, by) : linked;
  return { ...before, name };
}

/** Returns a document to which another machine gave a name: while the others ignore changes of it, they have it there. */
export function heardAt<T extends Placed>(linked: T, { path, isDeleted }: Name, by: By): T {
  if (linked.ignoredAt === undefined || isDeleted) return linked;
  return { ...moved(linked, linked.ignoredAt ?? path, path, by), ignoredAt: path };
}

/** Returns a document whose path a message changed for all machines. */
export function moved<T extends Placed>(linked: T, from: DocPath, to: DocPath, { machine, number }: By): T {
  if (from === to) return linked;
  return { ...linked, moved: [...(linked.moved ?? []), { from, machine, number }].slice(-MOST_MOVES) };
}

/** Returns the path where the others have a document: they may have ignored the name that this machine gave it. */
function sharedPath({ ignoredAt, name }: Placed): DocPath {
  return ignoredAt ?? name.path;
}

/** Returns the path of a document as another machine knew it that had received the messages `after`. */
export function pathKnownTo(linked: Placed, machine: string, after: Vector): DocPath {
  let path = sharedPath(linked);
  for (const { from, machine: by, number } of (linked.moved ?? []).toReversed()) {
    if (by === machine || number <= (after[by] ?? 0)) break;
    path = from;
  }
  return path;
}
