import type { Origin } from "../../store/store.ts";
import { residentSize } from "../../system/process.ts";
import type { Rights } from "../../workspace/access/rights.ts";
import type { WorkspaceEvent } from "../../workspace/events/events.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import type { RefusalCode } from "../../workspace/outcome/refusal.ts";
import type { Result } from "../schemas/schemas.ts";
import { Histogram, round } from "./histogram.ts";

/** The outcome of a request. */
type RequestOutcome = "ok" | RefusalCode;

/** The refusals of a patch that does not fit its document, in contrast to an invalid request. */
const CONFLICTS: ReadonlySet<RequestOutcome> = new Set<RequestOutcome>([
  "PATCH_REJECTED",
  "AMBIGUOUS_MATCH",
  "STALE_VERSION",
  "CONFLICT",
]);

type RequestFigures = Result<"metrics.get">["requests"][number];

interface Requests {
  /** The figures to show; undefined after a request, until the next reader asks. */
  figures?: RequestFigures | undefined;
  readonly outcomes: Map<RequestOutcome, number>;
  readonly latency: Histogram;
}

/** Counters of the daemon since its start, without text, paths or names of agents. */
export class Metrics {
  readonly #workspace: Workspace;
  readonly #startedAt: number;
  readonly #requests = new Map<string, Requests>();
  readonly #changes = new Map<Origin, number>();
  readonly #merges = { conflicts: 0, rescued: 0, superseded: 0 };
  #connections = 0;
  #begun = 0;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#startedAt = workspace.ports.clock.now();
    workspace.listen((event) => this.#count(event));
  }

  /** Counts an answered request; `method` is one of the protocol's, or `unknown`. */
  request(method: string, ended: RequestOutcome, ms: number): void {
    let requests = this.#requests.get(method);
    if (requests === undefined) {
      requests = { outcomes: new Map(), latency: new Histogram() };
      this.#requests.set(method, requests);
    }
    add(requests.outcomes, ended);
    requests.latency.add(ms);
    requests.figures = undefined;
  }

  /** Counts a new connection. Returns a function to call once when it ends. */
  connected(): () => void {
    this.#connections++;
    this.#begun++;
    return () => {
      this.#connections--;
    };
  }

  /** The number of connections since the start, also of those for a single request. */
  get begun(): number {
    return this.#begun;
  }

  /** Returns the counters, without the documents in memory that a reader may not see. */
  snapshot(rights: Rights): Result<"metrics.get"> {
    const { clock, store } = this.#workspace.ports;
    return {
      ...this.#patches(),
      uptimeMs: clock.now() - this.#startedAt,
      memoryBytes: residentSize(),
      connections: this.#connections,
      documents: documents(this.#workspace, rights),
      changes: Object.fromEntries(this.#changes),
      ...this.#merges,
      storeTrouble: store.trouble?.kind ?? null,
      requests: [...this.#requests].map(([method, requests]) => figuresOf(method, requests)),
    };
  }

  #patches(): { total_patches: number; patch_conflicts: number; avg_patch_latency: number } {
    const patches = this.#requests.get("edit.patch");
    const { count, sumMs } = patches?.latency.snapshot() ?? { count: 0, sumMs: 0 };
    const refused = [...(patches?.outcomes ?? [])].filter(([ended]) => CONFLICTS.has(ended));
    return {
      total_patches: count,
      patch_conflicts: refused.reduce((sum, [, times]) => sum + times, 0),
      avg_patch_latency: count === 0 ? 0 : round(sumMs / count),
    };
  }

  #count(event: WorkspaceEvent): void {
    if (event.type === "changed") add(this.#changes, event.origin);
    else if (event.type === "conflict") this.#merges.conflicts++;
    else if (event.type === "rescued") this.#merges.rescued++;
    else if (event.type === "superseded") this.#merges.superseded++;
  }
}

function documents({ loaded }: Workspace, rights: Rights): Result<"metrics.get">["documents"] {
  const sums = { loaded: 0, pendingWrites: 0 };
  const problems = new Map<string, number>();
  for (const { path, pendingWrites, mirror } of loaded) {
    if (!rights.allows(path, "read")) continue;
    sums.loaded++;
    sums.pendingWrites += pendingWrites;
    if (mirror.problem !== undefined) add(problems, mirror.problem.kind);
  }
  return { ...sums, problems: Object.fromEntries(problems) };
}

/**
 * Returns the figures of a method: the same object until its next request, so that readers can reuse their own results.
 */
function figuresOf(method: string, requests: Requests): RequestFigures {
  requests.figures ??= {
    method,
    outcomes: Object.fromEntries(requests.outcomes),
    latency: requests.latency.snapshot(),
  };
  return requests.figures;
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
