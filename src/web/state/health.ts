import { effect, signal } from "@preact/signals";
import { fetchAsPage } from "../../client/browser.ts";
import { counts } from "./counts.ts";
import { daemon } from "./session.ts";

/** Something that does not work at present, as `/health` tells it. */
export interface Problem {
  readonly what: "store" | "file" | "watcher" | "tokens";
  readonly path?: string;
  readonly kind: string;
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
  readonly advice: string;
}

export interface Health {
  readonly status: "ok" | "degraded";
  readonly version: string;
  readonly startedAt: string;
  readonly root: "present" | "gone";
  readonly problems: readonly Problem[];
  /** When it was asked for; milliseconds since the epoch. */
  readonly askedAt: number;
}

/** How the daemon is; undefined until it was asked. */
export const health = signal<Health | undefined>(undefined);

/** Problems show in the sidebar, so it is asked also while nobody looks at the view. */
const EVERY_MS = 15_000;

effect(() => {
  const { length = 0 } = health.value?.problems ?? [];
  const gone = health.value?.root === "gone" ? 1 : 0;
  counts.value = { ...counts.peek(), problems: length + gone };
});

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  const ask = () => void askHealth();
  const whenSeen = () => {
    if (!document.hidden) ask();
  };
  ask();
  const every = setInterval(whenSeen, EVERY_MS);
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
export async function askHealth(): Promise<void> {
  const askedAt = Date.now();
  try {
    const answer = await fetchAsPage("/health");
    const told = (await answer.json()) as Omit<Health, "askedAt">;
    if ((health.value?.askedAt ?? 0) <= askedAt) health.value = { ...told, askedAt };
  } catch {
    health.value = undefined;
  }
}
