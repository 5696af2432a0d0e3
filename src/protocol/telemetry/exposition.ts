import type { Result } from "../schemas.ts";

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Sample {
  /** Suffix of the family's name: histograms have `_bucket`, `_sum` and `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

const TROUBLES = ["full", "gone", "failed"] as const;

/** Returns the metrics in Prometheus' text format, with times in seconds. */
export function prometheusText(metrics: Result<"metrics.get">): string {
  return exposition(families(metrics));
}

export function exposition(all: readonly Family[]): string {
  return all
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = "", labels = {}, value }) => `${name}${suffix}${labelled(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function families(metrics: Result<"metrics.get">): Family[] {
  const { documents, requests } = metrics;
  return [
    one("spliced_uptime_seconds", "gauge", "Time since the daemon started.", metrics.uptimeMs / 1000),
    one("process_resident_memory_bytes", "gauge", "Resident memory of the daemon.", metrics.memoryBytes),
    one("spliced_connections", "gauge", "Open connections.", metrics.connections),
    one("spliced_documents_loaded", "gauge", "Documents in memory.", documents.loaded),
    one(
      "spliced_pending_writes",
      "gauge",
      "Changes that are not yet in their files.",
      documents.pendingWrites,
    ),
    {
      name: "spliced_mirror_problems",
      type: "gauge",
      help: "Documents whose file cannot be read or written, by reason.",
      samples: byLabel("kind", documents.problems),
    },
    {
      name: "spliced_store_trouble",
      type: "gauge",
      help: "1 while the store refuses writes for this reason.",
      samples: TROUBLES.map((kind) => ({ labels: { kind }, value: metrics.storeTrouble === kind ? 1 : 0 })),
    },
    {
      name: "spliced_changes_total",
      type: "counter",
      help: "Changes by origin.",
      samples: byLabel("origin", metrics.changes),
    },
    one("spliced_conflicts_total", "counter", "Merges of the same or adjoining words.", metrics.conflicts),
    one("spliced_stale_saves_rescued_total", "counter", "Stale saves that were merged.", metrics.rescued),
    one(
      "spliced_stale_saves_superseded_total",
      "counter",
      "Saves that reverted edits of other authors.",
      metrics.superseded,
    ),
    one("spliced_patches_total", "counter", "Answered patches.", metrics.total_patches),
    one("spliced_patch_conflicts_total", "counter", "Patches that did not fit.", metrics.patch_conflicts),
    {
      name: "spliced_requests_total",
      type: "counter",
      help: "Answered requests, by method and outcome: ok, or the code of the refusal.",
      samples: requests.flatMap(({ method, outcomes }) =>
        Object.entries(outcomes).map(([outcome, value]) => ({ labels: { method, outcome }, value })),
      ),
    },
    {
      name: "spliced_request_duration_seconds",
      type: "histogram",
      help: "Time from a request to its answer, by method.",
      samples: requests.flatMap(duration),
    },
  ];
}

function duration({ method, latency }: Result<"metrics.get">["requests"][number]): Sample[] {
  const { buckets, count, sumMs } = latency;
  return [
    ...buckets.map((bucket) => ({
      suffix: "_bucket",
      labels: { method, le: String(bucket.le / 1000) },
      value: bucket.count,
    })),
    { suffix: "_bucket", labels: { method, le: "+Inf" }, value: count },
    { suffix: "_sum", labels: { method }, value: sumMs / 1000 },
    { suffix: "_count", labels: { method }, value: count },
  ];
}

function one(name: string, type: Family["type"], help: string, value: number): Family {
  return { name, type, help, samples: [{ value }] };
}

function byLabel(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([key, value]) => ({ labels: { [label]: key }, value }));
}
