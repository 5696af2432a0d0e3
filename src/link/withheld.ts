import type { Workspace } from "../workspace/folder/workspace.ts";
import { barredBefore } from "./barred.ts";
import { breather } from "./breath.ts";
import { isGone, type LinkedDocument, type LinkState, withAll } from "./link-state.ts";
import type { ChangeItem } from "./message.ts";
import { countingName } from "./rights.ts";
import type { Sealer } from "./sealer.ts";
import { joined, type Vector } from "./vector.ts";

interface WithheldParts {
  readonly workspace: Workspace;
  readonly state: LinkState;
  readonly sealer: Sealer;
}

/** Notes that a rule of this machine leaves out a document of others. */
export function withhold(
  { state, workspace }: Pick<WithheldParts, "state" | "workspace">,
  doc: string,
  withheld: string,
): void {
  const linked = state.document(doc)!;
  state.set({ ...linked, withheld });
  workspace.ports.report("link.withheld", { path: linked.name.path, reason: withheld });
}

/**
 * Notes a change of a document that a rule of this machine leaves out: its name, or the messages `last` that changed its
 * text. Returns the ids of all documents whose places may have changed.
 */
export function follow(
  { state, sealer }: Pick<WithheldParts, "state" | "sealer">,
  linked: LinkedDocument,
  { name }: Pick<ChangeItem, "name">,
  last: Vector,
): readonly string[] {
  if (name === undefined) return state.set(withAll(linked, last, 0));
  return state.set({ ...linked, name: countingName(sealer, linked.name, name) });
}

/**
 * Looks again at the documents that a rule of this machine left out: the rule may be gone, or the document may have another
 * name. This machine then lacks the document, so that a snapshot of another one brings it. Returns true if there is any.
 */
export async function admit({ state, sealer, workspace }: WithheldParts): Promise<boolean> {
  const { ignored, clock } = workspace.ports;
  const breathe = breather(clock);
  let isAny = false;
  ignored.refresh();
  for (const { id } of [...state.documents].filter(({ withheld }) => withheld !== undefined)) {
    await breathe();
    const linked = state.document(id)!;
    if (linked.withheld === undefined || isGone(linked)) continue;
    const withheld = barredBefore(sealer, workspace, linked.name.path);
    if (withheld === linked.withheld) continue;
    const { withheld: _, ...admitted } = linked;
    const messages = joined(state.standing.received, state.applying);
    const lacks = { messages, reason: "a rule of this machine left it out before" };
    state.set(withheld === undefined ? { ...admitted, lacks } : { ...linked, withheld });
    isAny ||= withheld === undefined;
  }
  return isAny;
}
