import { signal } from "@preact/signals";
import type { Result } from "../../../protocol/schemas/schemas.ts";

type Metrics = Result<"metrics.get">;

/** The daemon's metrics at a time. */
export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly metrics: Metrics;
}

/** The figures of the time between two samples. */
export interface Figures {
  readonly editsPerSecond: number;
  /** Mean time from an edit to its answer, in milliseconds; 0 without edits. */
  readonly latencyMs: number;
  readonly documents: number;
  readonly connections: number;
  readonly memoryBytes: number;
}

/** Samples in the drawn curves. */
const MOST_SAMPLES = 121;

/** The samples, oldest first. */
export const samples = signal<readonly Sample[]>([]);

export function addSample(sample: Sample): void {
  samples.value = [...samples.value, sample].slice(-MOST_SAMPLES);
}

/**
 * Returns the figures between each two samples, except across a restart, at which the daemon counts from zero again.
 */
export function figuresOf(all: readonly Sample[]): Figures[] {
  return all.slice(1).flatMap((now, i) => {
    const before = all[i]!;
    return now.metrics.uptimeMs < before.metrics.uptimeMs ? [] : [between(before, now)];
  });
}

function between(before: Sample, now: Sample): Figures {
  const seconds = Math.max((now.at - before.at) / 1000, 0.001);
  const [made, madeBefore] = [changesIn(now.metrics), changesIn(before.metrics)];
  const [edits, editsBefore] = [editsIn(now.metrics), editsIn(before.metrics)];
  const count = edits.count - editsBefore.count;
  return {
    editsPerSecond: (made - madeBefore) / seconds,
    latencyMs: count === 0 ? 0 : (edits.sumMs - editsBefore.sumMs) / count,
    documents: now.metrics.documents.loaded,
    connections: now.metrics.connections,
    memoryBytes: now.metrics.memoryBytes,
  };
}

function changesIn({ changes }: Metrics): number {
  return Object.values(changes).reduce((sum, count) => sum + count, 0);
}

function editsIn({ requests }: Metrics): { readonly count: number; readonly sumMs: number } {
  const edits = requests.filter(({ method }) => method.startsWith("edit.") || method === "batch.apply");
  return {
    count: edits.reduce((sum, { latency }) => sum + latency.count, 0),
    sumMs: edits.reduce((sum, { latency }) => sum + latency.sumMs, 0),
  };
}
