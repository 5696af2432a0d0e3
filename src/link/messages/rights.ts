import type { DocPath } from "../../mirror/path.ts";
import { levelIncludes } from "../../workspace/access/rights.ts";
import type { Sealer } from "../members/sealer.ts";
import type { LinkState } from "../state/link-state.ts";
import { pathKnownTo, sharedPath } from "../state/moved.ts";
import { compareStamps, type Name } from "../state/names.ts";
import type { Sender, Source } from "./message.ts";

interface RightsParts {
  readonly state: Pick<LinkState, "document">;
  readonly sealer: Sealer;
}

/**
 * Returns the path that keeps a machine from changing a document by a message: the one that the message names, or the one
 * that the document has here. Returns undefined if the machine may change both (M10).
 */
export function deniedPath(
  { state, sealer }: RightsParts,
  doc: string,
  path: DocPath,
  { machine, number }: Sender,
): DocPath | undefined {
  if (machine === sealer.machine) return undefined;
  const linked = state.document(doc);
  const paths = [path, linked === undefined ? path : sharedPath(linked)];
  return paths.find((one) => !sealer.mayWrite(machine, one, number));
}

/**
 * As `deniedPath`, also for a message that names no path. Then the path counts that the document had as far as the machine
 * knew. So all machines agree on an edit that crosses a move of the file, in whatever order both come.
 */
export function denied(
  parts: RightsParts,
  doc: string,
  source: Source,
  given: DocPath | undefined,
): DocPath | undefined {
  const { machine, number, after } = source;
  const linked = parts.state.document(doc);
  if (given !== undefined || linked === undefined) return given && deniedPath(parts, doc, given, source);
  const path = pathKnownTo(linked, machine, after);
  return machine === parts.sealer.machine || parts.sealer.mayWrite(machine, path, number) ? undefined : path;
}

/** Returns true if a machine may change a document by a message that names no path. */
export function mayTouch({ state, sealer }: RightsParts, doc: string, source: Sender): boolean {
  const path = state.document(doc)?.name.path;
  if (path !== undefined) return deniedPath({ state, sealer }, doc, path, source) === undefined;
  return levelIncludes(sealer.levelOf(source.machine), "write");
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
