import { computed, signal } from "@preact/signals";
import { documents } from "../../state/documents.ts";
import type { ChangeFilter } from "../../state/stream.ts";

/** Whose changes are shown; everybody's while it is undefined. */
export const author = signal<string | undefined>(undefined);

/** A document's path, or a part of some. */
export const wantedPath = signal("");

/** What the daemon is asked for. */
export const filter = computed<ChangeFilter>(() => {
  const path = documents.value?.has(wantedPath.value) ? wantedPath.value : undefined;
  return { agent: author.value, path };
});
