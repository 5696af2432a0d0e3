import type { Eol } from "../../text/lines.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Outcome } from "../outcome/refusal.ts";

/** The effect of an edit on its base. */
export interface Plan {
  /** The splices in the positions of the base. */
  readonly splices: readonly Splice[];
  /** True for a patch with a hunk that only its line number places. */
  readonly blind?: boolean;
  /** True for a whole text, or a whole view, that the document then has exactly as the caller sent it. */
  readonly exact?: boolean;
  /** For a patch: the number of hunks, the largest offset in lines, and the most context lines ignored. */
  readonly applied?: {
    readonly hunks: number;
    readonly offset: number;
    readonly fuzz: number;
  };
  /** The reason why the edit needs a confirmation before it is applied. */
  readonly confirm?: string;
  /** The hunks to check before confirming. */
  readonly inexactHunks?: readonly InexactHunk[];
}

/** A hunk that landed, but not exactly where or as the patch states. */
export interface InexactHunk {
  /** The number of the hunk, from 1. */
  readonly hunk: number;
  /** The line (1-based) at which the hunk landed. */
  readonly line: number;
  /** The lines between the line in its header and this one. */
  readonly offset: number;
  /** The context lines ignored, as patch(1) counts them. */
  readonly fuzz: number;
  readonly why: string;
  /** The current lines at and around the hunk, without line endings; `line` (1-based) is the first of them. */
  readonly there: { readonly line: number; readonly text: readonly string[] };
}

/** The text that an edit was made for. */
export interface Base {
  readonly text: Text;
  readonly eol: Eol;
  /** The largest size of the document in bytes. */
  readonly maxBytes: number;
}

/** Computes the plan of one edit for a base; changes nothing. */
export interface Planner {
  (base: Base): Outcome<Plan>;
  /** The form in which a worker computes the plan; a planner without it is fast on every text. */
  readonly task?: PlannerTask;
}

/** The names of the planners that a worker runs; `workers/tasks.ts` maps each name to its planner. */
export type PlannerName = "lines" | "patch" | "regex" | "replace" | "save" | "set" | "view" | "write";

/** A planner as a message to a worker: its name and its arguments. */
export interface PlannerTask {
  readonly planner: PlannerName;
  readonly args: readonly unknown[];
  /** Returns the cost of planning for a text; reading one UTF-16 unit costs 1. */
  readonly cost: (text: Text) => number;
}

/** Returns a planner that a worker can run, too. */
export function workerPlanner(task: PlannerTask, plan: (base: Base) => Outcome<Plan>): Planner {
  return Object.assign(plan, { task });
}
