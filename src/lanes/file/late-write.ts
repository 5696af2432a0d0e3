import { isFileProblem } from "../../mirror/files.ts";
import { type Decoded, isEncodedAs } from "../../mirror/format.ts";
import type { UnseenSave } from "../../mirror/mirrored-document.ts";
import { besidePath } from "../../mirror/path.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import { isProposable } from "../../workspace/access/refusals.ts";
import type { Document } from "../../workspace/document/document.ts";
import { LATEST } from "../../workspace/edits/request.ts";
import { placeNewFile } from "../../workspace/folder/new-file.ts";
import { isPassing, isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import { planSave } from "../../workspace/planners/whole.ts";
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
 * Takes in a write into a replaced file. The text of one that is refused for good goes into a new file of the lane (LV39).
 * It takes in an unseen write once, even if the next process finds its file again. @throws an error where that may still
 * come: the replaced file then stays
 */
export async function takeInLate(state: FileState, write: LateWrite): Promise<void> {
  const { actor } = state.host;
  if (actor === undefined) return putAside(state, write, REVOKED);
  const document = await state.reopen();
  if (document === undefined) throw new Error(`${state.path} cannot be opened now`);
  const made = await edit(state.host, actor, document, write);
  if (!isRefusal(made)) return;
  if (isPassing(made)) throw new Error(made.message);
  await putAside(state, write, made.message);
}

/** Puts the text of a write into a new file beside the one that it was for, once. @throws an error if there is no way */
async function putAside(state: FileState, { content }: LateWrite, why: string): Promise<void> {
  const { files, workspace } = state.host;
  for (let n = 1; ; n++) {
    const aside = besidePath(state.path, n === 1 ? "refused" : `refused ${n}`);
    const placed = await placeNewFile(files, aside, content);
    if (isRefusal(placed) && placed.code !== "ALREADY_EXISTS") throw new Error(placed.message);
    const there = isRefusal(placed) ? await files.read(aside, workspace.limits.maxFileBytes) : undefined;
    const isOther = there && (isFileProblem(there) || !isEncodedAs(content, there.bytes));
    if (!isOther) return state.report("lane.late_write_refused", `${why}; its text is in ${aside}`);
  }
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
