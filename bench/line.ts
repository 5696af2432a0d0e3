import { type Summary, summarize } from "./stats.ts";

export interface Target {
  readonly text: string;
  readonly met: boolean;
}

/** One line of the table: the times of the same work by spliced and by a peer, in the same run. */
export interface Line {
  readonly row: string;
  readonly what: string;
  readonly against: string;
  readonly ours: Summary;
  readonly peer: Summary;
  readonly targets: readonly Target[];
}

export interface Comparison {
  readonly row: string;
  readonly what: string;
  readonly against: string;
  /** Milliseconds. */
  readonly ours: readonly number[];
  readonly peer: readonly number[];
}

export type Judge = (ours: Summary, peer: Summary) => Target;

/** Summarizes a comparison and checks its targets. */
export function lineOf({ ours, peer, ...named }: Comparison, ...judges: readonly Judge[]): Line {
  const [a, b] = [summarize(ours), summarize(peer)];
  return { ...named, ours: a, peer: b, targets: judges.map((judge) => judge(a, b)) };
}

/** Requires that the ratio of the medians is at most `ratio`. */
export function atMost(ratio: number): Judge {
  return (ours, peer) => ({ text: `≤ ${ratio}×`, met: ours.p50 / peer.p50 <= ratio });
}

/** Requires that our median is at most `ms` milliseconds over the peer's. */
export function atMostOver(ms: number): Judge {
  return (ours, peer) => ({ text: `≤ floor + ${ms} ms`, met: ours.p50 <= peer.p50 + ms });
}

/** Requires that our 99th percentile is at most `ms` milliseconds. */
export function p99AtMost(ms: number): Judge {
  return (ours) => ({ text: `p99 ≤ ${ms} ms`, met: ours.p99 <= ms });
}
