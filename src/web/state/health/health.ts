import { effect, signal } from "@preact/signals";
import { fetchAsPage } from "../../../client/browser.ts";
import { counts } from "../base/counts.ts";
import { daemon } from "../base/session.ts";
import { type Lane, laneTrouble, type SharedMachines } from "./sharing.ts";

/** A current problem of the daemon, as `/health` reports it. */
export interface ReportedProblem {
  readonly what: "store" | "file" | "watcher" | "tokens" | "machines";
  readonly path?: string;
  readonly kind: string;
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
  readonly advice: string;
}

export interface HealthReport {
  readonly status: "ok" | "degraded";
  readonly version: string;
  readonly startedAt: string;
  readonly root: "present" | "gone";
  readonly problems: readonly ReportedProblem[];
  /** The sentences on the files that the daemon covers, and on the files that it does not. */
  readonly cover: { readonly lines: readonly string[] };
  /** The machines that share the workspace, and what waits between them; undefined once the sign-in has ended. */
  readonly machines?: SharedMachines;
  /** The lanes; undefined for a person without the right to administer the workspace. */
  readonly lanes?: readonly Lane[];
  /** The report of what the daemon stores; undefined for a person without the right to administer the workspace. */
  readonly stored?: StoredFigures;
  /** The time of the request, in milliseconds since the epoch. */
  readonly askedAt: number;
}

/** The report of what the daemon stores for the workspace. */
export interface StoredFigures {
  readonly historyBytes: number;
  /** 0 for the whole history. */
  readonly keepHistoryDays: number;
  readonly logFolder: string;
  readonly logBytes: number;
  readonly tokens: readonly { readonly name: string; readonly allow: readonly string[] }[];
}

/** The daemon's newest report; undefined while there is none. */
export const healthReport = signal<HealthReport | undefined>(undefined);

/** Whether a first request was answered, or failed. */
export const healthIsKnown = signal(false);

/** Milliseconds between two requests. The sidebar shows the problems, so the page asks in every view. */
const REFRESH_MS = 15_000;

effect(() => {
  const { problems = [], root, lanes = [] } = healthReport.value ?? {};
  const gone = root === "gone" ? 1 : 0;
  const held = lanes.filter((lane) => laneTrouble(lane) !== undefined).length;
  counts.value = { ...counts.peek(), problems: problems.length + gone + held };
});

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  const refresh = () => void refreshHealth();
  const refreshIfVisible = () => {
    if (!document.hidden) refresh();
  };
  refresh();
  const every = setInterval(refreshIfVisible, REFRESH_MS);
  document.addEventListener("visibilitychange", refreshIfVisible);
  const ends = [
    client.on("mirror.blocked", refresh),
    client.on("mirror.recovered", refresh),
    client.on("doc.deleted", refresh),
    client.on("resync", refresh),
  ];
  return () => {
    clearInterval(every);
    document.removeEventListener("visibilitychange", refreshIfVisible);
    for (const end of ends) end();
  };
});

/** Fetches a new report. While the page is disconnected there is none. */
export async function refreshHealth(): Promise<void> {
  const askedAt = Date.now();
  try {
    const answer = await fetchAsPage("/health?role=person");
    const report = (await answer.json()) as Omit<HealthReport, "askedAt">;
    if ((healthReport.value?.askedAt ?? 0) <= askedAt) healthReport.value = { ...report, askedAt };
  } catch {
    healthReport.value = undefined;
  } finally {
    healthIsKnown.value = true;
  }
}
