import { type Summary, summarize } from "./stats.ts";

/** Both sides' values of one kind. */
export interface Pair<Value> {
  readonly ours: Value;
  readonly peer: Value;
}

/** A requirement. */
export interface Target {
  readonly text: string;
  /** Undefined when there is no peer to compare with. */
  readonly met: boolean | undefined;
}

/** What was measured besides the values. */
interface Beside {
  /** Operations a second. */
  readonly rate?: Pair<number> | undefined;
  /** Milliseconds of the server's processor time an operation. */
  readonly cpu?: Pair<number> | undefined;
}

/** What the least program took that does what ours promises; rate and processor time as for both sides. */
export interface Measured {
  readonly values: readonly number[];
  readonly rate?: number;
  readonly cpu?: number;
}

interface Named {
  readonly row: string;
  readonly what: string;
  /** The peer, or why there is none. */
  readonly against: string;
  /** The unit of the values. Default: ms. */
  readonly unit?: "ms" | "bytes" | "lost";
}

/** One line of the table: the same work by spliced and by a peer, in the same run. */
export interface Line extends Named, Beside {
  readonly ours: Summary;
  /** Undefined when there is no peer. */
  readonly peer?: Summary | undefined;
  readonly floor?: (Omit<Measured, "values"> & { readonly summary: Summary }) | undefined;
  readonly targets: readonly Target[];
}

export interface Comparison extends Named, Beside {
  readonly ours: readonly number[];
  /** Empty when there is no peer. */
  readonly peer: readonly number[];
  readonly floor?: Measured | undefined;
}

export type Judge = (measured: Pick<Line, "ours" | "peer" | "rate" | "cpu">) => Target;

/** Summarizes a comparison and checks its targets. */
export function lineOf(
  { ours, peer, rate, cpu, floor, ...named }: Comparison,
  ...judges: readonly Judge[]
): Line {
  const measured = { ours: summarize(ours), peer: peer.length > 0 ? summarize(peer) : undefined, rate, cpu };
  const targets = judges.map((judge) => judge(measured));
  if (floor === undefined) return { ...named, ...measured, targets };
  const { values, ...beside } = floor;
  return { ...named, ...measured, floor: { ...beside, summary: summarize(values) }, targets };
}

/** Requires that the ratio of the medians is at most `ratio`. */
export function atMost(ratio: number): Judge {
  return ({ ours, peer }) => ({ text: `≤ ${ratio}×`, met: peer && ours.p50 <= ratio * peer.p50 });
}

/** Requires that our median is at most `ms` milliseconds over the peer's. */
export function atMostOver(ms: number): Judge {
  return ({ ours, peer }) => ({ text: `≤ floor + ${ms} ms`, met: peer && ours.p50 <= peer.p50 + ms });
}

/** Requires that our 99th percentile is at most `ms` milliseconds. */
export function p99AtMost(ms: number): Judge {
  return ({ ours }) => ({ text: `p99 ≤ ${ms} ms`, met: ours.p99 <= ms });
}

/** Requires that our median is at most so many bytes. */
export function megabytesAtMost(megabytes: number): Judge {
  return ({ ours }) => ({ text: `≤ ${megabytes} MB`, met: ours.p50 <= megabytes * 1e6 });
}

/** Requires that we lose nothing. */
export const nothing: Judge = ({ ours }) => ({ text: "0", met: ours.p50 === 0 });

/** Requires that we do at least `ratio` times as much a second. */
export function rateAtLeast(ratio: number): Judge {
  return ({ rate }) => ({ text: `≥ ${ratio}× a second`, met: rate && rate.ours >= ratio * rate.peer });
}

/** Requires that our server takes at most `ratio` times as much processor time an operation. */
export function cpuAtMost(ratio: number): Judge {
  return ({ cpu }) => ({ text: `≤ ${ratio}× CPU`, met: cpu && cpu.ours <= ratio * cpu.peer });
}
