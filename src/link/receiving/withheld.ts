import type { DocPath } from "../../mirror/path.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { breather } from "../base/breath.ts";
import { joined, type Vector } from "../base/vector.ts";
import type { Sealer } from "../members/sealer.ts";
import type { ChangeItem, Sender } from "../messages/message.ts";
import { countingName } from "../messages/rights.ts";
import { isGone, type LinkedDocument, type LinkState, withAll } from "../state/link-state.ts";
import { heardAt, named } from "../state/moved.ts";
import { leftOut, unreadable } from "./barred.ts";
import { LeftOut } from "./not-now.ts";
import type { Places } from "./places.ts";

interface WithheldParts {
  readonly workspace: Workspace;
  readonly state: LinkState;
  readonly sealer: Sealer;
}

interface AdmitParts extends WithheldParts {
  readonly places: Places;
}

/** Notes that a rule of this machine leaves out a document of others. */
export function withhold(
  { state, workspace }: Pick<WithheldParts, "state" | "workspace">,
  doc: string,
  withheld: string,
): void {
  const linked = state.document(doc);
  if (linked === undefined) return;
  state.set({ ...linked, withheld });
  workspace.ports.report("link.withheld", { path: linked.name.path, reason: withheld });
}

/**
 * Returns a document as this machine may have it under a path: without its content where it may not read the path. A file
 * that is here then stays as it is (M10).
 */
export function readable(
  { state, workspace, sealer }: WithheldParts,
  linked: LinkedDocument,
  path: DocPath,
): LinkedDocument {
  const reason = linked.withheld === undefined ? unreadable(sealer, path) : undefined;
  if (reason === undefined) return linked;
  const withheld = { ...linked, withheld: reason };
  state.set(withheld);
  workspace.ports.report("link.withheld", { path, reason });
  return withheld;
}

/**
 * Takes in what a message or a snapshot brings of a document. If a rule of this machine leaves out the document's file,
 * which is here, the machine lacks that until the rule is gone.
 */
export function unlessLeftOut(
  parts: Pick<WithheldParts, "state" | "workspace">,
  doc: string,
  { machine, number }: Sender,
  work: () => Promise<void> | undefined,
): Promise<void> | undefined {
  return work()?.catch((error: unknown) => {
    if (!(error instanceof LeftOut)) throw error;
    withhold(parts, doc, error.message);
    parts.state.lacks(doc, machine, number, error.message);
  });
}

/**
 * Notes a change of a document that a rule of this machine leaves out: its name, or a message that changed its text, with
 * the newest messages `last`. Of a document whose file is here, the machine lacks that message from then on. Returns the
 * ids of all documents whose places may have changed.
 */
export function follow(
  { state, sealer, workspace }: WithheldParts,
  linked: LinkedDocument,
  { name }: Pick<ChangeItem, "name">,
  { machine, number }: Sender,
  last: Vector,
): readonly string[] {
  const { id, withheld } = linked;
  if (name !== undefined) {
    const by = { machine, number };
    const counting = countingName(sealer, linked.name, name);
    return state.set(named(heardAt(linked, name, by), counting, by));
  }
  if (!isHere(workspace, id)) return state.set(withAll(linked, last, 0));
  state.lacks(id, machine, number, withheld!);
  return [id];
}

/**
 * Looks again at the documents that a rule or the level of this machine left out: the rule may be gone, or the document may
 * have another name. This machine then lacks the document, so that a snapshot of another one brings it. Returns true if
 * there is any.
 */
export async function admit({ state, sealer, workspace, places }: AdmitParts): Promise<boolean> {
  const { ignored, clock } = workspace.ports;
  const breathe = breather(clock);
  let isAny = false;
  ignored.refresh();
  for (const { id } of [...state.documents].filter(({ withheld }) => withheld !== undefined)) {
    await breathe();
    const linked = state.document(id)!;
    if (linked.withheld === undefined || (isGone(linked) && !isHere(workspace, id))) continue;
    const place = state.names.placeOf(id) ?? linked.name.path;
    const path = (workspace.loaded.pathOf(id) as DocPath | undefined) ?? place;
    const isUnreadable = unreadable(sealer, place) ?? unreadable(sealer, linked.name.path);
    const withheld = isUnreadable ?? leftOut(workspace, path);
    if (withheld === linked.withheld) continue;
    const affected = state.set(withheld === undefined ? admitted(state, linked) : { ...linked, withheld });
    await places.settle(affected);
    isAny ||= withheld === undefined;
  }
  return isAny;
}

/**
 * Returns a document that no rule of this machine leaves out any more. Of what others sent meanwhile, this machine may have
 * noted the messages alone.
 */
export function admitted(state: LinkState, linked: LinkedDocument): LinkedDocument {
  const { withheld, ...rest } = linked;
  if (withheld === undefined) return linked;
  const messages = joined(state.standing.received, state.applying);
  return { ...rest, lacks: { messages, reason: "a rule of this machine left it out before" } };
}

/** Returns true for a document that this machine has, with a file or deleted. */
function isHere({ loaded, ports }: Workspace, doc: string): boolean {
  return loaded.byId(doc) !== undefined || ports.store.snapshot(doc) !== undefined;
}
