import { type ReadonlySignal, signal } from "@preact/signals";
import { attempt } from "../../state/messages.ts";
import type { OpenDocument } from "../../state/open-documents.ts";

/** Who changed a document counts as here lately for so long. */
export const RECENT_MS = 15 * 60_000;

/** When each author last changed the document, in milliseconds since the epoch, newest first. */
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
  void attempt("Who changed this lately is not known", async () => {
    const { changes } = await client.history.list({ path: path.value, limit: 30 });
    for (const { author, time } of changes) add(author, Date.parse(time));
  });
  const end = client.on("doc.changed", (told) => {
    if (told.path === path.value) add(told.author, Date.now());
  });
  return { authors, end };
}
