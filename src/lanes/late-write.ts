import type { Decoded } from "../mirror/format.ts";
import type { UnseenSave } from "../mirror/mirrored-document.ts";
import type { Actor } from "../workspace/access/actor.ts";
import { isProposable } from "../workspace/access/refusals.ts";
import type { Document } from "../workspace/document/document.ts";
import { LATEST } from "../workspace/edits/request.ts";
import { isPassing, isRefusal, type Outcome } from "../workspace/outcome/refusal.ts";
import { planSave } from "../workspace/planners/whole.ts";
import type { FileState } from "./file-state.ts";
import type { LaneHost } from "./lane-host.ts";
import { REVOKED } from "./take-in.ts";

/** A write into a lane's file that the daemon had replaced: there `known` became `content`. */
interface LateWrite {
  readonly known: Decoded;
  readonly content: Decoded;
  /** Set for a write that an earlier process displaced unseen. */
  readonly unseen: UnseenSave | undefined;
}

/**
 * Takes in a write into a replaced file, and reports one that is refused for good. It takes in an unseen write once, even
 * if the next process finds its file again. @throws an error for a refusal that may pass: the replaced file then stays
 */
export async function takeInLate(state: FileState, write: LateWrite): Promise<void> {
  const { actor } = state.host;
  if (actor === undefined) return state.report("lane.late_write_refused", REVOKED);
  const document = await state.reopen();
  if (document === undefined) throw new Error(`${state.path} cannot be opened now`);
  const made = await edit(state.host, actor, document, write);
  if (!isRefusal(made)) return;
  if (isPassing(made)) throw new Error(made.message);
  state.report("lane.late_write_refused", made.message);
}

/** Makes a late write an edit, or a proposal where the agent may not edit. */
async function edit(
  { editor, proposals, proposes }: LaneHost,
  actor: Actor,
  { path }: Document,
  { known, content, unseen }: LateWrite,
): Promise<Outcome<unknown>> {
  const plan = planSave(known.text.toString(), content.text.toString());
  const once = unseen && { opId: `displaced by ${unseen.by}`, message: unseen.message };
  const request = { kind: "write", path, version: LATEST, plan, ack: "durable", ...once } as const;
  const made = proposes(path) ? undefined : await editor.edit(actor, request);
  return made === undefined || isProposable(made) ? proposals.proposeInstead(actor, request) : made;
}
