import { type Summary, summarize } from "./stats.ts";

export interface Target {
  readonly text: string;
  readonly met: boolean;
}

/** One line of the table: the same work done by us and by what it is compared with, in the same run. */
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

export function lineOf({ ours, peer, ...named }: Comparison, ...judges: readonly Judge[]): Line {
  const [a, b] = [summarize(ours), summarize(peer)];
  return { ...named, ours: a, peer: b, targets: judges.map((judge) => judge(a, b)) };
}

/** The ratio of medians is at most this. */
export function atMost(ratio: number): Judge {
  return (ours, peer) => ({ text: `≤ ${ratio}×`, met: ours.p50 / peer.p50 <= ratio });
}

/** The median is at most this much over the other's; milliseconds. */
export function atMostOver(ms: number): Judge {
  return (ours, peer) => ({ text: `≤ floor + ${ms} ms`, met: ours.p50 <= peer.p50 + ms });
}

/** Our 99th percentile is at most this; milliseconds. */
export function p99AtMost(ms: number): Judge {
  return (ours) => ({ text: `p99 ≤ ${ms} ms`, met: ours.p99 <= ms });
}
