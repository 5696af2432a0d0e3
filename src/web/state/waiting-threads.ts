import { effect, signal } from "@preact/signals";
import { coalesce } from "./coalesce.ts";
import { attempt } from "./messages.ts";
import { daemon, theDaemon } from "./session.ts";
import type { ListedThread } from "./thread-types.ts";

/** The threads that wait for an answer, the last active first; undefined until the daemon has answered. */
export const waitingThreads = signal<readonly ListedThread[] | undefined>(undefined);

/** Milliseconds that the page waits for more events before it lists again. */
const SETTLE_MS = 200;

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  const refreshing = coalesce(SETTLE_MS, refreshWaiting);
  void refreshWaiting();
  const ends = [
    client.on("thread.message", refreshing.soon),
    client.on("thread.changed", refreshing.soon),
    client.on("doc.renamed", refreshing.soon),
    client.on("resync", refreshing.soon),
  ];
  return () => {
    refreshing.end();
    for (const end of ends) end();
  };
});

async function refreshWaiting(): Promise<void> {
  const answer = await attempt("Could not list the waiting threads", () =>
    theDaemon().thread.list({ status: "waiting" }),
  );
  if (answer !== undefined) waitingThreads.value = answer.threads;
}
