import { effect, signal } from "@preact/signals";

const NAME_KEY = "spliced.name";

/** The name that the person chose in this browser; undefined if they use their user name. */
export const personName = signal<string | undefined>(localStorage.getItem(NAME_KEY) ?? undefined);

effect(() => {
  if (personName.value === undefined) localStorage.removeItem(NAME_KEY);
  else localStorage.setItem(NAME_KEY, personName.value);
});
