import { isPathProblem, parsePath } from "../mirror/path.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { barred } from "./barred.ts";
import type { LinkState } from "./link-state.ts";
import type { Sealer } from "./sealer.ts";
import type { NameOnly, SnapshotHead } from "./snapshot.ts";
import { includes, type Vector } from "./vector.ts";

interface TakerParts {
  readonly workspace: Workspace;
  readonly state: LinkState;
  readonly sealer: Sealer;
}

/** Returns true if this machine has everything of a document that a snapshot may have. */
export function hasAll(
  { state, sealer }: Pick<TakerParts, "state" | "sealer">,
  doc: string,
  { vector }: SnapshotHead,
): boolean {
  const { [sealer.machine]: _own, ...others } = vector;
  return state.document(doc)?.lacks === undefined && includes(state.standing.received, others);
}

/** Returns true if this machine could apply all of these messages. */
export function hasSoundly({ standing }: LinkState, messages: Vector): boolean {
  return standing.lacks === undefined && includes(standing.received, messages);
}

/**
 * Notes the name of a document of which the snapshot's machine lacks something. Returns why this machine now lacks
 * something of the document, which another machine's snapshot brings; undefined if it lacks nothing, or its own rule
 * leaves the document out.
 */
export function missingOf(
  parts: TakerParts,
  { id, born, stamp, path: given }: NameOnly,
  head: SnapshotHead,
): string | undefined {
  const { state, workspace, sealer } = parts;
  const path = parsePath(given);
  if (isPathProblem(path) || hasAll(parts, id, head)) return undefined;
  const known = state.document(id);
  const withheld = known === undefined ? barred(sealer, workspace, path) : known.withheld;
  if (known === undefined && workspace.ports.store.documentAt(path) === undefined) {
    const named = { id, born, name: { path, isDeleted: false, stamp }, sent: 0, last: {} };
    state.set(withheld === undefined ? named : { ...named, withheld });
  }
  const machine = sealer.nameOf(head.machine);
  return withheld === undefined ? `the snapshot is of ${machine}, which lacks ${path}` : undefined;
}
