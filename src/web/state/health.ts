import { effect, signal } from "@preact/signals";
import { fetchAsPage } from "../../client/browser.ts";
import { counts } from "./counts.ts";
import { daemon } from "./session.ts";

/** Something that does not work at present, as `/health` tells it. */
export interface HealthProblem {
  readonly what: "store" | "file" | "watcher" | "tokens";
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
  readonly problems: readonly HealthProblem[];
  /** When it was asked for; milliseconds since the epoch. */
  readonly askedAt: number;
}

/** How the daemon is; undefined until it was asked. */
export const healthReport = signal<HealthReport | undefined>(undefined);

/** Problems show in the sidebar, so it is asked also while nobody looks at the view. */
const REFRESH_MS = 15_000;

effect(() => {
  const { length = 0 } = healthReport.value?.problems ?? [];
  const gone = healthReport.value?.root === "gone" ? 1 : 0;
  counts.value = { ...counts.peek(), problems: length + gone };
});

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  const ask = () => void refreshHealth();
  const whenSeen = () => {
    if (!document.hidden) ask();
  };
  ask();
  const every = setInterval(whenSeen, REFRESH_MS);
  document.addEventListener("visibilitychange", whenSeen);
  const ends = [
    client.on("mirror.blocked", ask),
    client.on("mirror.recovered", ask),
    client.on("doc.deleted", ask),
    client.on("resync", ask),
  ];
  return () => {
    clearInterval(every);
    document.removeEventListener("visibilitychange", whenSeen);
    for (const end of ends) end();
  };
});

/** While the daemon is away nothing is known of it, which the page says elsewhere. */
export async function refreshHealth(): Promise<void> {
  const askedAt = Date.now();
  try {
    const answer = await fetchAsPage("/health");
    const told = (await answer.json()) as Omit<HealthReport, "askedAt">;
    if ((healthReport.value?.askedAt ?? 0) <= askedAt) healthReport.value = { ...told, askedAt };
  } catch {
    healthReport.value = undefined;
  }
}
