/**
 * A step on the way of an edit, after which the process may die: applied to memory, handed to the store, flushed
 * there; the file's new version staged, swapped in (what it displaced still beside), known to have landed; the
 * edit about to be answered; the file flushed.
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
] as const;
export type Step = (typeof STEPS)[number];

/** Told of each step; a test's dies at one. */
export type Reached = (step: Step) => void;
