import type { Splice } from "../../text/splice.ts";
import { RESCUER } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import type { Editor } from "../edits/editor.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { History } from "../history/history.ts";
import { shortMessage } from "../outcome/message.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { planSplice } from "../planners/splice.ts";
import type { Proposal } from "./proposal.ts";

interface TwiceParts {
  readonly workspace: Workspace;
  readonly editor: Editor;
  readonly history: History;
}

/** A part of a text that one change inserted; positions in code points. */
interface Inserted {
  readonly from: number;
  readonly to: number;
  readonly change: string | undefined;
}

/**
 * Removes text that a proposal inserted twice, because two machines approved it at the same time. Equal text of both
 * approvals, side by side, stays once. Machines that do so at the same time delete the same characters.
 */
export async function keepOnce(parts: TwiceParts, { id, approvals }: Proposal): Promise<void> {
  const { workspace, editor, history } = parts;
  const docIds = new Set(approvals.flatMap(({ changes }) => changes.map(({ docId }) => docId)));
  for (const docId of docIds) {
    const changes = approvals.flatMap((approval) =>
      approval.changes.flatMap((one) => (one.docId === docId ? one.change : [])),
    );
    // The machine of an approval removes the repetition.
    const { store } = workspace.ports;
    const isOwn = changes.some((change) => {
      const found = store.find(change);
      return found !== undefined && store.change(found.docId, found.seq)?.machine === undefined;
    });
    const document = isOwn ? await workspace.openedById(docId) : undefined;
    if (document === undefined || isRefusal(document) || document.deleted) continue;
    const splices = repeated(document, history, new Set(changes));
    if (splices.length === 0) continue;
    const message = shortMessage("the proposal was approved on two machines");
    const made = await editor.edit(RESCUER, {
      kind: "splice",
      path: document.path,
      plan: planSplice(splices, "utf-32"),
      aim: "places",
      version: document.version,
      message,
      ack: "durable",
    });
    if (isRefusal(made)) workspace.ports.report("proposal.twice", { proposal: id, path: document.path });
  }
}

/** Returns the splices that remove the repetitions among the insertions of some changes; the later insertion goes. */
function repeated(document: Document, history: History, changes: ReadonlySet<string>): Splice[] {
  const { text } = document;
  const splices: Splice[] = [];
  let before: Inserted | undefined;
  for (const part of insertedParts(history, document)) {
    const isBoth =
      before?.change !== undefined &&
      part.change !== undefined &&
      changes.has(before.change) &&
      changes.has(part.change) &&
      before.change !== part.change;
    if (isBoth && text.slice(before!.from, before!.to) === text.slice(part.from, part.to)) {
      const { from, to } = before!.change! < part.change! ? part : before!;
      splices.push({ from, to, insert: "" });
      before = undefined;
    } else before = part;
  }
  return splices;
}

/** Returns the parts of a document's text, each with the change that inserted it, as large as they can be. */
function insertedParts(history: History, document: Document): Inserted[] {
  const parts: Inserted[] = [];
  let at = 0;
  for (const { size, change } of history.blame(document)) {
    const last = parts.at(-1);
    if (last !== undefined && last.change === change?.id)
      parts[parts.length - 1] = { ...last, to: at + size };
    else parts.push({ from: at, to: at + size, change: change?.id });
    at += size;
  }
  return parts;
}
