/**
 * A step of an edit, after each of which the process may die. The edit is applied to memory, handed to the store and
 * flushed there. The new version of the file is staged, swapped in (the displaced file still exists) and noted as
 * landed. The daemon is about to answer. The file is flushed. In a busy store the front log is made, and a group of
 * writes is flushed there. The database has durably taken in the log's groups.
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
  "log made",
  "logged",
  "taken in",
] as const;
/**
 * A step of a database that shrinks: the dense copy is durable, it has the database's name, and it durably has its
 * place.
 */
export const SHRINKS = ["copied", "renamed", "shrunk"] as const;
/** A step of an edit or of a shrinking database, or of a batch that has just changed another file as a whole (`stepped`). */
export type Step = (typeof STEPS)[number] | (typeof SHRINKS)[number] | "stepped";

/** A function that the daemon calls at each step; a test's ends the process at one. */
export type Reached = (step: Step) => void;
