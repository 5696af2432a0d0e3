import type { AnswerRecord } from "../store.ts";
import { decodeRows, encodeRows } from "./columns.ts";
import { type StoredKeys, storedKeysOf } from "./key-set.ts";
import { decodeOlderRows } from "./older-columns.ts";

/** Answers of some time, stored as one record. */
export interface AnswerPack extends StoredKeys {
  readonly size: number;
  /** The time of the newest, in milliseconds since the epoch. */
  readonly newest: number;
  readonly bytes: Uint8Array;
}

/** Packs answers, oldest first. Each comes back with the second in which it was given: forgetting needs no more. */
export function answerPackOf(answers: readonly AnswerRecord[]): AnswerPack {
  return {
    size: answers.length,
    newest: Math.max(...answers.map(({ time }) => time)),
    ...storedKeysOf(answers.map(keyOf)),
    bytes: encodeRows(answers.map((answer) => ({ ...answer, time: wholeSecond(answer.time) }))),
  };
}

/** Returns the answers of a pack, oldest first. */
export function answersIn({ numbered, bytes }: AnswerPack): AnswerRecord[] {
  return (numbered === undefined ? decodeOlderRows(bytes) : decodeRows(bytes)) as AnswerRecord[];
}

function wholeSecond(time: number): number {
  return time - (time % 1000);
}

/** Returns the text that answers to the same call share. */
export function keyOf({ agent, opId }: Pick<AnswerRecord, "agent" | "opId">): string {
  return `${agent}\n${opId}`;
}
