import { computed, signal } from "@preact/signals";
import { documentsByPath } from "../../state/documents.ts";
import type { ChangeFilter } from "../../state/stream.ts";

/** Whose changes are shown; everybody's while it is undefined. */
export const authorFilter = signal<string | undefined>(undefined);

/** A document's path, or a part of some. */
export const pathFilter = signal("");

/** What the daemon is asked for. */
export const changeFilter = computed<ChangeFilter>(() => {
  const path = documentsByPath.value?.has(pathFilter.value) ? pathFilter.value : undefined;
  return { agent: authorFilter.value, path };
});
