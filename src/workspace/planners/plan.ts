import type { Eol } from "../../text/lines.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Outcome } from "../outcome/refusal.ts";

/** What an edit would do to the text it was resolved against. */
export interface Plan {
  /** In that text's positions. */
  readonly splices: readonly Splice[];
  /** For patches: how many hunks, the farthest that one moved (lines), context lines ignored. */
  readonly applied?: {
    readonly hunks: number;
    readonly offset: number;
    readonly fuzz: number;
  };
  /** Why the caller has to look at it and confirm before it is applied. */
  readonly confirm?: string;
  /** The places to look at. */
  readonly inexactHunks?: readonly InexactHunk[];
}

/** A hunk that landed, but not just as the patch says. */
export interface InexactHunk {
  /** From 1. */
  readonly hunk: number;
  /** The line (1-based) at which it landed, and how many lines that is off its header's. */
  readonly line: number;
  readonly offset: number;
  /** Context lines that were ignored, as patch(1) counts them. */
  readonly fuzz: number;
  readonly why: string;
  /** What stands there now and right around it, without line endings, from a line (1-based) on. */
  readonly there: { readonly line: number; readonly text: readonly string[] };
}

/** The text an edit is resolved against. */
export interface Base {
  readonly text: Text;
  readonly eol: Eol;
  /** The largest that the document may become. */
  readonly maxBytes: number;
}

/** Resolves one edit against a text; changes nothing. */
export interface Planner {
  (base: Base): Outcome<Plan>;
  /** How a worker makes the same plan; a planner without it is quick on every text. */
  readonly task?: PlannerTask;
}

/** A planner as a message to a worker: the name that `tasks.ts` has for it, and its arguments. */
export interface PlannerTask {
  readonly planner: string;
  readonly args: readonly unknown[];
  /** The work on a text, in UTF-16 units that are read about once. */
  readonly cost: (text: Text) => number;
}

/** A planner that a worker can run, too. */
export function workerPlanner(task: PlannerTask, plan: (base: Base) => Outcome<Plan>): Planner {
  return Object.assign(plan, { task });
}
