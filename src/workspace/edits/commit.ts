import { storeFailure } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import { whyUnwritten } from "../folder/documents.ts";
import { dropRefused } from "../folder/unwritten.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { CommitOptions, Records } from "../journal/change.ts";
import { JournalTransaction } from "../journal/journal-transaction.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";
import type { SeenDocuments } from "../seen/seen-documents.ts";
import { digest, digestNow } from "../versions/digest.ts";
import type { Version } from "../versions/version.ts";
import { type Draft, textAfter } from "./draft.ts";
import type { EditAnswer, EditRequest, EditResult, ResolvedEdit } from "./request.ts";

/**
 * Applies all drafts in one go, all of them or none (I13), with the records that belong to them. Waits until they are
 * durable and, unless a request asks otherwise, in the file.
 */
export async function commitEdits(
  workspace: Workspace,
  actor: Actor,
  drafts: readonly Draft[],
  records: Records,
): Promise<Outcome<readonly EditResult[]>> {
  const contents = drafts.map((draft) => ({ ...draft.edit.document.content, text: textAfter(draft) }));
  const before = drafts.map(({ edit, drafted }) => drafted?.before ?? edit.document.text);
  const previous = drafts.map(({ edit }) => edit.document.version);
  const durable = apply(workspace, actor, drafts, records);
  if (isRefusal(durable)) return durable;
  // The session's next request may be under way already, and its positions then include this edit.
  for (const [i, draft] of drafts.entries()) noteSeen(actor.seen, draft, previous[i]!);
  const failure = await storeFailure(durable.stored);
  if (failure !== undefined) {
    await Promise.all(
      drafts.map(({ edit }) => edit.document.failure && dropRefused(workspace, edit.document)),
    );
    return storeRefusal(failure);
  }
  const mirrored = await Promise.all(drafts.map(isMirrored));
  workspace.ports.reached("answered");
  return Promise.all(
    drafts.map(async ({ edit: { document, request, resolved }, answer }, i) => ({
      ...answer,
      ...(awaited(request, answer) && !mirrored[i] && { summary: unwritten(document, answer) }),
      mirrored: mirrored[i]!,
      sha256: request.ack === "durable" ? (digestNow(contents[i]!) ?? null) : await digest(contents[i]!),
      before: before[i]!,
      base: resolved.base.text,
    })),
  );
}

/** Returns true for an edit that changes something, and whose caller waits for the file. */
function awaited({ ack }: Pick<EditRequest, "ack">, { changeId }: EditAnswer): boolean {
  return ack !== "durable" && changeId !== null;
}

/** Returns the summary of an edit that the file does not have, although its caller waited for that. */
function unwritten(document: Document, { summary }: EditAnswer): string {
  return `${summary}; the file does not have it yet: ${whyUnwritten(document).message}`;
}

/** Applies the drafts to memory. `stored` resolves once the store has all of them, or rejects when it has none. */
function apply(
  { ports: { store, reached } }: Workspace,
  actor: Actor,
  drafts: readonly Draft[],
  records: Records,
): Outcome<{ readonly stored: Promise<unknown> }> {
  const changing = drafts.flatMap(({ edit, drafted }) =>
    drafted === undefined ? [] : [{ edit, document: edit.document, drafted }],
  );
  // Another edit, which is not durable yet, may have made what an edit asks for.
  const there = Promise.all(
    drafts.flatMap(({ edit, drafted }) => (drafted === undefined ? edit.document.durable : [])),
  );
  there.catch(() => undefined); // a refusal below comes before its failure
  if (changing.length === 0) {
    const { answer, shelved = [] } = records;
    if (answer !== undefined) return { stored: there.then(() => store.keepAnswer(answer, ...shelved)) };
    return { stored: shelved.length > 0 ? there.then(() => store.shelve(...shelved)) : there };
  }
  const transaction = changing.length > 1 ? new JournalTransaction({ store, reached }) : undefined;
  const last = changing.at(-1);
  const stored: Promise<unknown>[] = [there];
  try {
    for (const one of changing) {
      const { request } = one.edit;
      const awaitsFile = request.ack !== "durable";
      const options = { transaction, met: metIn(one.edit), awaitsFile, ...(one === last && { records }) };
      const committed = one.document.commit(actor, one.drafted, options);
      if (isRefusal(committed)) {
        transaction?.abandon(new Error(committed.message));
        return committed;
      }
      stored.push(committed.durable);
    }
  } catch (error) {
    transaction?.abandon(error);
    throw error;
  }
  return { stored: Promise.all(stored) };
}

/** Returns the places to report to listeners. Where one side gave way, its proposal reports them. */
function metIn({ resolved: { base, merge, conflicts }, losing }: ResolvedEdit): CommitOptions["met"] {
  const told = losing === undefined ? conflicts : merge.close;
  return told.length === 0 ? undefined : { conflicts: told, base: base.text };
}

/**
 * Notes the text that an edit's own session has seen by it: its change, and a whole text or view that it wrote as it is
 * now.
 */
function noteSeen(
  seen: SeenDocuments | undefined,
  { edit: { document, request, resolved }, drafted, answer: { version } }: Draft,
  previous: Version,
): void {
  if (drafted !== undefined) {
    const { splices } = drafted.change;
    seen?.made(document.id, { previous, version, splices });
  }
  if (!resolved.plan.exact || resolved.merged) return;
  if (request.aim === "view") seen?.sawView(document.id, version);
  else seen?.sawText(document.id, version);
}

async function isMirrored({ edit: { document, request }, drafted }: Draft): Promise<boolean> {
  if (drafted === undefined) return document.pendingWrites === 0;
  const { seq } = drafted.change;
  return request.ack === "durable" ? document.holds(seq) : document.mirror.reached(seq);
}
