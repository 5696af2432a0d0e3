import type { Line } from "./line.ts";
import type { Scope } from "./scope.ts";

/** The settings of a run. */
export interface Bench {
  readonly scope: Scope;
  /** Run every repetition, however long it takes. */
  readonly full: boolean;
  /** Run few repetitions, to check that a row works rather than its times. */
  readonly quick: boolean;
  /** The built daemon to measure. */
  readonly bin: string;
  /** The folder with recorded traces. Undefined: a made-up trace takes their place. */
  readonly traces: string | undefined;
  /** Arguments for the daemon's Node, such as `--cpu-prof`. */
  readonly nodeArgs: readonly string[];
}

/** Measures one row of docs/benchmarks.md, one line at a time. */
export type Row = (bench: Bench) => AsyncIterable<Line>;
