import { encodeRows } from "./columns.ts";
import { filterOf } from "./key-filter.ts";
import type { AnswerRecord } from "./store.ts";

/** Answers of some time, stored as one record. */
export interface AnswerPack {
  readonly size: number;
  /** The time of the newest, in milliseconds since the epoch. */
  readonly newest: number;
  /** Of the keys of the answers. */
  readonly filter: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Packs answers, oldest first. */
export function answerPackOf(answers: readonly AnswerRecord[]): AnswerPack {
  return {
    size: answers.length,
    newest: Math.max(...answers.map(({ time }) => time)),
    filter: filterOf(answers.map(keyOf)),
    bytes: encodeRows(answers),
  };
}

/** Returns the text that answers to the same call share. */
export function keyOf({ agent, opId }: Pick<AnswerRecord, "agent" | "opId">): string {
  return `${agent}\n${opId}`;
}
