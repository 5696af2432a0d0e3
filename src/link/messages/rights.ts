import type { DocPath } from "../../mirror/path.ts";
import { levelIncludes } from "../../workspace/access/rights.ts";
import type { Sealer } from "../members/sealer.ts";
import type { LinkedDocument, LinkState } from "../state/link-state.ts";
import { heardAt, pathKnownTo } from "../state/moved.ts";
import { compareStamps, type Name } from "../state/names.ts";
import type { Source } from "./message.ts";

interface RightsParts {
  readonly state: Pick<LinkState, "document">;
  readonly sealer: Sealer;
}

/**
 * Returns the path that keeps a machine from changing a document by a message: the one that the message names, or the one
 * that the document had as far as the machine knew. So all machines agree on a change that crosses a move of the file, in
 * whatever order both come. Returns undefined if the machine may change both (M10).
 */
export function deniedPath(
  { state, sealer }: RightsParts,
  doc: string,
  given: DocPath | undefined,
  { machine, number, after }: Source,
): DocPath | undefined {
  if (machine === sealer.machine) return undefined;
  const linked = state.document(doc);
  const paths = [given, linked && pathKnownTo(linked, machine, after)];
  return paths.find((path) => path !== undefined && !sealer.mayWrite(machine, path, number));
}

/** Returns true if a machine may change a document by a message that names no path. */
export function mayTouch(parts: RightsParts, doc: string, source: Source): boolean {
  if (parts.state.document(doc) !== undefined) return deniedPath(parts, doc, undefined, source) === undefined;
  return levelIncludes(parts.sealer.levelOf(source.machine), "write");
}

/**
 * Returns the name of a document that counts: the later one, unless its machine may not change the path of the earlier
 * one. So all machines agree, in whatever order the names come to them.
 */
export function countingName(sealer: Sealer, one: Name, other: Name): Name {
  const isLater = compareStamps(one.stamp, other.stamp) > 0;
  const [earlier, later] = isLater ? [other, one] : [one, other];
  const { machine } = later.stamp;
  const isFree = !sealer.members.includes(machine);
  return isFree || sealer.mayWrite(machine, earlier.path) ? later : earlier;
}

/**
 * Returns a document that another machine sent as a whole. If it had not received changes of this machine, the others
 * ignore these where this machine may not change the path.
 */
export function heardApart(
  sealer: Sealer,
  linked: LinkedDocument,
  name: Name,
  source: Source,
): LinkedDocument {
  const { machine: self } = sealer;
  const isApart =
    (linked.last[self]?.number ?? 0) > (source.after[self] ?? 0) && !sealer.mayWrite(self, name.path);
  return isApart ? { ...linked, ignoredAt: name.path } : heardAt(linked, name, source);
}
