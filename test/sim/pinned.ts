import type { Options } from "./simulate.ts";

/**
 * A run, or a part of one, that once broke a promise, or breaks one when the bug of this name is planted. A change of
 * the harness may change the run: `npm run test:planted` shows whether it still fails, and finds another one.
 */
interface Pinned
  extends Pick<
    Options,
    | "turns"
    | "interrupted"
    | "coarse"
    | "links"
    | "power"
    | "jumps"
    | "workers"
    | "covers"
    | "tellsReads"
    | "halves"
  > {
  readonly seed: number;
  /** The name of the bug. */
  readonly found: string;
}

export const PINNED: readonly Pinned[] = [
  {
    seed: 10,
    turns: [48, 50, 54, 65],
    interrupted: false,
    found: "an edit is acknowledged before it is flushed",
  },
  {
    seed: 399,
    turns: [46, 51, 53, 72, 73, 79, 84, 86],
    interrupted: false,
    found: "a peer id is used again by the next process",
  },
  {
    seed: 2,
    turns: [10],
    interrupted: false,
    found: "the disk replica takes in what is about to be written",
  },
  { seed: 141, turns: [32, 33, 36, 39], interrupted: false, found: "the file is written before the journal" },
  {
    seed: 390,
    turns: [8, 16, 19, 20, 25, 69, 80],
    interrupted: false,
    found: "a staged version takes the file's place before that is noted",
  },
  {
    seed: 1895,
    turns: [4, 30, 33, 38, 42, 58, 59, 64, 65, 66, 72, 73, 74, 80, 81, 92],
    interrupted: false,
    found: "what was written in place is read before it holds still",
  },
  {
    seed: 7737,
    turns: [1, 2, 6, 9, 11, 15, 19, 20, 21, 22, 23, 24, 25, 26, 28, 37, 39, 40],
    found: "a file was torn between the looks that called it whole and the reading",
  },
  {
    seed: 18,
    turns: [18, 19, 20, 21, 22, 25, 28, 29, 33, 77],
    interrupted: false,
    found: "a version staged before a crash is cleared away while it is still to be told by",
  },
  {
    seed: 156,
    turns: [53, 54, 55, 57, 59, 61, 65],
    interrupted: false,
    found: "that a version landed before a crash is not found out",
  },
  {
    seed: 883,
    turns: [1, 18, 45, 47, 62, 63, 76, 86, 88],
    found: "notes of a save outlived the save that the store refused",
  },
  {
    seed: 1506,
    turns: [0, 1, 4, 15, 16, 18, 20, 26, 28, 36, 40, 44, 57, 58, 60],
    found: "an answer outlived its change, which the store had taken back",
  },
  {
    seed: 23,
    turns: [23, 32, 33, 34, 38, 43, 59, 70, 73],
    interrupted: false,
    found: "an answer given again after a crash says mirrored of what is not",
  },
  {
    seed: 3275,
    turns: [40, 43, 44, 50, 56, 59, 60, 68, 69, 72, 74, 76],
    interrupted: false,
    found: "an edit in flight was taken for seen by whoever saved beside it",
  },
  {
    seed: 454,
    turns: [6, 7, 22, 24, 71, 72],
    interrupted: false,
    found: "a move whose note the store refused made the edit throw that noticed it",
  },
  {
    seed: 118,
    turns: [5, 7, 21, 26, 49],
    interrupted: false,
    found: "events come before what they tell of is durable",
  },
  {
    seed: 58,
    turns: [1, 2, 13, 14, 62, 64, 65, 67],
    found: "an edit made just as the last write ended was never written",
  },
  {
    seed: 770,
    turns: [20, 26, 28, 42, 45],
    interrupted: false,
    found: "changes that were refused stay in the store",
  },
  { seed: 1, turns: [6], interrupted: false, found: "positions count UTF-16 units" },
  {
    seed: 5348,
    turns: [1, 2, 3, 5, 8, 9, 11, 14, 18, 19, 24, 29],
    found: "a moved file was noted as it was before the change that told of it was stored",
  },
  {
    seed: 5348,
    turns: [1, 2, 3, 5, 6, 9, 10, 11, 14, 18, 19, 24, 29, 35, 41, 42, 55, 56],
    found: "a staged version that was not noted, and so discarded, was noted after all with the next save",
  },
  {
    seed: 3070803,
    turns: [5, 6, 8, 10, 19, 20, 24, 37, 42, 56],
    found:
      "an edit that the store could neither keep nor take back was answered as done when it was sent again",
  },
  {
    seed: 2035986,
    turns: [3, 24, 51, 55, 57, 58, 62],
    interrupted: false,
    found: "a save that left nothing of an edit was taken for a reply to it when it was nearest to that",
  },
  {
    seed: 30007365,
    turns: [3, 16, 24, 25, 26, 30, 32, 33, 38, 40, 42, 44],
    interrupted: false,
    found: "a file was replaced while somebody was writing to it",
  },
  {
    seed: 30098358,
    turns: [21, 28, 29, 30, 31, 49, 50, 55, 56, 67, 68, 69, 76, 83, 92],
    found: "what a save and edits beside it both kept of a line was there twice",
  },
  {
    seed: 1021067,
    turns: [6, 9, 21, 22, 31, 39, 41, 56],
    interrupted: false,
    found: "a word that a save and an edit beside it both moved was there twice",
  },
  {
    seed: 30032609,
    turns: [7, 8, 9, 11, 12, 13, 16, 18, 19, 20, 25, 30, 31, 33, 34, 35, 36, 38, 60, 91, 95],
    found: "a save was merged from a version that it was not made from, and a word was there twice",
  },
  {
    seed: 1205,
    turns: [10, 18, 20, 22, 28, 37, 59, 67, 69],
    interrupted: false,
    jumps: true,
    found: "answers were forgotten because the clock had been set ahead",
  },
  {
    seed: 400754386,
    turns: [0, 1, 3, 4, 22, 23, 24, 25, 29, 36, 70, 78, 88, 90],
    found: "a document stayed blocked by a write that was not needed any more",
  },
  {
    seed: 400596717,
    covers: true,
    turns: [15, 17, 23, 24, 60, 67, 101, 105, 111, 112],
    interrupted: false,
    found: "a file renamed after the store refused an edit of it was taken for a new document",
  },
  {
    seed: 400759322,
    turns: [6, 7, 14, 35, 37, 41, 42, 51, 88],
    interrupted: false,
    found: "a renamed file was taken for what the store has of it, not for what it holds",
  },
  {
    seed: 400875089,
    turns: [4, 13, 15, 16, 17, 19, 21, 24, 27, 29, 30, 33, 37, 44, 45, 46],
    found: "a request under the old path of a document that was just being moved loaded it a second time",
  },
  {
    seed: 987658485,
    turns: [16, 18, 19, 20, 21, 22, 23, 30],
    found: "an edit went into a document that was dropped while the note of its move was being stored",
  },
  {
    seed: 987660162,
    turns: [2, 4, 5, 6, 11, 17, 45, 49, 64, 68, 69, 70, 86, 90],
    interrupted: false,
    found: "an edit went into a document whose replicas the end of the daemon had freed",
  },
  {
    seed: 2144023504,
    turns: [3, 4, 6, 8, 33, 34, 40, 53, 54, 55, 59, 66, 73, 81, 87],
    found: "a staged version counted as noted though the store had refused that to somebody else who asked",
  },
  {
    seed: 2144191278,
    turns: [19, 20, 64, 67, 76, 78, 79, 90, 96, 97, 98, 99, 100, 101, 106, 107, 110, 112, 116],
    interrupted: false,
    found: "a file renamed while its document was being dropped was taken for a new document",
  },
  {
    seed: 772235,
    turns: [3, 5, 11, 12, 19, 20, 29, 30, 32, 42, 45, 55],
    power: true,
    found: "a file that a power cut turned back into a save was taken for another save",
  },
  {
    seed: 4100015054,
    turns: [16, 52, 54, 56, 79, 80, 87, 97],
    interrupted: false,
    found: "a save that met pending edits in a line doubled a word that Loro's merge had once",
  },
];
