import { computed, signal } from "@preact/signals";
import type { ChangeFilter } from "../../state/changes/stream.ts";
import { documentsByPath } from "../../state/documents/documents.ts";

/** The author whose changes the view shows; undefined for all authors. */
export const authorFilter = signal<string | undefined>(undefined);

/** The session of that author whose changes the view shows; undefined for all sessions. */
export const sessionFilter = signal<string | undefined>(undefined);

/** A part of the path of the documents that the view shows. */
export const pathFilter = signal("");

/** The filter for the daemon, which knows whole paths only. */
export const changeFilter = computed<ChangeFilter>(() => {
  const path = documentsByPath.value?.has(pathFilter.value) ? pathFilter.value : undefined;
  return { agent: authorFilter.value, path };
});
