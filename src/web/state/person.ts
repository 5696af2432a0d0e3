import { effect, signal } from "@preact/signals";

const NAME_KEY = "spliced.name";

/** The name that a person gave themselves in this browser; undefined where they go by their user name. */
export const personName = signal<string | undefined>(localStorage.getItem(NAME_KEY) ?? undefined);

effect(() => {
  if (personName.value === undefined) localStorage.removeItem(NAME_KEY);
  else localStorage.setItem(NAME_KEY, personName.value);
});
