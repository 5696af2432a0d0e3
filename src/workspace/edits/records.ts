import type { Shelved } from "../../store/shelf.ts";
import type { AnswerRecord } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Records } from "../journal/change.ts";
import { type BatchPlan, type BatchRequest, batchRecord, batchShelf } from "./batch-record.ts";
import type { Draft } from "./draft.ts";
import { storedAnswer, storedFileAnswer, storedUnchangedAnswer } from "./stored-answer.ts";

/** Data that edits of one request have in common. */
export interface ApplyOptions {
  readonly opId?: string | undefined;
  /** Names the batch in each change; with a plan the store gets a record of the batch. */
  readonly batch?: {
    readonly id: string;
    readonly plan?: BatchPlan;
    /** The whole batch, for a preview of one that also changes files. */
    readonly request?: BatchRequest;
  };
  /** Further records to store with the edits. */
  readonly shelved?: readonly Shelved[];
  /** The answer to store if no edit changes anything. */
  readonly answer?: AnswerRecord | undefined;
}

/** Returns the records that are committed with drafts: their answer, by `opId`, and the batch's record. */
export function recordsOf(
  actor: Actor,
  drafts: readonly Draft[],
  { opId, batch, shelved = [], answer }: ApplyOptions,
  now: number,
): Records {
  if (batch?.plan === undefined) {
    const own = changeAnswer(actor, drafts, opId) ?? answer ?? unchangedAnswer(actor, drafts, opId, now);
    return { ...(own && { answer: own }), shelved };
  }
  const record = batchRecord(batch.id, batch.plan, actor, drafts, now);
  return {
    shelved: [{ shelf: batchShelf, id: batch.id, record }, ...shelved],
    ...(opId !== undefined && { answer: answerOf(actor, opId, now, { batchId: batch.id }) }),
  };
}

/** Returns the record of an answer: of several edits, the answer of the first that changes something. */
function changeAnswer(
  actor: Actor,
  drafts: readonly Draft[],
  opId: string | undefined,
): AnswerRecord | undefined {
  const first = drafts.find(({ drafted }) => drafted !== undefined);
  if (opId === undefined || first?.drafted === undefined) return undefined;
  const { change } = first.drafted;
  return answerOf(actor, opId, Math.floor(change.time), storedAnswer(first, change));
}

/** Returns the record of an answer to edits that change nothing: sent again, they might change what came since. */
function unchangedAnswer(
  actor: Actor,
  [first]: readonly Draft[],
  opId: string | undefined,
  now: number,
): AnswerRecord | undefined {
  return opId === undefined || first === undefined
    ? undefined
    : answerOf(actor, opId, now, storedUnchangedAnswer(first));
}

/** Returns the record of an answer about a change of a document's file; none without an `opId`. */
export function fileAnswer(
  actor: Actor,
  opId: string | undefined,
  ...about: Parameters<typeof storedFileAnswer>
): AnswerRecord | undefined {
  const [, { time }] = about;
  return opId === undefined ? undefined : answerOf(actor, opId, Math.floor(time), storedFileAnswer(...about));
}

function answerOf({ agent, asked }: Actor, opId: string, time: number, result: object): AnswerRecord {
  return { agent, opId, time, result, ...(asked !== undefined && { asked }) };
}
