import { effect, signal } from "@preact/signals";
import { coalesce } from "../base/coalesce.ts";
import { attempt } from "../base/messages.ts";
import { daemon, theDaemon } from "../base/session.ts";
import type { ListedThread } from "./thread-types.ts";

/** The threads that wait for an answer, the last active first; undefined until the daemon has answered. */
export const waitingThreads = signal<readonly ListedThread[] | undefined>(undefined);

/** The threads that are about no document of a view and wait for no answer; undefined until they are known. */
export const looseThreads = signal<readonly ListedThread[] | undefined>(undefined);

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
  const { thread } = theDaemon();
  const answers = await attempt("Could not list the threads", () =>
    Promise.all([thread.list({ status: "waiting" }), thread.list({ status: "open", limit: MOST_OPEN })]),
  );
  if (answers === undefined) return;
  const [waiting, open] = answers;
  waitingThreads.value = waiting.threads;
  looseThreads.value = open.threads.filter(
    (one) => one.paths.length === 0 && one.proposal === undefined && !one.waiting,
  );
}

/** Open threads among which the page looks for those without a document. */
const MOST_OPEN = 200;
