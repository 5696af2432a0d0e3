import { computed, effect, signal } from "@preact/signals";
import type { Result } from "../../protocol/schemas.ts";
import { coalesce } from "./coalesce.ts";
import { attempt } from "./messages.ts";
import { daemon, theDaemon } from "./session.ts";

export type DocumentEntry = Result<"doc.list">["docs"][number];

/** The workspace's documents by path, in the daemon's order; undefined until they are known. */
export const documentsByPath = signal<ReadonlyMap<string, DocumentEntry> | undefined>(undefined);

export const documentCount = computed(() => documentsByPath.value?.size ?? 0);

/** Files appear and go in bursts, as a checkout makes them; they are listed once for each. */
const SETTLE_MS = 150;

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  const settled = coalesce(SETTLE_MS, refreshDocuments);
  void refreshDocuments();
  const ends = [
    client.on("doc.created", settled.soon),
    client.on("doc.deleted", settled.soon),
    client.on("doc.renamed", settled.soon),
    client.on("resync", settled.soon),
  ];
  return () => {
    settled.end();
    for (const end of ends) end();
  };
});

/** Asks for the list anew. */
export async function refreshDocuments(): Promise<void> {
  const answer = await attempt("The documents could not be listed", () => theDaemon().doc.list({}));
  if (answer !== undefined) documentsByPath.value = new Map(answer.docs.map((entry) => [entry.path, entry]));
}
