import { computed, effect, signal } from "@preact/signals";
import type { Result } from "../../protocol/schemas.ts";
import { coalesce } from "./coalesce.ts";
import { attempt } from "./messages.ts";
import { daemon, theDaemon } from "./session.ts";

export type DocumentEntry = Result<"doc.list">["docs"][number];

/** The workspace's documents by path, in the daemon's order; undefined until the daemon has answered. */
export const documentsByPath = signal<ReadonlyMap<string, DocumentEntry> | undefined>(undefined);

export const documentCount = computed(() => documentsByPath.value?.size ?? 0);

/** Milliseconds that the page waits for more events before it lists the documents, as a checkout causes many. */
const SETTLE_MS = 150;

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  const refreshing = coalesce(SETTLE_MS, refreshDocuments);
  void refreshDocuments();
  const ends = [
    client.on("doc.created", refreshing.soon),
    client.on("doc.deleted", refreshing.soon),
    client.on("doc.renamed", refreshing.soon),
    client.on("resync", refreshing.soon),
  ];
  return () => {
    refreshing.end();
    for (const end of ends) end();
  };
});

async function refreshDocuments(): Promise<void> {
  const answer = await attempt("Could not list the documents", () => theDaemon().doc.list({}));
  if (answer !== undefined) documentsByPath.value = new Map(answer.docs.map((entry) => [entry.path, entry]));
}
