import { signal } from "@preact/signals";

const TITLE = "proposal-title";

/** The id of the heading of what is looked at. */
export const titleId = TITLE;

/** The row that takes the focus once it is chosen, as one goes through the list by keys. */
export const wanted = signal<string | undefined>(undefined);

/** Puts the focus where what is looked at begins, as what had it goes with each decision. */
export function focusTitle(): void {
  document.getElementById(TITLE)?.focus();
}
