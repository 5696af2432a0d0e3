import { changeId, partsOf, tailOf } from "../../store/format/change-id.ts";
import type { ChangeRecord, Seq } from "../../store/store.ts";
import { type Version, versionOf } from "../versions/version.ts";
import { summaryOf } from "./answer.ts";
import type { Draft } from "./draft.ts";
import type { EditAnswer } from "./request.ts";

/** The stored answer of an edit, for a repeated request with its `opId`: the facts that the change itself lacks. */
interface ShortAnswer {
  readonly docId: string;
  readonly seq: Seq;
  readonly baseSeq: Seq;
  /** The tail of the change's id. */
  readonly tail: string;
  readonly kind: string;
  readonly path: string;
  /** The version that the edit was made from, when its id has another tail. */
  readonly base?: Version;
  readonly merged?: true;
  readonly conflicts?: EditAnswer["conflicts"];
  readonly applied?: NonNullable<EditAnswer["applied"]>;
}

/** The form for a change of a file, and where nothing was to change; earlier versions stored all answers so. */
interface WholeAnswer extends Pick<ShortAnswer, "docId" | "seq" | "baseSeq"> {
  readonly kept: EditAnswer;
}

export type StoredAnswer = ShortAnswer | WholeAnswer;

/** Returns the stored part of the answer to an edit that made a change. */
export function storedAnswer(
  { edit: { document, request, resolved }, answer: { merged, conflicts, applied } }: Draft,
  { seq, id }: ChangeRecord,
): ShortAnswer {
  const { seq: baseSeq, version } = resolved.base;
  const tail = tailOf(id);
  return {
    docId: document.id,
    seq,
    baseSeq,
    tail,
    kind: request.kind,
    path: document.path,
    ...(version !== baseVersion(baseSeq, tail) && { base: version }),
    ...(merged && { merged }),
    ...(conflicts.length > 0 && { conflicts }),
    ...(applied && { applied }),
  };
}

/** Returns the stored part of the answer to a change of a document's file, which leaves its text as it is. */
export function storedFileAnswer(
  docId: string,
  change: Pick<ChangeRecord, "seq" | "id" | "time">,
  path: string,
  summary: string,
): WholeAnswer {
  const { seq, id: changeId } = change;
  const kept = { changeId, path, version: versionOf(change), summary, splices: [], conflicts: [] };
  return { docId, seq, baseSeq: seq - 1, kept: { ...kept, durable: true, merged: false } };
}

/** Returns the stored part of the answer to an edit that had nothing to change. */
export function storedUnchangedAnswer({ edit: { document, resolved }, answer: kept }: Draft): WholeAnswer {
  return { docId: document.id, seq: document.head.seq, baseSeq: resolved.base.seq, kept };
}

/** Returns the given answer, or undefined when it is about another change than `change`. */
export function givenAnswer(stored: StoredAnswer, change: ChangeRecord | undefined): EditAnswer | undefined {
  if ("kept" in stored) {
    const { changeId } = stored.kept;
    return changeId === null || changeId === change?.id ? stored.kept : undefined;
  }
  if (change === undefined) return undefined;
  const { tail, path, baseSeq, base = baseVersion(baseSeq, tail), merged, applied } = stored;
  if (partsOf(change.id)?.tail !== tail) return undefined;
  return {
    changeId: change.id,
    path,
    version: versionOf(change),
    summary: summaryOf(stored, change),
    splices: change.splices,
    durable: true,
    merged: merged ?? false,
    conflicts: stored.conflicts ?? [],
    baseVersion: base,
    ...(applied && { applied }),
  };
}

/** Returns the path that an answer named. */
export function pathOf(stored: StoredAnswer): string {
  return "kept" in stored ? stored.kept.path : stored.path;
}

function baseVersion(seq: Seq, tail: string): Version {
  return versionOf({ seq, id: changeId(seq, tail) });
}
