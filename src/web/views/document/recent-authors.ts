import { type ReadonlySignal, signal } from "@preact/signals";
import { attempt } from "../../state/base/messages.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";

/** Milliseconds for which the author of a change counts as recent. */
export const RECENT_MS = 15 * 60_000;

/** Follows when each author last changed a document, in milliseconds since the epoch, newest first. */
export function followRecentAuthors({ client, path }: OpenDocument): {
  readonly authors: ReadonlySignal<ReadonlyMap<string, number>>;
  readonly end: () => void;
} {
  const authors = signal<ReadonlyMap<string, number>>(new Map());
  const add = (author: string, time: number) => {
    const known = authors.value.get(author) ?? 0;
    const all = new Map(authors.value).set(author, Math.max(known, time));
    authors.value = new Map([...all].sort(([, a], [, b]) => b - a));
  };
  void attempt("Could not load the recent authors", async () => {
    const { changes } = await client.history.list({ path: path.value, limit: 30 });
    for (const { author, time } of changes) add(author, Date.parse(time));
  });
  const end = client.on("doc.changed", (change) => {
    if (change.path === path.value) add(change.author, Date.now());
  });
  return { authors, end };
}
