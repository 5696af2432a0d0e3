/**
 * A step of an edit, after each of which the process may die. The edit is applied to memory, handed to the store and
 * flushed there. The new version of the file is staged, swapped in (the displaced file still exists) and noted as
 * landed. The daemon is about to answer. The file is flushed. A batch has made the next change of a file.
 */
export const STEPS = [
  "applied",
  "journaled",
  "flushed",
  "staged",
  "swapped",
  "landed",
  "answered",
  "synced",
  "stepped",
] as const;
export type Step = (typeof STEPS)[number];

/** A function that the daemon calls at each step; a test's ends the process at one. */
export type Reached = (step: Step) => void;
