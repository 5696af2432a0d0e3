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
    | "requests"
    | "rare"
  > {
  readonly seed: number;
  /** The name of the bug. */
  readonly found: string;
}

/** The conditions of runs that were found before the daemon covered files, knew of readings, and died inside a swap. */
const EARLIER = { covers: false, tellsReads: false, halves: false };

const MARKS =
  "a mark outside ASCII is part of a word, and words that a save and an edit left are there twice";

export const PINNED: readonly Pinned[] = [
  {
    seed: 1021067,
    turns: [6, 9, 21, 22, 31, 39, 41, 56],
    interrupted: false,
    ...EARLIER,
    found: "a word that a save and an edit beside it both moved was there twice",
  },
  {
    seed: 4100015054,
    turns: [16, 52, 54, 56, 79, 80, 87, 97],
    interrupted: false,
    ...EARLIER,
    found: "a save that met pending edits in a line doubled a word that Loro's merge had once",
  },
  {
    seed: 820055464,
    turns: [0, 5, 9, 56, 58, 61, 75],
    found: "a paragraph counts as moved where a blank line went, and a conflict has its words twice",
  },
  {
    seed: 930014328,
    turns: [
      0, 1, 2, 3, 4, 5, 6, 11, 12, 15, 17, 18, 21, 22, 24, 25, 26, 27, 33, 34, 35, 36, 37, 38, 48, 50, 51, 52,
      56, 58, 61, 62, 63, 75, 76, 87, 89, 97,
    ],
    found: MARKS,
  },
  {
    seed: 55103867,
    turns: [2, 3, 5, 7, 11, 16, 19, 20, 53, 54, 55, 56, 57, 60, 61, 68, 73, 75],
    found: MARKS,
  },
  {
    seed: 1000017248,
    turns: [15, 19, 25, 26, 36, 37, 53, 64, 67, 69, 70, 90, 91, 92, 93, 95, 100, 102, 105, 114],
    interrupted: false,
    found: "a deleted document takes the file that comes back at another path for read",
  },
  {
    seed: 52002395,
    turns: [8, 11, 13, 14, 15, 17, 20, 27, 28, 40, 41, 42, 44, 45, 70, 72, 74, 75, 78, 81],
    interrupted: false,
    requests: true,
    rare: true,
    found: "a restoration placed an older text than the document had from a file that came and went",
  },
  {
    seed: 83000234,
    turns: [4, 5, 10, 11, 15],
    interrupted: false,
    coarse: true,
    rare: true,
    found: "a save within the tick of the file's last known write counts as what a power cut left",
  },
];
