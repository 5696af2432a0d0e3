import { effect, signal } from "@preact/signals";

const KEPT_AS = "spliced.name";

/** The name that a person gave themselves in this browser; undefined where they go by their user name. */
export const personName = signal<string | undefined>(localStorage.getItem(KEPT_AS) ?? undefined);

effect(() => {
  if (personName.value === undefined) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, personName.value);
});
