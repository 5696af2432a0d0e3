import type { Result } from "../schemas/schemas.ts";

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
  const { requests } = metrics;
  return [
    exposition(families(metrics)),
    head(REQUESTS),
    ...requests.map((figures) => textOf(figures).outcomes),
    head(DURATIONS),
    ...requests.map((figures) => textOf(figures).durations),
  ].join("");
}

export function exposition(all: readonly Family[]): string {
  return all.map((family) => head(family) + lines(family.name, family.samples)).join("");
}

type FamilyHead = Omit<Family, "samples">;

function head({ name, type, help }: FamilyHead): string {
  return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
}

function lines(name: string, samples: readonly Sample[]): string {
  return samples
    .map(({ suffix = "", labels = {}, value }) => `${name}${suffix}${labelled(labels)} ${value}\n`)
    .join("");
}

type RequestFigures = Result<"metrics.get">["requests"][number];

const REQUESTS: FamilyHead = {
  name: "spliced_requests_total",
  type: "counter",
  help: "Answered requests, by method and outcome: ok, or the code of the refusal.",
};
const DURATIONS: FamilyHead = {
  name: "spliced_request_duration_seconds",
  type: "histogram",
  help: "Time from a request to its answer, by method.",
};

/** The lines of each method's figures, which are most of the text. Figures never change: new ones are new objects. */
const texts = new WeakMap<RequestFigures, { readonly outcomes: string; readonly durations: string }>();

function textOf(figures: RequestFigures) {
  let text = texts.get(figures);
  if (text === undefined) {
    const { method, outcomes } = figures;
    const samples = Object.entries(outcomes).map(([outcome, value]) => ({
      labels: { method, outcome },
      value,
    }));
    text = { outcomes: lines(REQUESTS.name, samples), durations: lines(DURATIONS.name, duration(figures)) };
    texts.set(figures, text);
  }
  return text;
}

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function families(metrics: Result<"metrics.get">): Family[] {
  const { documents } = metrics;
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
  ];
}

function duration({ method, latency }: RequestFigures): Sample[] {
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
