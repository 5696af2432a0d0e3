import type { Eol } from "../../text/lines.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Outcome } from "../refusal.ts";

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
}

/** The text an edit is resolved against. */
export interface Base {
  readonly text: Text;
  readonly eol: Eol;
}

/** Resolves one edit against a text; changes nothing. */
export type Planner = (base: Base) => Outcome<Plan>;
