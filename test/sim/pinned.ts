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

/** The conditions of runs that were found before the daemon covered files, knew of readings, and died inside a swap. */
const EARLIER = { covers: false, tellsReads: false, halves: false };

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
];
