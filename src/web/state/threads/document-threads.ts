import { type ReadonlySignal, signal } from "@preact/signals";
import { type Client, RefusedError } from "../../../client/browser.ts";
import { coalesce } from "../base/coalesce.ts";
import type { ListedThread } from "./thread-types.ts";

/** The threads of a document. */
export type DocumentThreads =
  | { readonly is: "loading" }
  | { readonly is: "listed"; readonly threads: readonly ListedThread[]; readonly more: boolean }
  | { readonly is: "failed"; readonly why: string };

export interface DocumentThreadsFeed {
  readonly state: ReadonlySignal<DocumentThreads>;
  readonly reload: () => Promise<void>;
  readonly end: () => void;
}

const MOST_LISTED = 200;
/** Milliseconds that the page waits for more events before it lists again. */
const SETTLE_MS = 100;
/** Least milliseconds between two lists while others edit the text that the anchors are in. */
const MOVED_MS = 1_000;

/** Lists the threads of a document with their anchors, again after each event that concerns them. */
export function followDocumentThreads(client: Client, path: ReadonlySignal<string>): DocumentThreadsFeed {
  const state = signal<DocumentThreads>({ is: "loading" });
  const reload = async () => {
    try {
      const { threads, more } = await client.thread.list({ path: path.peek(), limit: MOST_LISTED });
      state.value = { is: "listed", threads, more };
    } catch (error) {
      // A lost connection keeps the list; the client sends `resync` once it has a new one.
      if (error instanceof RefusedError) state.value = { is: "failed", why: error.message };
    }
  };
  const soon = coalesce(SETTLE_MS, reload);
  const moved = coalesce(MOVED_MS, reload);
  const hasAnchors = () =>
    state.value.is === "listed" && state.value.threads.some(({ anchors = [] }) => anchors.length > 0);
  const ofThread = ({ thread }: { readonly thread: { readonly id: string; readonly paths: string[] } }) => {
    const isListed = state.value.is === "listed" && state.value.threads.some(({ id }) => id === thread.id);
    if (isListed || thread.paths.includes(path.peek())) soon.soon();
  };
  const ends = [
    client.on("thread.message", ofThread),
    client.on("thread.changed", ofThread),
    client.on("doc.changed", (changed) => {
      if (changed.path === path.peek() && hasAnchors()) moved.soon();
    }),
    client.on("doc.renamed", soon.soon),
    client.on("resync", soon.soon),
  ];
  void reload();
  return {
    state,
    reload,
    end() {
      for (const timer of [soon, moved]) timer.end();
      for (const stop of ends) stop();
    },
  };
}
