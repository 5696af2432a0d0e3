import type { Line } from "./line.ts";
import type { Scope } from "./scope.ts";

/** What a row is given. */
export interface Bench {
  readonly scope: Scope;
  /** Everything, however long it takes. */
  readonly full: boolean;
  /** Few repetitions: to see that a row works, not how fast. */
  readonly quick: boolean;
  /** The built daemon that is measured. */
  readonly bin: string;
  /** Arguments for the daemon's Node, as `--cpu-prof`. */
  readonly nodeArgs: readonly string[];
}

/** Measures one row of docs/benchmarks.md, a line at a time. */
export type Row = (bench: Bench) => AsyncIterable<Line>;
