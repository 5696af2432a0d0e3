import { computed, effect, signal } from "@preact/signals";
import type { Result } from "../../../protocol/schemas/schemas.ts";
import { coalesce } from "../base/coalesce.ts";
import { attempt } from "../base/messages.ts";
import { daemon, theDaemon } from "../base/session.ts";

export type DocumentEntry = Result<"doc.list">["docs"][number];

/** The workspace's documents by path, in the daemon's order; undefined until the daemon has answered. */
export const documentsByPath = signal<ReadonlyMap<string, DocumentEntry> | undefined>(undefined);

/** Whether the list takes so long that no view waits for it. */
export const documentsAreLate = signal(false);

export const documentCount = computed(() => documentsByPath.value?.size ?? 0);

/** Milliseconds that the page waits for more events before it lists the documents, as a checkout causes many. */
const SETTLE_MS = 150;
/** The pause between two lists, as a multiple of the time that a list takes, so that lists never fill the daemon's time. */
const PAUSE = 3;
/** The time that a view waits for the list; a list of 100,000 documents takes seconds. */
const LATE_MS = 500;

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  const refreshing = coalesce(SETTLE_MS, refreshDocuments, PAUSE);
  void refreshDocuments();
  const late = setTimeout(() => {
    documentsAreLate.value = true;
  }, LATE_MS);
  const ends = [
    client.on("doc.created", refreshing.soon),
    client.on("doc.deleted", refreshing.soon),
    client.on("doc.renamed", refreshing.soon),
    client.on("resync", refreshing.soon),
  ];
  return () => {
    refreshing.end();
    clearTimeout(late);
    for (const end of ends) end();
  };
});

async function refreshDocuments(): Promise<void> {
  const answer = await attempt("Could not list the documents", () => theDaemon().doc.list({}));
  if (answer !== undefined) documentsByPath.value = new Map(answer.docs.map((entry) => [entry.path, entry]));
}
