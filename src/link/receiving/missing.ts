import { isPathProblem, parsePath } from "../../mirror/path.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { beyond, includes, type Vector } from "../base/vector.ts";
import type { Sealer } from "../members/sealer.ts";
import type { Source } from "../messages/message.ts";
import { mayTouch } from "../messages/rights.ts";
import type { NameOnly, SnapshotHead } from "../snapshots/snapshot.ts";
import type { LinkedDocument, LinkState } from "../state/link-state.ts";
import { barred } from "./barred.ts";

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

/** The messages of a document that this machine lacks after it took in a snapshot, and the reason. */
export type Lacking = NonNullable<LinkedDocument["lacks"]>;

/**
 * Notes the name of a document of which the snapshot's machine lacks something: some of the messages `lacked`, or anything.
 * Returns what this machine now lacks of the document, which another machine's snapshot brings; undefined if it lacks
 * nothing, or its own rule leaves the document out.
 */
export function missingOf(
  parts: TakerParts,
  { id, born, stamp, path: given }: NameOnly,
  head: SnapshotHead,
  lacked?: Vector,
): Lacking | undefined {
  const { state, workspace, sealer } = parts;
  const path = parsePath(given);
  if (isPathProblem(path) || hasAll(parts, id, head)) return undefined;
  const known = state.document(id);
  const withheld = known === undefined ? barred(sealer, workspace, path) : known.withheld;
  if (known === undefined && workspace.ports.store.documentAt(path) === undefined) {
    const named = { id, born, name: { path, isDeleted: false, stamp }, sent: 0, last: {} };
    state.set(withheld === undefined ? named : { ...named, withheld });
  }
  if (withheld !== undefined) return undefined;
  const messages = lacked === undefined ? numberOf(head) : lackedByBoth(parts, id, lacked);
  if (Object.keys(messages).length === 0) return undefined;
  return { messages, reason: `the snapshot is of ${sealer.nameOf(head.machine)}, which lacks ${path}` };
}

/** Returns the newest message of the machine of a snapshot that the snapshot contains. */
function numberOf({ machine, vector }: SnapshotHead): Vector {
  return { [machine]: vector[machine] ?? 0 };
}

/**
 * Returns the messages that this machine lacks of a document after a snapshot whose machine lacks some of the messages
 * `lacked`. This machine has its own, and those that it took in itself.
 */
function lackedByBoth({ state, sealer }: TakerParts, doc: string, lacked: Vector): Vector {
  const { [sealer.machine]: _own, ...others } = lacked;
  const mine = state.document(doc)?.lacks?.messages;
  const { received, lacks } = state.standing;
  if (mine === undefined) return lacks === undefined ? beyond(others, received) : others;
  return Object.fromEntries(Object.entries(mine).filter(([machine]) => others[machine] !== undefined));
}

/**
 * Notes a change of a document that this machine does not know. While it lacks documents of others, that is one of them,
 * and only a snapshot with the change brings it.
 */
export function noteUnknown(
  { workspace, state, sealer }: TakerParts,
  doc: string,
  source: Source,
): undefined {
  const { machine, number } = source;
  const isLacked = state.standing.lacks !== undefined && mayTouch({ state, sealer }, doc, source);
  if (isLacked) state.lacksUnknown({ [machine]: number });
  const event = isLacked ? "link.lacks" : "link.unknown_document";
  workspace.ports.report(event, { machine: sealer.nameOf(machine), doc });
}
